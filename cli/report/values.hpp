// What stands behind an option on the command line: counts, numbers, one of several words, lists of these.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace farfield::cli {

/// 60000, 1e6, 2.5e5; throws CLI::ValidationError where it is no whole number from 0 on. More than 2^63 counts as that.
std::int64_t parse_count(const std::string& text);
double parse_number(const std::string& text);  ///< "nan" included: what it means is the library's affair
std::vector<std::string> split(const std::string& list, char at = ',');

CLI::Option* add_count(CLI::App& app, const std::string& name, std::int64_t& value, const std::string& help);
CLI::Option* add_number(CLI::App& app, const std::string& name, double& value, const std::string& help);
CLI::Option* add_seed(CLI::App& app, std::uint64_t& value, const std::string& help);

[[noreturn]] void refuse_word(const std::string& word, const std::string& all);
/// An option whose text `take` turns into a value; its complaints get the option's name in front.
CLI::Option* add_parsed(CLI::App& app, const std::string& name, std::function<void(const std::string&)> take,
                        const std::string& help);
std::string joined(const std::vector<std::string>& words, const char* between);

/// An option that takes one of `words`, each of which stands for a value.
template <class Value>
CLI::Option* add_word(CLI::App& app, const std::string& name, Value& value,
                      std::vector<std::pair<std::string, Value>> words, const std::string& help) {
  std::vector<std::string> names;
  for (const auto& [word, ignored] : words) names.push_back(word);
  const auto take = [&value, words, names](const std::string& text) {
    for (const auto& [word, meaning] : words)
      if (word == text) return void(value = meaning);
    refuse_word(text, joined(names, ", "));
  };
  return add_parsed(app, name, take, help)->type_name(joined(names, "|"));
}

}  // namespace farfield::cli

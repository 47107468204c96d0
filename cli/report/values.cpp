#include "cli/report/values.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace farfield::cli {
namespace {

[[noreturn]] void refuse(const std::string& text, const char* what) {
  throw CLI::ValidationError(fmt::format("'{}' is not {}", text, what), CLI::ExitCodes::ValidationError);
}

template <class Value, class Parse>
CLI::Option* add(CLI::App& app, const std::string& name, Value& value, const std::string& help, Parse parse) {
  return add_parsed(
      app, name, [&value, parse](const std::string& text) { value = parse(text); }, help);
}

}  // namespace

CLI::Option* add_parsed(CLI::App& app, const std::string& name, std::function<void(const std::string&)> take,
                        const std::string& help) {
  const std::string longest = name.substr(name.find("--") == name.npos ? 0 : name.find("--"));
  const auto named = [longest, take = std::move(take)](const std::string& text) {
    try {
      take(text);
    } catch (const CLI::ValidationError& error) {
      throw CLI::ValidationError(longest + ": " + error.what(), CLI::ExitCodes::ValidationError);
    }
  };
  return app.add_option_function<std::string>(name, named, help);
}

double parse_number(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end) refuse(text, "a number");
  return value;
}

std::int64_t parse_count(const std::string& text) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::int64_t digits = 0;
  const char* const last = text.data() + text.size();
  if (const auto [end, trouble] = std::from_chars(text.data(), last, digits);
      end == last && trouble == std::errc() && digits >= 0)
    return digits;  // every digit counts; a double holds 15 of them
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end || !(value >= 0 && std::isfinite(value)) || value != std::floor(value))
    refuse(text, "a whole number, such as 60000 or 1e6");
  return value < 0x1p63 ? static_cast<std::int64_t>(value) : most;
}

std::vector<std::string> split(const std::string& list, char at) {
  std::vector<std::string> parts(1);
  for (const char c : list) {
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  return fmt::format("{}", fmt::join(words, between));
}

void refuse_word(const std::string& word, const std::string& all) {
  throw CLI::ValidationError(fmt::format("'{}' is not one of {}", word, all), CLI::ExitCodes::ValidationError);
}

CLI::Option* add_count(CLI::App& app, const std::string& name, std::int64_t& value, const std::string& help) {
  return add(app, name, value, help, parse_count)->type_name("N");
}

CLI::Option* add_number(CLI::App& app, const std::string& name, double& value, const std::string& help) {
  return add(app, name, value, help, parse_number)->type_name("X");
}

CLI::Option* add_seed(CLI::App& app, std::uint64_t& value, const std::string& help) {
  const auto parse = [](const std::string& text) {
    std::uint64_t seed = 0;
    const char* const last = text.data() + text.size();
    const auto [end, trouble] = std::from_chars(text.data(), last, seed);
    if (end != last || trouble != std::errc())
      refuse(text, "a seed; use a whole number from 0 to 18446744073709551615");
    return seed;
  };
  return add(app, "--seed", value, help, parse)->type_name("S");
}

}  // namespace farfield::cli

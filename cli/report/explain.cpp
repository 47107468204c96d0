#include "cli/report/explain.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "cli/pages/help.hpp"
#include "cli/report/values.hpp"

namespace farfield::cli {
namespace {

/// Insertions, deletions and replacements of letters that lead from `a` to `b`.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string nearest(const std::string& word, const std::vector<std::string>& names) {
  std::string best;
  std::size_t least = 3;  // more than two slips are another word
  for (const std::string& name : names)
    if (const std::size_t d = distance(word, name); d < least) least = d, best = name;
  return best.empty() ? "" : "; did you mean " + best + "?";
}

std::string unknown(const CLI::App& command, const std::string& word) {
  if (!word.starts_with("-")) return "one argument too many: " + word;
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return "unknown option " + word + nearest(word.substr(0, word.find('=')), names);
}

/// The parser knows an option by its long name; a person who typed "-n" should read of "-n".
std::string as_typed(const CLI::App& command, const std::string& name, const std::vector<std::string>& typed) {
  const CLI::Option* option = command.get_option_no_throw(name);
  if (!name.starts_with("--") || option == nullptr || option->get_snames().empty()) return name;
  const std::string brief = "-" + option->get_snames().front();
  const auto begins = [&](const std::string& with) {
    return std::any_of(typed.begin(), typed.end(), [&](const std::string& word) { return word.starts_with(with); });
  };
  return begins(brief) && !begins(name) ? brief : name;
}

std::string no_subcommand(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  const std::vector<std::string> rest = app.remaining();
  if (rest.empty()) return "say what to do: " + joined(names, ", ");
  return "there is no subcommand " + rest.front() + "; use " + joined(names, ", ");
}

}  // namespace

std::string explain(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& typed) {
  const auto chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  const std::vector<std::string> rest = command.remaining();
  const std::string help = chosen.empty() ? "farfield --help" : "farfield " + command.get_name() + " --help";
  std::string what = error.what();
  const auto name = as_typed(command, what.substr(0, what.find_first_of(": ")), typed);
  if (chosen.empty())
    what = no_subcommand(app);
  else if (what.find("not expected") != what.npos && !rest.empty())
    what = unknown(command, rest.front());
  else if (what.find("At Most 1 required") != what.npos)
    what = name + " is given more than once";
  else if (what.find("required") != what.npos && what.find("missing") != what.npos)
    what = name + " needs a value";
  if (what.starts_with("--")) what.replace(0, what.find_first_of(": "), name);
  return what + (what.ends_with("?") ? " See " : "; see ") + help;
}

}  // namespace farfield::cli

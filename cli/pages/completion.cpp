// `farfield completion bash`: what the Tab key offers, made from the options themselves.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/pages/help.hpp"
#include "cli/report/values.hpp"
#include "cli/terminal.hpp"

namespace farfield::cli {
namespace {

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> all_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : named_options(app))
    for (std::string& name : names_of(*option)) names.push_back(std::move(name));
  return names;
}

/// What follows `option`: one of some words, a file, or something that only its user knows (then nothing is offered).
std::string value_case(const CLI::App& command, const CLI::Option& option) {
  if (is_flag(option)) return "";
  const std::vector<std::string> words = words_of(option);
  const std::string offer = !words.empty()       ? fmt::format("words='{}'", joined(words, " "))
                            : takes_file(option) ? "files=yes"
                                                 : ":";
  std::vector<std::string> patterns;
  for (const std::string& name : names_of(option)) patterns.push_back(command.get_name() + ":" + name);
  return fmt::format("    {}) {} ;;\n", joined(patterns, "|"), offer);
}

/// What a word of its own may be, after `command`.
std::string default_case(const CLI::App& command) {
  std::string words, files;
  for (const CLI::Option* option : positionals(command)) {
    if (takes_file(*option)) files = "; files=yes";
    words += joined(words_of(*option), " ");
  }
  return fmt::format(
      "    {0}:*)\n"
      "      if [[ $current == -* ]]; then words='{1}'\n"
      "      else words='{2}'{3}\n"
      "      fi ;;\n",
      command.get_name(), joined(all_names(command), " "), words, files);
}

std::string bash(const CLI::App& app) {
  std::vector<std::string> names;
  std::string cases;
  for (const CLI::App* command : commands_of(app)) {
    names.push_back(command->get_name());
    for (const CLI::Option* option : named_options(*command)) cases += value_case(*command, *option);
    cases += default_case(*command);
  }
  return fmt::format(
      "# Completion of the farfield command in bash; written by `farfield completion bash`.\n"
      "_farfield() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} words='' files=''\n"
      "  local command=${{COMP_WORDS[1]}}\n"
      "  ((COMP_CWORD > 1)) || command=''\n"
      "  COMPREPLY=()\n"
      "  case $command:$previous in\n"
      "    :*) words='{0} {1}' ;;\n"
      "{2}"
      "  esac\n"
      "  [[ -z $words ]] || mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
      "  [[ -z $files ]] || {{\n"
      "    compopt -o filenames 2>/dev/null\n"
      "    local file\n"
      "    while IFS= read -r file; do COMPREPLY+=(\"$file\"); done < <(compgen -f -- \"$current\")\n"
      "  }}\n"
      "}}\n"
      "complete -F _farfield farfield\n",
      joined(names, " "), joined(all_names(app), " "), cases);
}

}  // namespace

void completion(const CLI::App& app) { print(bash(app)); }

}  // namespace farfield::cli

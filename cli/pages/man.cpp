// `farfield man`: the manual page, made from the options themselves.
#include <farfield/version.hpp>

#include "cli/commands.hpp"
#include "cli/pages/help.hpp"
#include "cli/terminal.hpp"

namespace farfield::cli {
namespace {

/// Text for troff: its escape character, hyphens that may be copied, and lines that must not be taken for requests.
std::string troff(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (safe.empty() || safe.back() == '\n')) safe += "\\&";
    safe += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  }
  return safe;
}

std::string heading(const std::string& name) { return ".SH " + troff(name) + "\n"; }

std::string item(const std::string& name, const std::string& text) {
  return ".TP\n.B " + troff(name) + "\n" + troff(text) + "\n";
}

/// Examples and tables, which keep their lines.
std::string verbatim(const std::string& text) { return ".PP\n.nf\n" + troff(text) + "\n.fi\n"; }

std::string usage(const CLI::App& command) {
  std::string text = ".B farfield " + command.get_name() + "\n";
  for (const CLI::Option* option : positionals(command))
    text += option->get_required() ? ".I " + option->get_name() + "\n" : ".RI [ " + option->get_name() + " ]\n";
  return text + ".RI [ options ]\n";
}

std::string described(const CLI::App& command) {
  std::string text = ".SS farfield " + command.get_name() + "\n" + troff(command.get_description()) + ".\n";
  for (const CLI::Option* option : positionals(command)) text += item(spelling(*option), option->get_description());
  for (const CLI::Option* option : named_options(command)) text += item(spelling(*option), option->get_description());
  return text + (command.get_footer().empty() ? "" : verbatim(command.get_footer()));
}

}  // namespace

void man(const CLI::App& app) {
  std::string text = ".TH FARFIELD 1 \"\" \"farfield " FARFIELD_VERSION "\" \"User Commands\"\n" + heading("NAME") +
                     "farfield \\- sums 1/r over all pairs of particles in linear time\n" + heading("SYNOPSIS");
  for (const CLI::App* command : commands_of(app)) text += usage(*command) + ".br\n";
  text += heading("DESCRIPTION") + troff(app.get_description()) + "\n" + heading("OPTIONS");
  for (const CLI::Option* option : named_options(app)) text += item(spelling(*option), option->get_description());
  text += heading("COMMANDS");
  for (const CLI::App* command : commands_of(app)) text += described(*command);
  print(text + heading("EXAMPLES AND EXIT STATUS") + verbatim(app.get_footer()));
}

}  // namespace farfield::cli

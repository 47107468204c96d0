#include "cli/pages/help.hpp"

#include <farfield/error.hpp>

#include "cli/commands.hpp"
#include "cli/report/values.hpp"
#include "cli/terminal.hpp"
#include "io/generate/generate.hpp"

namespace farfield::cli {
namespace {

class Formatter : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return line(make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return line(command->get_name(), command->get_description());
  }

 private:
  std::string line(const std::string& name, const std::string& description) const {
    const Terminal terminal = Terminal::of(stdout);
    const int column = static_cast<int>(get_column_width());
    const std::string left = "  " + name;
    const bool fits = width_of(left) < column;
    const std::string gap(static_cast<std::size_t>(fits ? column - width_of(left) : column), ' ');
    return left + (fits ? "" : "\n") + gap + terminal.wrap(description, column) + "\n";
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter() {
  auto formatter = std::make_shared<Formatter>();
  formatter->column_width(35);
  formatter->label("OPTIONS", "OPTIONS");
  return formatter;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::vector<const CLI::Option*> named_options(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->nonpositional(); });
}

std::vector<const CLI::Option*> positionals(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

bool is_flag(const CLI::Option& option) { return option.get_expected_max() == 0 || option.get_type_size() == 0; }

std::string spelling(const CLI::Option& option) {
  const std::string name = option.get_name(option.get_positional(), true);
  return name + (option.get_type_name().empty() || is_flag(option) ? "" : " " + option.get_type_name());
}

std::vector<std::string> words_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (option.get_positional() ? option.get_name() == "KIND" : type.starts_with("KIND")) {
    std::vector<std::string> kinds;
    for (const io::GeneratorKind& kind : io::generator_kinds()) kinds.push_back(kind.name);
    return kinds;
  }
  return type.find('|') == type.npos ? std::vector<std::string>{} : split(type, '|');
}

bool takes_file(const CLI::Option& option) {
  return option.get_type_name() == "FILE" ||
         (option.get_positional() && (option.get_name() == "INPUT" || option.get_name() == "FILE"));
}

void help(const CLI::App& app, const std::string& command) {
  // Not app.help(), which is that of the subcommand given: of `help`.
  if (command.empty()) return print(app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal));
  std::vector<std::string> names;
  for (const CLI::App* known : commands_of(app)) {
    if (known->get_name() == command) return print(known->help("farfield"));
    names.push_back(known->get_name());
  }
  throw Error(ErrorCode::usage, "there is no subcommand " + printable(command) + "; use " + joined(names, ", "));
}

}  // namespace farfield::cli

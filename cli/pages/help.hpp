// How --help looks.
#pragma once
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

namespace farfield::cli {

/// CLI11's own layout with descriptions wrapped to the window.
std::shared_ptr<CLI::FormatterBase> help_formatter();

/// The commands that a person is told of, in the order in which they are declared.
std::vector<const CLI::App*> commands_of(const CLI::App& app);

/// Options of `app` with names, and positional arguments, each in the order in which they are declared.
std::vector<const CLI::Option*> named_options(const CLI::App& app);
std::vector<const CLI::Option*> positionals(const CLI::App& app);

/// A flag, which no value follows.
bool is_flag(const CLI::Option& option);

/// "-o,--output FILE"; "INPUT" for a positional.
std::string spelling(const CLI::Option& option);

/// What may follow an option or stand for a positional: "auto", "cpu", "cuda"; the kinds of bodies. Empty where any
/// text may.
std::vector<std::string> words_of(const CLI::Option& option);

/// A file stands for it.
bool takes_file(const CLI::Option& option);

}  // namespace farfield::cli

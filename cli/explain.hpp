// What the parser of the command line complains about, as one sentence that says what to do.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace farfield::cli {

std::string explain(const CLI::App& app, const CLI::ParseError& error);

}  // namespace farfield::cli

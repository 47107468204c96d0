// What the parser of the command line complains about, as one sentence that says what to do.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace farfield::cli {

/// `typed`: the words of the command line.
std::string explain(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& typed);

}  // namespace farfield::cli

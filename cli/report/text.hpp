// Reports for people, as wide as their terminal.
#pragma once
#include <string>

#include "cli/compute.hpp"
#include "cli/terminal.hpp"

namespace farfield::cli {

/// The whole story of a run: what was read, summed, chosen, how long it took, how exact it is, what was written.
std::string describe_run(const SumArguments& arguments, const Computation& computation, const Terminal& terminal);

/// Only the error asked and measured, with a verdict on each.
std::string describe_check(const SumArguments& arguments, const Computation& computation, const Terminal& terminal);

// The parts that need a file of their own.
std::string describe_stages(const Computation& computation, const Terminal& terminal);
/// What ranks own, send and wait for; empty for one process.
std::string describe_ranks(const Computation& computation, const Terminal& terminal);

/// "Input     text", text wrapped behind the heading; later lines of a section leave the heading empty.
std::string section(const char* heading, const std::string& text, const Terminal& terminal);
constexpr int heading_width = 12;

}  // namespace farfield::cli

// What a simulation prints.
#pragma once
#include <string>

#include "cli/arguments.hpp"
#include "cli/simulate/history.hpp"
#include "cli/simulate/start.hpp"
#include "cli/terminal.hpp"

namespace farfield::cli {

/// What is moved, how, and by which forces: before the first step is shown.
std::string describe_start(const SimulateArguments& arguments, const Start& start, const Report& report,
                           const Terminal& terminal);

std::string table_heading(const Terminal& terminal);
std::string table_row(const Row& row, double seconds_per_step, const Terminal& terminal);

/// What should have been conserved, and how well it was.
std::string describe_end(const std::vector<Row>& rows, const Terminal& terminal);

}  // namespace farfield::cli

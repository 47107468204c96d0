// Reports for programs: schema "farfield.report/1". Fields are only ever added.
#pragma once
#include <farfield/report.hpp>
#include <nlohmann/json.hpp>

#include "cli/compute.hpp"

namespace farfield::cli {

/// Everything that the library knows of a plan and its last evaluation.
nlohmann::ordered_json report_to_json(const Report& report);

/// The same with what the command knows: input, files, wall times.
nlohmann::ordered_json run_to_json(const SumArguments& arguments, const Computation& computation);

/// What each rank held and did in the evaluation; null for one process.
nlohmann::ordered_json ranks_to_json(const Computation& computation);

/// As it is written to a file. Names of files and columns may be of any bytes; those that are no UTF-8 become U+FFFD.
std::string text_of(const nlohmann::ordered_json& json);

}  // namespace farfield::cli

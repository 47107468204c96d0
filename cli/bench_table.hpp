// What `farfield bench` measured, as a table and as JSON.
#pragma once
#include <cstdint>
#include <farfield/report.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/terminal.hpp"

namespace farfield::cli {

struct BenchCase {
  std::string kind;
  std::int64_t n = 0;
  double tolerance = 0;
  Report report;                       ///< of the run that measured the error
  std::vector<double> plan, evaluate;  ///< wall-clock seconds of the timed runs
};

double median(std::vector<double> values);

std::string bench_heading(const Terminal& terminal);
std::string bench_row(const BenchCase& item, const Terminal& terminal);
nlohmann::ordered_json bench_to_json(const std::vector<BenchCase>& cases);

}  // namespace farfield::cli

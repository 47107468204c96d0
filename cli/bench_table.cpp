#include "cli/bench_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/numbers.hpp"
#include "cli/report_json.hpp"

namespace farfield::cli {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

std::string bench_heading(const Terminal& t) {
  return t.bold(fmt::format("{:<12}{:>11}{:>8}{:>9}{:>9}{:>10}{:>10}{:>11}", "bodies of", "n", "asked", "reached",
                            "method", "plan", "evaluate", "points/s")) +
         "\n";
}

std::string bench_row(const BenchCase& b, const Terminal& t) {
  const Report& r = b.report;
  const double reached = r.error ? std::max(r.error->potential, r.error->gradient) : 0;
  const double evaluate = median(b.evaluate);
  const double rate = evaluate > 0 ? static_cast<double>(b.n) / evaluate : 0;
  const std::string error = pad_left(scientific(reached), 9);
  return fmt::format("{:<12}{:>11}{:>8}{}{:>9}{:>10}{:>10}{:>11}\n", b.kind, grouped(b.n), shortest(b.tolerance),
                     reached <= b.tolerance ? error : t.bad(error), r.method, duration(median(b.plan)),
                     duration(evaluate), grouped(static_cast<std::int64_t>(rate)));
}

nlohmann::ordered_json bench_to_json(const std::vector<BenchCase>& cases) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const BenchCase& b : cases)
    list.push_back({{"kind", b.kind},
                    {"n", b.n},
                    {"tolerance", b.tolerance},
                    {"plan_seconds", b.plan},
                    {"evaluate_seconds", b.evaluate},
                    {"plan_median", median(b.plan)},
                    {"evaluate_median", median(b.evaluate)},
                    {"report", report_to_json(b.report)}});
  return {{"schema", "farfield.bench/1"}, {"cases", list}};
}

}  // namespace farfield::cli

#include "cli/bench_table.hpp"

#include <algorithm>
#include <array>

#include "cli/report/json.hpp"
#include "cli/report/numbers.hpp"

namespace farfield::cli {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

namespace {

/// A line of the table; a narrow window has no room for the last column.
std::string table_line(const std::array<std::string, 8>& cells, const Terminal& t) {
  const bool narrow = t.columns < 80;
  const std::array<int, 8> widths =
      narrow ? std::array<int, 8>{11, 11, 6, 8, 7, 8, 9, 0} : std::array<int, 8>{12, 11, 8, 9, 9, 10, 10, 11};
  std::string text = pad(cells[0], widths[0]);
  for (std::size_t c = 1; c < (narrow ? 7u : 8u); ++c) text += pad_left(cells[c], widths[c]);
  return text;
}

}  // namespace

std::string bench_heading(const Terminal& t) {
  return t.bold(table_line({"bodies of", "n", "asked", "reached", "method", "plan", "evaluate", "points/s"}, t)) + "\n";
}

std::string bench_row(const BenchCase& b, const Terminal& t) {
  const Report& r = b.report;
  const double reached = r.error ? std::max(r.error->potential, r.error->gradient) : 0;
  const double evaluate = median(b.evaluate);
  const double rate = evaluate > 0 ? static_cast<double>(b.n) / evaluate : 0;
  const std::string row =
      table_line({b.kind, grouped(b.n), shortest(b.tolerance), scientific(reached), r.method, duration(median(b.plan)),
                  duration(evaluate), grouped(static_cast<std::int64_t>(rate))},
                 t);
  return (reached <= b.tolerance ? row : t.bad(row)) + "\n";
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

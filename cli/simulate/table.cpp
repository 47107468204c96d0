#include "cli/simulate/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/report/numbers.hpp"
#include "cli/report/text.hpp"

namespace farfield::cli {
namespace {

struct Cell {
  std::string text;
  int width;
};

/// Wider windows have room for the last three, the sizes of what is conserved beside the energy.
std::string line_of(const std::vector<Cell>& cells, const Terminal& t) {
  std::string text;
  int used = 0;
  for (const Cell& cell : cells) {
    used += cell.width;
    if (used >= t.columns) break;
    text += pad_left(cell.text, cell.width);
  }
  return text;
}

std::string forces(const Report& r, const Terminal& t) {
  const std::string machine =
      r.backend == "cuda" ? r.device + " (cuda), positions copied in every step"
                          : fmt::format("{}, {}, {}", r.backend, r.simd, plural(r.threads, "thread", "threads"));
  const std::string method = r.method == "direct" ? "direct sums over all pairs"
                             : r.method == "fmm"  ? "fast multipole method"
                                                  : r.method;
  const std::string length = r.softening_varies
                                 ? fmt::format("{} to {}", shortest(r.least_softening), shortest(r.softening))
                                 : shortest(r.softening);
  const std::string softening =
      r.softening > 0 ? fmt::format("softening {} ({})", length, r.softening_kind) : "no softening";
  return section("Forces", fmt::format("{} on {}, {}", method, machine, r.precision), t) +
         section("", fmt::format("relative error at most {}, L2 over all bodies; {}", shortest(r.tolerance), softening),
                 t);
}

std::string course(const SimulateArguments& a, const Record& record, const Terminal& t) {
  const std::int64_t end = record.step + a.steps;
  return section("Motion",
                 fmt::format("leapfrog (kick, drift, kick), {} of {} to t = {}; G = {}",
                             plural(a.steps, "step", "steps"), shortest(record.course.dt),
                             shortest(static_cast<double>(end) * record.course.dt), shortest(record.course.gravity)),
                 t) +
         (a.resume
              ? section("", fmt::format("goes on from step {}, t = {}", grouped(record.step), shortest(record.time())),
                        t)
              : "");
}

/// "1.2e-15", of vectors the length of their change.
std::string drift(const motion::Vector& from, const motion::Vector& to) {
  return scientific(motion::length({to[0] - from[0], to[1] - from[1], to[2] - from[2]}));
}

}  // namespace

std::string describe_start(const SimulateArguments& a, const Start& start, const Report& report, const Terminal& t) {
  std::string text = section("Input", printable(a.input) + ": " + told(start.bodies), t);
  for (const std::string& warning : start.bodies.warnings)
    text += section("", t.warn("warning: ") + printable(warning), t);
  if (start.at_rest)
    text += section(
        "", t.warn("warning: ") + "the file has no velocities (vx, vy, vz), so that all bodies start at rest", t);
  return text + course(a, start.record, t) + forces(report, t) + "\n";
}

std::string table_heading(const Terminal& t) {
  return t.bold(line_of({{"step", 8},
                         {"time", 10},
                         {"kinetic", 11},
                         {"potential", 12},
                         {"total", 12},
                         {"change", 9},
                         {"2K/|W|", 8},
                         {"s/step", 9},
                         {"|P|", 9},
                         {"|L|", 10},
                         {"|centre|", 10}},
                        t)) +
         "\n";
}

std::string table_row(const Row& row, double seconds_per_step, const Terminal& t) {
  const motion::Diagnostics& d = row.d;
  const auto number = [](double value) { return std::isfinite(value) ? with_digits(value, 6) : std::string("-"); };
  const auto brief = [](double value) { return std::isfinite(value) ? scientific(value) : std::string("-"); };
  const std::string ratio = std::isfinite(d.virial_ratio) ? fmt::format("{:.4f}", d.virial_ratio) : "-";
  return line_of({{std::to_string(row.step), 8},
                  {number(row.time), 10},
                  {number(d.kinetic), 11},
                  {number(d.potential), 12},
                  {number(d.total), 12},
                  {brief(row.change), 9},
                  {ratio, 8},
                  {seconds_per_step > 0 ? with_digits(seconds_per_step, 3) : "-", 9},
                  {brief(motion::length(d.momentum)), 9},
                  {brief(motion::length(d.angular_momentum)), 10},
                  {brief(motion::length(d.centre)), 10}},
                 t) +
         "\n";
}

std::string describe_end(const std::vector<Row>& rows, const Terminal& t) {
  if (rows.empty()) return "";
  double most = 0;
  for (const Row& row : rows) most = std::max(most, std::fabs(row.change));
  const motion::Diagnostics &first = rows.front().d, &last = rows.back().d;
  return "\n" +
         section("Energy",
                 fmt::format("changed by {} of itself, at most by {} on the way", scientific(rows.back().change),
                             scientific(most)),
                 t) +
         section("Momentum",
                 fmt::format("changed by {}; angular momentum {} by {}", drift(first.momentum, last.momentum),
                             with_digits(motion::length(first.angular_momentum), 6),
                             drift(first.angular_momentum, last.angular_momentum)),
                 t) +
         section("Centre", fmt::format("of mass moved by {}", drift(first.centre, last.centre)), t);
}

}  // namespace farfield::cli

#include <fmt/format.h>

#include <algorithm>

#include "cli/kde/results.hpp"
#include "cli/report/numbers.hpp"
#include "cli/report/text.hpp"
#include "density/grid.hpp"
#include "density/sphere.hpp"

namespace farfield::cli {
namespace {

std::string points(const KdeArguments& a, const Question& q, const Terminal& t) {
  std::string text = section("Points", printable(a.input) + ": " + q.description, t);
  if (!a.weights.empty())
    text += section("",
                    fmt::format("weights from column {}: their scatter is that of {} equal ones", printable(a.weights),
                                about(density::effective_count(q.sample.weights))),
                    t);
  for (int axis = 0; axis < q.dimension(); ++axis)
    if (q.cell.periodic(axis))
      text += section("",
                      fmt::format("periodic along {} with {}", "xyz"[axis],
                                  shortest(q.cell.length[static_cast<std::size_t>(axis)])),
                      t);
  for (const std::string& warning : q.warnings) text += section("", t.warn("warning: ") + printable(warning), t);
  return text;
}

std::string bandwidth(const Question& q, const Terminal& t) {
  std::string text;
  if (q.sphere) {
    text = shortest(q.bandwidth.along(0)) + (q.bandwidth.along(0) == 1 ? " degree" : " degrees");
  } else {
    const auto names = axis_names(q);
    for (int axis = 0; axis < q.dimension(); ++axis)
      text += fmt::format("{}{} along {}", axis ? ", " : "", shortest(q.bandwidth.along(axis)),
                          names[static_cast<std::size_t>(axis)]);
    if (q.bandwidth.slanted()) text += ", with the points' correlation";
  }
  return section("Bandwidth", text + (q.rule.empty() ? "" : ", by the rule " + q.rule), t);
}

std::string places(const KdeArguments& a, const Question& q, const density::Estimate& e, const Terminal& t) {
  const auto n = static_cast<std::int64_t>(e.density.size());
  const std::string where = q.grid              ? fmt::format("a grid of {} places", grouped(n))
                            : a.targets.empty() ? "the points themselves"
                                                : plural(n, "target", "targets");
  const std::string unit = q.sphere ? "per steradian, " : "";
  std::string text = section("Density", unit + "at " + where, t);
  if (n == 0) return text;
  const auto [least, most] = std::minmax_element(e.density.begin(), e.density.end());
  std::string range = fmt::format("from {} to {}", scientific(*least), scientific(*most));
  if (q.grid)
    range += fmt::format(
        "; over the grid it is {} in all",
        with_digits(q.sphere ? density::integral_over_globe(*q.grid, e.density) : density::integral(*q.grid, e.density),
                    6));
  return text + section("", range, t);
}

double peak_of(const Question& q) {
  const double s = density::radians(q.bandwidth.along(0));
  return q.sphere ? density::sphere_norm(1 / (s * s)) : density::peak(q.bandwidth);
}

/// Densities far below that of all points at one place have few digits.
std::string few_digits(const density::Estimate& e, const Question& q, const Terminal& t) {
  if (e.density.empty()) return "";
  const double most = *std::max_element(e.density.begin(), e.density.end());
  const double allowed = e.report.tolerance * peak_of(q);
  if (allowed <= 0.01 * most) return "";
  return section("",
                 t.warn("warning: ") +
                     fmt::format("errors of {} are allowed, {} of the greatest density; ask for a smaller --tolerance",
                                 scientific(allowed), percent(allowed / most)),
                 t);
}

std::string sums(const density::Estimate& e, const Question& q, const Told& told, const Terminal& t) {
  const Report& r = e.report;
  const std::string machine =
      r.backend == "cuda" ? r.device : fmt::format("cpu, {}, {}", r.simd, plural(r.threads, "thread", "threads"));
  std::string text = section(
      "Sums",
      fmt::format("{} of {} on {}, {}, in {}", r.method == "direct" ? "direct" : "method " + std::string(r.method),
                  plural(e.sources, "kernel", "kernels"), machine, r.precision, duration(told.seconds)),
      t);
  if (r.error)
    text += section("Error",
                    fmt::format("{} of the sum of weights, on {} (asked: {})", scientific(r.error->potential),
                                plural(r.error->samples, "place", "places"), shortest(r.tolerance)),
                    t);
  text += few_digits(e, q, t);
  for (const std::string& warning : r.warnings) text += section("", t.warn("warning: ") + printable(warning), t);
  return text;
}

}  // namespace

std::string describe_kde(const KdeArguments& a, const Question& q, const density::Estimate& e, const Told& told) {
  const Terminal t = Terminal::of(a.output == "-" || a.plot == "-" ? stderr : stdout);
  std::string text = points(a, q, t) + bandwidth(q, t) + places(a, q, e, t) + sums(e, q, told, t);
  if (told.written.empty()) return text + section("Written", "nothing; -o FILE or --plot FILE does", t);
  for (std::size_t i = 0; i < told.written.size(); ++i)
    text += section(i == 0 ? "Written" : "", printable(told.written[i]), t);
  return text;
}

}  // namespace farfield::cli

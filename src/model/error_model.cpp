#include "model/error_model.hpp"

#include <algorithm>
#include <cmath>

#include "core/units.hpp"
#include "kernels/traits.hpp"
#include "model/decision.hpp"

namespace farfield {

int degree_for(Kernel kernel, double tolerance, bool reduced, int derivatives) {
  int degree = 1;
  while (degree < max_degree && traits(kernel).errors->truncation(degree, reduced, derivatives) > tolerance) ++degree;
  return degree;
}

int highest_degree(const Decision& d) {
  const auto crystal = traits(d.kernel).errors->crystal;
  int degree = 1;
  while (degree < max_degree && crystal(degree, d.reduced, std::max(1, d.derivatives())) > d.tolerance) ++degree;
  return std::min(max_degree, degree + (d.apart ? 3 : 0));
}

// Rounding measured at degrees where truncation is far below, N = 1e3 to 1e5, all clouds: single 4e-7 (potential, mixed
// strengths), double 2e-15. In double the highest degree, not rounding, is the limit.
static double rounding_error(Precision precision) { return precision == Precision::single_ ? 5e-7 : 5e-15; }

double reachable_tolerance(Precision precision) { return precision == Precision::single_ ? 1e-6 : 1e-13; }

double truncation_share(double tolerance, Precision precision) {
  const double rounding = rounding_error(precision);
  return tolerance > rounding ? std::sqrt(tolerance * tolerance - rounding * rounding) : tolerance;
}

bool changes_near_pairs(const Options& o) { return o.softening > 0 || o.core != Core::none; }

bool reaches_far(const Options& o) {
  return o.softening > 0 ? o.softening_kind == SofteningKind::plummer : o.core == Core::gauss;
}

double expansion_share(const Options& o) { return reaches_far(o) ? std::sqrt(1 - plummer_share * plummer_share) : 1; }

double least_box_edge(const Options& o, double tolerance, int exponent) {
  if (o.core != Core::none)
    return std::ldexp(traits(o.kernel).core_reach(o, plummer_share * std::min(tolerance, 1.0)), exponent);
  const double length = std::ldexp(o.softening, exponent);
  if (o.softening_kind == SofteningKind::spline) return spline_reach * length;
  return length * std::sqrt((o.gradient ? 1.5 : 0.5) / (plummer_share * tolerance));
}

}  // namespace farfield

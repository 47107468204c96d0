#include "model/error_model.hpp"

#include <algorithm>
#include <cmath>

#include "core/units.hpp"
#include "kernels/traits.hpp"

namespace farfield {

int degree_for(Kernel kernel, double tolerance, bool reduced, bool gradient) {
  int degree = 1;
  while (degree < max_degree && traits(kernel).errors->truncation(degree, reduced, gradient) > tolerance) ++degree;
  return degree;
}

int highest_degree(Kernel kernel, double tolerance, bool reduced, bool apart) {
  int degree = 1;
  while (degree < max_degree && traits(kernel).errors->crystal(degree, reduced, true) > tolerance) ++degree;
  return std::min(max_degree, degree + (apart ? 3 : 0));
}

// Rounding measured at degrees where truncation is far below, N = 1e3 to 1e5, all clouds: single 4e-7 (potential, mixed
// strengths), double 2e-15. In double the highest degree, not rounding, is the limit.
static double rounding_error(Precision precision) { return precision == Precision::single_ ? 5e-7 : 5e-15; }

double reachable_tolerance(Precision precision) { return precision == Precision::single_ ? 1e-6 : 1e-13; }

double truncation_share(double tolerance, Precision precision) {
  const double rounding = rounding_error(precision);
  return tolerance > rounding ? std::sqrt(tolerance * tolerance - rounding * rounding) : tolerance;
}

double expansion_share(const Options& o) {
  const bool lacks = o.softening > 0 && o.softening_kind == SofteningKind::plummer;
  return lacks ? std::sqrt(1 - plummer_share * plummer_share) : 1;
}

double least_box_edge(const Options& o, double tolerance, int exponent) {
  const double length = std::ldexp(o.softening, exponent);
  if (o.softening_kind == SofteningKind::spline) return spline_reach * length;
  return length * std::sqrt((o.gradient ? 1.5 : 0.5) / (plummer_share * tolerance));
}

}  // namespace farfield

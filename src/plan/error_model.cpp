#include "plan/error_model.hpp"

#include <cmath>

namespace farfield {

// Before a tree is known: log10 of the error on uniform and clustered volumes at N = 2e4, twice the worst measured. It
// falls by 0.35 per degree while typical pairs matter and by 0.23 once pairs in facing corners do (placement.hpp).
double truncation_error(int degree, bool reduced, bool gradient) {
  const double bend = 14, at_bend = reduced ? -5.4 : -6.3, steep = reduced ? 0.30 : 0.35;
  const double slope = degree < bend ? steep : 0.23;
  return std::pow(10.0, at_bend - (gradient ? 0.0 : 0.2) - slope * (degree - bend));
}

int degree_for(double tolerance, bool reduced, bool gradient) {
  int degree = 1;
  while (degree < max_degree && truncation_error(degree, reduced, gradient) > tolerance) ++degree;
  return degree;
}

/// Measured error over the model's, worst of several clouds and seeds. In volumes the model overestimates at high degrees,
/// where it counts corners that random points hardly reach: down to a rest that shrinks with the number of points, since
/// few pairs carry the error and it scatters. Not so on surfaces, nor in crystals, whose pairs line up.
static double measured_over_model(int degree, const PlacementKind& kind) {
  if (kind.in_planes) return 13;
  if (kind.dimension < 2.5) return 8;
  const double rest = 2 + std::min(2.0, 1.5 * std::sqrt(2e4 / std::max(1.0, kind.points)));
  return std::max(rest, 13 * std::pow(0.5, std::max(0, degree - 7) / 4.5));
}

/// The reduced stencil's pairs err more at the same degree: measured 1.5 times at degree 4, 4 at 10, 10 at 18, 10 to 30 above.
static double reduced_over_full(int degree, bool reduced) {
  return reduced ? std::min(25.0, 1.2 * std::exp(0.125 * degree)) : 1.0;
}

PairError pair_error(int degree, const PlacementKind& kind, bool reduced) {
  const double d = std::max(1, degree);
  const double corner = 0.21 * std::pow(0.75, d) / d;  // placement.hpp
  const double e = corner * measured_over_model(degree, kind) * reduced_over_full(degree, reduced);
  return {e, e * d};
}

double reachable_tolerance(Precision precision, bool gradient) {
  if (precision == Precision::single_) return gradient ? 3e-6 : 3e-6;
  return gradient ? 1e-13 : 1e-13;
}

}  // namespace farfield

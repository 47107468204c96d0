#include <algorithm>
#include <cmath>

#include "expansions/error_curve.hpp"

namespace farfield {

// Before a tree is known: log10 of the error on uniform and clustered volumes at N = 2e4, twice the worst measured.
// This logarithm falls by 0.35 per degree while typical pairs carry the error and by 0.23 once facing pairs do
// (model/placement.hpp).
static double truncation(int degree, bool reduced, int derivatives) {
  const double bend = 14, at_bend = reduced ? -5.4 : -6.3, steep = reduced ? 0.30 : 0.35;
  const double slope = degree < bend ? steep : 0.23;
  return std::pow(10.0, at_bend - (derivatives > 0 ? 0.0 : 0.2) - slope * (degree - bend));
}

static double typical_pair(int degree) {
  return std::pow(10.0, degree < 14 ? -1.6 - 0.37 * degree : -6.78 - 0.28 * (degree - 14));
}

static double facing_pair(int degree) {
  const double d = std::max(1, degree);
  return 0.21 * std::pow(0.75, d) / d;
}

/// The reduced stencil's pairs err more at the same degree: measured 1.5 times at degree 4, 4 at 10, 10 at 18, 10 to 40
/// above.
static double reduced_over_full(int degree, bool reduced) {
  return reduced ? std::min(40.0, 1.2 * std::exp(0.125 * degree)) : 1.0;
}

// Against direct sums on eleven clouds and a molten salt, N = 1e3 to 1e5, degrees 3 to 38, leaves of 64 and by default:
// errors carried by typical pairs (up to degree 17) come to 0.3 to 1.2 times the model, 1.8 at degree 3; those carried
// by facing pairs (above 20) to 0.6 to 2.8 times, 4 with few points, since then few pairs carry them and they scatter.
// Above degree 32 the scatter grows. Targets away from all sources have no near field whose size would hide the error,
// and their pairs are those of the largest boxes: up to 5 times the model, 40 at degree 50. Where many points coincide,
// one place counts once for each of them, whether the error there is small or large: up to 3 times. The factors below
// lie above these figures. Few pairs carry the rest, and whether these err much is a matter of chance: the factors
// suffice for nine sums of ten; the tenth is found by its expansions (judge/truncation.hpp) and evaluated again.
static double expected(double typical, double facing, int degree, const TargetKind& kind, bool reduced) {
  const double few = std::min(2.0, std::sqrt(1e4 / std::max(1.0, kind.count)));
  const double of_typical = (0.85 + 0.35 * few) * (degree < 5 ? 2.0 : 1.0),
               of_facing = (1.2 + 0.8 * few) * std::clamp(degree / 16.0, 1.0, 1.5);
  const double special = kind.remote || kind.heaped ? 2 : 1;
  return std::hypot(of_typical * typical, of_facing * facing) * reduced_over_full(degree, reduced) * special;
}

/// Of a lattice of n points in a box, sums of 1/r^4, 1/r^6 and 1/r^8 fall off within the nearest few, so that each
/// derivative beyond the gradient raises the relative error by `degree` over the box's width in spacings, about 4.
static double crystal(int degree, bool reduced, int derivatives) {
  const double line = degree < 14 ? -4.7 - 0.32 * (degree - 14) : -4.5 - 0.19 * (degree - 14);
  const double steeper = std::pow(std::max(1.0, 0.35 * degree), std::max(0, derivatives - 1));
  return std::pow(10.0, line - (derivatives > 0 ? 0.0 : 0.8)) * (reduced ? 2.0 : 1.0) * steeper;
}

// Pairs of boxes two and three edges apart: 1.1, 1.7, 2, 2.6 and 4.5 times at degrees 4, 8, 10, 11, 14 in the gradient,
// more in the potential (test_fitted); sources or targets in a plane through their box 1.2, 1.6 and 2.3 times at 8, 11,
// 14; water 2.0, 2.2, 2.5, 4.5 at 8, 10, 12, 14.
static double fitted_gain(int degree) { return std::pow(10.0, 0.05 * std::max(0, degree - 4)); }

// Above degree 14 facing corners begin to carry the error: their terms all have one sign, and 3.7 times the estimate
// was seen with thousands of translations at degree 33.
static double one_sign_safety(int degree) { return 1 + 1.6 * std::clamp((degree - 14) / 12.0, 0.0, 1.0); }

const ErrorCurve solid_errors{truncation, typical_pair, facing_pair, expected, crystal, fitted_gain, one_sign_safety};

}  // namespace farfield

#include <algorithm>
#include <cmath>

#include "expansions/error_curve.hpp"

namespace farfield {

// log10 of the error, 1.3 times what was measured on eleven clouds laid flat, 1e3 and 1e4 points, strengths of mixed
// sign, degrees 3 to 30, leaves of 40 (a lattice, whose flattened points coincide, erred up to 15 times as much, which
// is found after the evaluation). The number of points plays no part, and their places hardly any.
static double truncation(int degree, bool /*reduced*/, int derivatives) {
  const double line = degree < 10 ? -0.73 - 0.43 * degree : -5.03 - 0.365 * (degree - 10);
  return std::pow(10.0, line) / (derivatives > 0 ? 1 : std::pow(std::max(1, degree), 0.9));
}

static double one_sign_safety(int /*degree*/) { return 1; }

/// A flat lattice: see above.
static double crystal(int degree, bool reduced, int derivatives) {
  return 15 * truncation(degree, reduced, derivatives);
}

const ErrorCurve planar_errors{truncation, nullptr, nullptr, nullptr, crystal, nullptr, one_sign_safety};

}  // namespace farfield

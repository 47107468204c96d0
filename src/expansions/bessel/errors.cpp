#include "expansions/error_curve.hpp"

namespace farfield {

// Screening takes from every term of 1/r's expansions at least what it takes from the pair itself where it counts, so
// the errors stay below those of 1/r where near pairs carry the result. Where none does, the expansions show it after
// the evaluation (judge/truncation.hpp).
static double truncation(int degree, bool reduced, bool gradient) {
  return solid_errors.truncation(degree, reduced, gradient);
}
static double crystal(int degree, bool reduced, bool gradient) {
  return solid_errors.crystal(degree, reduced, gradient);
}
static double one_sign_safety(int degree) { return solid_errors.one_sign_safety(degree); }

const ErrorCurve bessel_errors{truncation, nullptr, nullptr, nullptr, crystal, one_sign_safety};

}  // namespace farfield

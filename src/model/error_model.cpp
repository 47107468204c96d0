#include "model/error_model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/units.hpp"
#include "kernels/traits.hpp"
#include "model/decision.hpp"

namespace farfield {

double fitted_gain(Kernel kernel, bool fitted, int degree) {
  return fitted && degree <= most_fitted_degree ? traits(kernel).errors->fitted_gain(degree) : 1;
}

int degree_for(Kernel kernel, double tolerance, bool reduced, int derivatives, bool fitted) {
  const auto error = [&](int degree) {
    return traits(kernel).errors->truncation(degree, reduced, derivatives) / fitted_gain(kernel, fitted, degree);
  };
  int degree = 1;
  while (degree < max_degree && error(degree) > tolerance) ++degree;
  return degree;
}

int judged_from(const Options& o) { return o.tolerance_for == ToleranceFor::gradient ? 1 : 0; }

int first_degree(const Options& o, double tolerance, bool reduced, bool fitted) {
  // By how much smaller the gradient's error is than the potential's: 12 to 20 times for pairs of ions, 1e-3 to 1e-6;
  // hardly for water, whose degree 14 in leaves for degree 11 (a factor of 10 here) took a fifth longer.
  constexpr double of_gradient = 3;
  const bool lower = judged_from(o) > 0 && traits(o.kernel).errors->typical_pair;
  return degree_for(o.kernel, lower ? std::min(0.1, of_gradient * tolerance) : tolerance, reduced, derivatives_of(o),
                    fitted);
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

double screened_growth(double kappa) {
  return kappa > 0 ? std::clamp(std::sqrt(kappa / -std::expm1(-kappa)), 1.0, 4.0) : 1;
}

bool changes_near_pairs(const Options& o) { return o.softening > 0 || o.core != Core::none; }

bool reaches_far(const Options& o) {
  return o.softening > 0 ? o.softening_kind != SofteningKind::spline : o.core == Core::gauss;
}

double expansion_share(const Options& o) { return reaches_far(o) ? std::sqrt(1 - plummer_share * plummer_share) : 1; }

/// Binomial coefficient (n over k), k <= 4.
static double binomial(int n, int k) {
  double value = 1;
  for (int i = 1; i <= k; ++i) value *= static_cast<double>(n - k + i) / i;
  return value;
}

/// What a derivative along r of that order lacks at r = rho sigma, over that of 1/r. With Q_k = 1 - n[k] / (2k - 1)!!
/// of kernels/cores/cores.hpp: Q_0 = erfc, each next one more by a term of its series, and the derivative along r is a
/// sum of them.
static double gauss_lacks(int derivatives, double rho) {
  double q[4], term = std::sqrt(2 / std::numbers::pi) * rho * std::exp(-rho * rho / 2);
  q[0] = std::erfc(rho / std::numbers::sqrt2);
  for (int k = 1; k < 4; ++k, term *= rho * rho / (2 * k + 1)) q[k] = q[k - 1] + term;
  const double along[4] = {q[0], q[1], (3 * q[2] - q[1]) / 2, (5 * q[3] - 3 * q[2]) / 2};
  return along[derivatives];
}

/// Where all derivatives up to that order lack at most so much.
static double gauss_distance(int derivatives, double share) {
  double low = 0, high = gauss_reach;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    double most = 0;
    for (int k = 0; k <= derivatives; ++k) most = std::max(most, gauss_lacks(k, middle));
    (most > share ? low : high) = middle;
  }
  return high;
}

double least_box_edge(const Options& o, double tolerance, int exponent) {
  if (o.core != Core::none)
    return std::ldexp(traits(o.kernel).core_reach(o, plummer_share * std::min(tolerance, 1.0)), exponent);
  const double length = std::ldexp(o.softening, exponent);
  const double share = plummer_share * tolerance;
  const int derivatives = derivatives_of(o);
  switch (o.softening_kind) {
    case SofteningKind::spline:
      return spline_reach * length;
    case SofteningKind::gauss:
      return length * gauss_distance(derivatives, share);
    case SofteningKind::algebraic:
      return length * std::sqrt(std::sqrt(0.375 * binomial(derivatives + 4, 4) / share));
    case SofteningKind::plummer:
      break;
  }
  return length * std::sqrt(0.5 * binomial(derivatives + 2, 2) / share);
}

}  // namespace farfield

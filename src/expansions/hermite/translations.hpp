// Hermite-to-Taylor translation along one axis, and what a series of p terms lacks.
#pragma once
#include <cmath>
#include <cstddef>
#include <vector>

#include "expansions/hermite/functions.hpp"

namespace farfield::hermite {

/// From A of a box at 0 to B of a box at t: element (b, a) at [b * p + a] = (-1)^b sqrt(C(a + b, a)) psi_(a+b)(t).
inline std::vector<double> to_taylor(int p, double t) {
  std::vector<long double> psi;
  long double before = 0, now = std::exp(-static_cast<long double>(t) * t);
  for (int n = 0; n < 2 * p - 1; ++n) {
    psi.push_back(now);
    const long double next =
        std::sqrt(2.0L / (n + 1)) * t * now - std::sqrt(static_cast<long double>(n) / (n + 1)) * before;
    before = now, now = next;
  }
  std::vector<double> matrix;
  for (int b = 0; b < p; ++b) {
    long double over = 1;  // C(a + b, a)
    for (int a = 0; a < p; ++a) {
      const long double value = std::sqrt(over) * psi[static_cast<std::size_t>(a + b)];
      matrix.push_back(static_cast<double>(b % 2 ? -value : value));
      over *= static_cast<long double>(a + 1 + b) / (a + 1);
    }
  }
  return matrix;
}

/// Bound of what p terms along one axis lack of exp(-(s - t)^2), |t| <= r: sum over n >= p of 1.09 |chi_n(r)| (Cramer's
/// inequality; Wan & Karniadakis 2006). Infinite where the terms do not fall yet.
inline double axis_bound(int p, double r) {
  double term = 1.09;
  for (int n = 1; n <= p; ++n) term *= r * std::sqrt(2.0 / n);
  const double ratio = r * std::sqrt(2.0 / (p + 1));
  return ratio < 1 ? term / (1 - ratio) : INFINITY;
}

/// The same for a Hermite series translated to a Taylor series, p terms each, of boxes with sides 2 r: the terms beyond
/// p of either, and those beyond p of both, sum over n >= 2p of 1.09 (2 sqrt2 r)^n / sqrt(n!) since sum C(n, a) = 2^n.
inline double translated_bound(int p, double r) { return 2 * axis_bound(p, r) + axis_bound(2 * p, 2 * r); }

/// The same for derivatives, in units of one over the bandwidth: sums of sqrt(n+1) times the terms from p - 1 on, since
/// the slope of psi_n is sqrt(2 (n+1)) psi_(n+1) and that of chi_n sqrt(2 n) chi_(n-1).
inline double slope_bound(int p, double r) {
  const auto tail = [](int first, double half) {
    double term = 1.09;
    for (int n = 1; n <= first; ++n) term *= half * std::sqrt(2.0 / n);
    const double ratio = half * std::sqrt(2.0 / (first + 1)) * std::sqrt((first + 2.0) / (first + 1.0));
    return ratio < 1 ? term * std::sqrt(first + 1.0) / (1 - ratio) : INFINITY;
  };
  return 2 * tail(p - 1, r) + tail(2 * p - 1, 2 * r);
}

/// Along several axes, where the factors of a product are at most 1 and lack e each.
inline double product_bound(double e, int axes) { return axes * e * std::pow(1 + e, axes - 1); }

}  // namespace farfield::hermite

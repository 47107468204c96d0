// The virial of plans and what its error may be, for tests against the slow Ewald sums.
#pragma once
#include <numeric>

#include "periodic/cells.hpp"

namespace farfield::testing {

constexpr Axes all_axes{true, true, true}, no_axes{false, false, false};

inline Options with_virial(const Rows& cell, const Axes& axes, double tolerance) {
  Options o = in_cell(cell, axes, tolerance);
  o.virial = true, o.gradient = false;
  return o;
}

/// Of a symmetric matrix.
inline double norm(const Six& w) {
  Real sum = 0;
  for (int s = 0; s < 6; ++s) sum += (s < 3 ? 1 : 2) * w[s] * w[s];
  return static_cast<double>(std::sqrt(sum));
}
inline Six less(const std::vector<double>& found, const Six& expected) {
  Six d;
  for (std::size_t s = 0; s < 6; ++s) d[s] = found[s] - expected[s];
  return d;
}
inline Six wide(const std::vector<double>& w) { return less(w, {}); }

inline double length_of(const std::vector<double>& values) {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

/// How far apart points of the cell may be, at most.
inline double reach_of(const std::vector<Vec>& x, const Rows& cell, const Axes& axes) {
  Real reach = 0;
  for (std::size_t i = 0; i < 3; ++i)
    if (axes[i]) reach += std::hypot(cell[i][0], cell[i][1], cell[i][2]);
  if (axes == all_axes) return static_cast<double>(reach);
  Vec low = x[0], high = x[0];
  for (const Vec& p : x)
    for (std::size_t a = 0; a < 3; ++a) low[a] = std::min(low[a], p[a]), high[a] = std::max(high[a], p[a]);
  const Vec extent = sum(high, low, -1);
  return static_cast<double>(reach + std::sqrt(dot(extent, extent)));
}

/// What the virial may err, over the tolerance: |q| (|potential| + reach |gradient|) / 2, L2 norms.
inline double promise_of(const PeriodicSums& exact, const std::vector<double>& q, double reach) {
  Real charge = 0, potential = 0, gradient = 0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    charge += q[i] * q[i], potential += exact.potential[i] * exact.potential[i];
    gradient += dot(exact.force[i], exact.force[i]) / (q[i] * q[i]);
  }
  return static_cast<double>(std::sqrt(charge) * (std::sqrt(potential) + reach * std::sqrt(gradient)) / 2);
}

}  // namespace farfield::testing

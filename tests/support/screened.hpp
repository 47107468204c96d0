// Direct sums of exp(-kappa r)/r in long double, and options of kernel yukawa3d.
#pragma once
#include <limits>
#include <map>

#include "support/measure.hpp"

namespace farfield::testing {

inline PointSum screened_sum_at(const Cloud& c, const double* x, long double kappa) {
  PointSum s;
  for (std::size_t j = 0; j < c.strengths.size(); ++j) {
    const double* y = &c.sources[3 * j];
    const long double d[3] = {(long double)x[0] - y[0], (long double)x[1] - y[1], (long double)x[2] - y[2]};
    const long double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], r = std::sqrt(r2);
    if (r2 == 0) continue;  // coincident pairs contribute nothing
    const long double w = c.strengths[j] * std::exp(-kappa * r) / r, w3 = w * (1 + kappa * r) / r2;
    s.u += w;
    for (int a = 0; a < 3; ++a) s.g[a] -= w3 * d[a];
    s.abs_u += std::fabs(w);
    s.abs_g += std::fabs(w3) * r;
  }
  return s;
}

/// Computed once per label and kappa in a process, as exact().
inline const Exact& screened_exact(const Cloud& cloud, double kappa) {
  static std::map<std::pair<std::string, double>, Exact> known;
  const auto count = static_cast<std::int64_t>(cloud.where().size() / 3);
  Exact& e = known[{cloud.label, kappa}];
  if (!e.targets.empty() || count == 0) return e;
  e.targets = sample_of(count, count <= all_targets_up_to ? count : sampled_targets);
  const std::size_t n = e.targets.size();
  e.potential.resize(n), e.potential_magnitude.resize(n), e.gradient.resize(3 * n), e.gradient_magnitude.resize(n);
#pragma omp parallel for schedule(dynamic, 8)
  for (std::size_t k = 0; k < n; ++k) {
    PointSum s = screened_sum_at(cloud, &cloud.where()[3 * static_cast<std::size_t>(e.targets[k])], kappa);
    if (std::fabs(s.u) < std::numeric_limits<double>::min()) s = {};  // 0 in double
    e.potential[k] = s.u, e.potential_magnitude[k] = s.abs_u, e.gradient_magnitude[k] = s.abs_g;
    for (std::size_t a = 0; a < 3; ++a) e.gradient[3 * k + a] = s.g[a];
  }
  return e;
}

/// The largest side of the box around all points.
inline double extent_of(const Cloud& cloud) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, largest = 0;
  for (const std::vector<double>* points : {&cloud.sources, &cloud.targets})
    for (std::size_t i = 0; i < points->size(); ++i) {
      low[i % 3] = std::min(low[i % 3], (*points)[i]);
      high[i % 3] = std::max(high[i % 3], (*points)[i]);
    }
  for (int a = 0; a < 3; ++a) largest = std::max(largest, high[a] - low[a]);
  return largest;
}

inline Outcome measure_screened(const Cloud& cloud, Options options) {
  const Result<double> result = make_plan(cloud, options).evaluate(cloud.strengths);
  const Exact& truth = screened_exact(cloud, options.kappa);
  Outcome o;
  o.potential = relative_error(result.potential, truth.potential, truth.targets, 1);
  if (options.gradient) o.gradient = relative_error(result.gradient, truth.gradient, truth.targets, 3);
  o.report = result.report;
  return o;
}

inline Options screened_options(double kappa, double tolerance, Precision precision = Precision::automatic) {
  Options o = fmm_options(tolerance, precision);
  o.kernel = Kernel::yukawa3d;
  o.kappa = kappa;
  return o;
}

}  // namespace farfield::testing

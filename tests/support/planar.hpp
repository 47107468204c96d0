// Clouds of the plane, and direct sums of -log r in long double.
#pragma once
#include <map>

#include "support/measure.hpp"

namespace farfield::testing {

/// A cloud laid flat at z = 0.25; points that then coincide stay.
inline void lay_flat(Cloud& cloud) {
  for (std::vector<double>* points : {&cloud.sources, &cloud.targets})
    for (std::size_t i = 2; i < points->size(); i += 3) (*points)[i] = 0.25;
}
inline Cloud flat_cloud(Kind kind, std::int64_t count, Signs signs, unsigned seed = 1) {
  Cloud cloud = make_cloud(kind, count, signs, seed);
  lay_flat(cloud);
  cloud.label += "/flat";
  return cloud;
}

inline PointSum planar_sum_at(const Cloud& c, const double* x) {
  PointSum s;
  for (std::size_t j = 0; j < c.strengths.size(); ++j) {
    const long double d[2] = {(long double)x[0] - c.sources[3 * j], (long double)x[1] - c.sources[3 * j + 1]};
    const long double r2 = d[0] * d[0] + d[1] * d[1], q = c.strengths[j];
    if (r2 == 0) continue;  // coincident pairs contribute nothing
    s.u -= q * std::log(r2) / 2;
    for (int a = 0; a < 2; ++a) s.g[a] -= q * d[a] / r2;
    s.abs_u += std::fabs(q * std::log(r2) / 2);
    s.abs_g += std::fabs(q) / std::sqrt(r2);
  }
  return s;
}

/// Computed once per label in a process, as exact().
inline const Exact& planar_exact(const Cloud& cloud) {
  static std::map<std::string, Exact> known;
  const auto count = static_cast<std::int64_t>(cloud.where().size() / 3);
  if (!known.contains(cloud.label)) {
    const auto targets = sample_of(count, count <= all_targets_up_to ? count : sampled_targets);
    known[cloud.label] = sum_directly(cloud, targets, planar_sum_at);
  }
  return known[cloud.label];
}

inline Outcome measure_flat(const Cloud& cloud, Options options) {
  const Result<double> result = make_plan(cloud, options).evaluate(cloud.strengths);
  const Exact& truth = planar_exact(cloud);
  Outcome o;
  o.potential = relative_error(result.potential, truth.potential, truth.targets, 1);
  if (options.gradient) o.gradient = relative_error(result.gradient, truth.gradient, truth.targets, 3);
  o.report = result.report;
  return o;
}

inline Options flat_options(double tolerance, Precision precision = Precision::automatic) {
  Options o = fmm_options(tolerance, precision);
  o.kernel = Kernel::laplace2d;
  return o;
}

}  // namespace farfield::testing

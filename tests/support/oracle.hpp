// The oracle: a direct sum in long double that shares nothing with the library, and the norm of the promise.
#pragma once
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "support/clouds.hpp"

namespace farfield::testing {

/// Exact values at some targets. `magnitude` is the same sum of absolute values, for bounds on rounding.
struct Exact {
  std::vector<std::int64_t> targets;
  std::vector<long double> potential, gradient, potential_magnitude, gradient_magnitude;
};

struct PointSum {
  long double u = 0, g[3] = {0, 0, 0}, abs_u = 0, abs_g = 0;
};

inline PointSum sum_at(const Cloud& c, const double* x) {
  PointSum s;
  for (std::size_t j = 0; j < c.strengths.size(); ++j) {
    const double* y = &c.sources[3 * j];
    const long double d[3] = {(long double)x[0] - y[0], (long double)x[1] - y[1], (long double)x[2] - y[2]};
    const long double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (r2 == 0) continue;  // coincident pairs contribute nothing
    const long double w = c.strengths[j] / std::sqrt(r2), w3 = w / r2;
    s.u += w;
    for (int a = 0; a < 3; ++a) s.g[a] -= w3 * d[a];
    s.abs_u += std::fabs(w);
    s.abs_g += std::fabs(w) / std::sqrt(r2);
  }
  return s;
}

inline constexpr std::int64_t all_targets_up_to = 10'000, sampled_targets = 2'000;

/// All targets of small sets, 2000 random ones of large sets (seed: that of the cloud's own stream does not matter).
inline std::vector<std::int64_t> sample_of(std::int64_t count, std::int64_t most) {
  std::vector<std::int64_t> targets;
  Stream random(20'261);
  for (std::int64_t i = 0; i < std::min(count, most); ++i) targets.push_back(count <= most ? i : random.below(count));
  return targets;
}

/// `at(cloud, x)` sums at one point.
template <class At>
Exact sum_directly(const Cloud& cloud, const std::vector<std::int64_t>& targets, At&& at) {
  Exact e;
  const std::size_t n = targets.size();
  e.targets = targets;
  e.potential.resize(n), e.potential_magnitude.resize(n), e.gradient.resize(3 * n), e.gradient_magnitude.resize(n);
#pragma omp parallel for schedule(dynamic, 8)
  for (std::size_t k = 0; k < n; ++k) {
    const PointSum s = at(cloud, &cloud.where()[3 * static_cast<std::size_t>(targets[k])]);
    e.potential[k] = s.u, e.potential_magnitude[k] = s.abs_u, e.gradient_magnitude[k] = s.abs_g;
    for (std::size_t a = 0; a < 3; ++a) e.gradient[3 * k + a] = s.g[a];
  }
  return e;
}

/// Computed once per label in a process; `most` 0 means the rule for the cloud's size.
inline const Exact& exact(const Cloud& cloud, std::int64_t most = 0) {
  static std::map<std::string, Exact> known;
  const auto count = static_cast<std::int64_t>(cloud.where().size() / 3);
  if (most == 0) most = count <= all_targets_up_to ? count : sampled_targets;
  const std::string key = cloud.label + "/" + std::to_string(most);
  if (!known.contains(key)) known[key] = sum_directly(cloud, sample_of(count, most), sum_at);
  return known[key];
}

/// Of all results from others, relative to these, L2.
inline double relative_difference(const std::vector<double>& computed, const std::vector<double>& expected) {
  long double squares = 0, size = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const long double difference = static_cast<long double>(computed[i]) - expected[i];
    squares += difference * difference, size += static_cast<long double>(expected[i]) * expected[i];
  }
  return size > 0 ? static_cast<double>(std::sqrt(squares / size)) : squares > 0 ? INFINITY : 0;
}

/// The promise's norm: squared error over the sample, scaled up, against the norm of the COMPUTED result over all
/// targets. `width` components per target: 1 potential, 3 gradient.
template <class T>
double relative_error(const std::vector<T>& computed, const std::vector<long double>& truth,
                      const std::vector<std::int64_t>& targets, std::size_t width) {
  long double squared = 0, all = 0;
  for (std::size_t k = 0; k < targets.size(); ++k)
    for (std::size_t a = 0; a < width; ++a) {
      const long double d = computed[width * static_cast<std::size_t>(targets[k]) + a] - truth[width * k + a];
      squared += d * d;
    }
  for (const T value : computed) all += (long double)value * value;
  if (squared == 0) return 0;
  squared *= (long double)(computed.size() / width) / (long double)targets.size();
  return static_cast<double>(std::sqrt(squared / all));  // nan and infinity fail every comparison
}

}  // namespace farfield::testing

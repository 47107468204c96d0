#include "plan/check.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace farfield {

/// Sources [begin, end); blocks keep rounding far below any tolerance that double can promise.
template <class Real>
static void add_block(const CheckInput<Real>& in, const double x[3], std::int64_t begin, std::int64_t end,
                      DirectSum& sum) {
  double u = 0, gx = 0, gy = 0, gz = 0, abs_u = 0, abs_g = 0;
#pragma omp simd reduction(+ : u, gx, gy, gz, abs_u, abs_g)
  for (std::int64_t j = begin; j < end; ++j) {
    const double dx = x[0] - in.source[0][j], dy = x[1] - in.source[1][j], dz = x[2] - in.source[2][j];
    const double r2 = dx * dx + dy * dy + dz * dz;
    const double inverse = r2 > 0 ? 1 / std::sqrt(r2) : 0.0;
    const double w = in.strength[j] * inverse, w3 = w * inverse * inverse;
    u += w;
    gx -= w3 * dx, gy -= w3 * dy, gz -= w3 * dz;
    abs_u += std::fabs(w);
    abs_g += std::fabs(w) * inverse;
  }
  sum.u += u, sum.gx += gx, sum.gy += gy, sum.gz += gz, sum.abs_u += abs_u, sum.abs_g += abs_g;
}

/// The same with softening; coincident sources contribute to the potential. None of [begin, end) is the target itself.
template <class Real>
static void add_softened_block(const CheckInput<Real>& in, const double x[3], std::int64_t begin, std::int64_t end,
                               DirectSum& sum) {
  const double square = in.softening * in.softening, at_no_distance = 1 / in.softening;  // the square may underflow
  double u = 0, gx = 0, gy = 0, gz = 0, abs_u = 0, abs_g = 0;
#pragma omp simd reduction(+ : u, gx, gy, gz, abs_u, abs_g)
  for (std::int64_t j = begin; j < end; ++j) {
    const double dx = x[0] - in.source[0][j], dy = x[1] - in.source[1][j], dz = x[2] - in.source[2][j];
    const double r2 = dx * dx + dy * dy + dz * dz;
    const double inverse = r2 > 0 ? 1 / std::sqrt(r2 + square) : 0.0;
    const double w = in.strength[j] * (r2 > 0 ? inverse : at_no_distance);
    const double w3 = in.strength[j] * inverse * inverse * inverse;
    u += w;
    gx -= w3 * dx, gy -= w3 * dy, gz -= w3 * dz;
    abs_u += std::fabs(w);
    abs_g += std::fabs(w3) * std::sqrt(r2);
  }
  sum.u += u, sum.gx += gx, sum.gy += gy, sum.gz += gz, sum.abs_u += abs_u, sum.abs_g += abs_g;
}

template <class Real>
static DirectSum softened_sum_at(const CheckInput<Real>& in, std::int64_t target) {
  const double x[3] = {in.target[0][target], in.target[1][target], in.target[2][target]};
  const std::int64_t self = target >= in.self_from ? target - in.self_from : in.sources;
  DirectSum sum;
  for (std::int64_t j = 0; j < self; j += 512) add_softened_block(in, x, j, std::min(j + 512, self), sum);
  for (std::int64_t j = self + 1; j < in.sources; j += 512)
    add_softened_block(in, x, j, std::min(j + 512, in.sources), sum);
  return sum;
}

template <class Real>
static DirectSum direct_sum_at(const CheckInput<Real>& in, std::int64_t target) {
  if (in.softening > 0) return softened_sum_at(in, target);
  const double x[3] = {in.target[0][target], in.target[1][target], in.target[2][target]};
  DirectSum sum;
  if (in.kernel == Kernel::count) {
    for (std::int64_t j = 0; j < in.sources; ++j) sum.u += in.strength[j], sum.abs_u += std::fabs(in.strength[j]);
    return sum;
  }
  for (std::int64_t j = 0; j < in.sources; j += 512) add_block(in, x, j, std::min(j + 512, in.sources), sum);
  return sum;
}

template <class Real>
static std::vector<DirectSum> direct_sums(const CheckInput<Real>& in, const std::vector<std::int64_t>& targets) {
  std::vector<DirectSum> sums(targets.size());
#pragma omp parallel for schedule(dynamic) num_threads(in.threads)
  for (std::size_t k = 0; k < targets.size(); ++k) sums[k] = direct_sum_at(in, targets[k]);
  return sums;
}

/// splitmix64: any seed gives well-mixed numbers, on every platform the same.
static std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

std::vector<std::int64_t> check_targets(std::int64_t count, std::int64_t samples, std::uint64_t seed) {
  std::vector<std::int64_t> chosen;
  for (std::int64_t i = 0; i < std::min(count, samples); ++i) chosen.push_back(i);
  if (samples < count)
    for (std::int64_t& i : chosen) i = static_cast<std::int64_t>(next_random(seed) % static_cast<std::uint64_t>(count));
  return chosen;
}

/// Squared norm over all targets of the computed arrays: the denominator of the promise (docs/accuracy.md).
template <class Real>
static double squared_norm(const Real* const* arrays, int width, std::int64_t count) {
  double sum = 0;  // one thread: the same bits for any number of them
  for (int a = 0; a < width; ++a)
    for (std::int64_t i = 0; i < count; ++i)
      sum += static_cast<double>(arrays[a][i]) * static_cast<double>(arrays[a][i]);
  return sum;
}

struct Errors {
  double norm = 0, median = 0, p95 = 0, max = 0;
};

/// Errors of `width` components per target (1: potential, 3: gradient) against `exact`.
template <class Real, class Exact>
static Errors errors_of(const Real* const* computed, int width, std::int64_t count,
                        const std::vector<std::int64_t>& targets, Exact&& exact) {
  std::vector<double> own;
  double squared = 0;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    double error = 0, size = 0;
    for (int a = 0; a < width; ++a) {
      const double e = exact(k, a), difference = static_cast<double>(computed[a][targets[k]]) - e;
      error += difference * difference;
      size += e * e;
    }
    squared += error;
    own.push_back(size > 0 ? std::sqrt(error / size) : (error > 0 ? INFINITY : 0.0));
  }
  std::sort(own.begin(), own.end());
  const auto at = [&](double share) {
    return own[static_cast<std::size_t>(share * static_cast<double>(own.size() - 1))];
  };
  const double up = static_cast<double>(count) / static_cast<double>(targets.size());
  const double all = squared_norm(computed, width, count);
  return {squared > 0 ? std::sqrt(squared * up / all) : 0.0, at(0.5), at(0.95), own.back()};
}

template <class Real>
ErrorReport errors(const CheckInput<Real>& in, const std::vector<std::int64_t>& targets,
                   const std::vector<DirectSum>& sums, std::uint64_t seed) {
  ErrorReport report;
  report.samples = static_cast<std::int64_t>(targets.size());
  report.seed = seed;
  if (in.potential && !targets.empty()) {
    const Errors e = errors_of(&in.potential, 1, in.targets, targets, [&](std::size_t k, int) { return sums[k].u; });
    report.potential = e.norm, report.potential_median = e.median;
    report.potential_p95 = e.p95, report.potential_max = e.max;
  }
  if (in.gradient[0] && !targets.empty()) {
    const Errors e = errors_of(in.gradient, 3, in.targets, targets, [&](std::size_t k, int axis) {
      return axis == 0 ? sums[k].gx : axis == 1 ? sums[k].gy : sums[k].gz;
    });
    report.gradient = e.norm, report.gradient_median = e.median;
    report.gradient_p95 = e.p95, report.gradient_max = e.max;
  }
  return report;
}

template <class Real>
ErrorReport check(const CheckInput<Real>& in, std::int64_t samples, std::uint64_t seed) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<std::int64_t> targets = check_targets(in.targets, samples, seed);
  ErrorReport report = errors(in, targets, direct_sums(in, targets), seed);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

std::vector<std::int64_t> condition_targets(std::int64_t count) {
  const std::int64_t spread = std::min<std::int64_t>(8, count);
  std::vector<std::int64_t> targets;
  for (std::int64_t k = 0; k < spread; ++k) targets.push_back((2 * k + 1) * count / (2 * spread));
  return targets;
}

/// From the squares of both sums. Terms that cancel entirely count as double's digits.
static double condition_from(double absolute, double sum) {
  return absolute > 0 ? std::sqrt(absolute / std::max(sum, 1e-32 * absolute)) : 1;
}

Condition condition_of(const std::vector<DirectSum>& sums) {
  double u = 0, g = 0, abs_u = 0, abs_g = 0;
  for (const DirectSum& s : sums) {
    u += s.u * s.u, abs_u += s.abs_u * s.abs_u;
    g += s.gx * s.gx + s.gy * s.gy + s.gz * s.gz, abs_g += s.abs_g * s.abs_g;
  }
  return {condition_from(abs_u, u), condition_from(abs_g, g)};
}

template <class Real>
Condition estimate_condition(const CheckInput<Real>& in) {
  return condition_of(direct_sums(in, condition_targets(in.targets)));
}

template ErrorReport errors<float>(const CheckInput<float>&, const std::vector<std::int64_t>&,
                                   const std::vector<DirectSum>&, std::uint64_t);
template ErrorReport errors<double>(const CheckInput<double>&, const std::vector<std::int64_t>&,
                                    const std::vector<DirectSum>&, std::uint64_t);
template ErrorReport check<float>(const CheckInput<float>&, std::int64_t, std::uint64_t);
template ErrorReport check<double>(const CheckInput<double>&, std::int64_t, std::uint64_t);
template Condition estimate_condition<float>(const CheckInput<float>&);
template Condition estimate_condition<double>(const CheckInput<double>&);

}  // namespace farfield

#include "judge/check.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "core/least_square.hpp"
#include "core/widest_vectors.hpp"

namespace farfield {

/// The pairs of [begin, end) that are nearer than that and do not coincide.
template <class Real>
static void add_near_pairs(const CheckInput<Real>& in, const double x[3], std::int64_t begin, std::int64_t end,
                           DirectSum& sum) {
  for (std::int64_t j = begin; j < end; ++j) {
    const double d[3] = {x[0] - in.source[0][j], x[1] - in.source[1][j], x[2] - in.source[2][j]};
    const double r = std::hypot(d[0], d[1], d[2]);
    if (!(r > 0) || r * r > least_square<double>) continue;
    const double w = in.strength[j] / r, g = w / r;
    sum.u += w;
    sum.gx -= g * (d[0] / r), sum.gy -= g * (d[1] / r), sum.gz -= g * (d[2] / r);
    sum.abs_u += std::fabs(w), sum.abs_g += std::fabs(g);
    sum.square_u += w * w, sum.square_g += g * g;
  }
}

/// Sums over `count` sources, eight times in every evaluation; returns whether some that do not coincide with x are
/// nearer than least_square<double>.
FARFIELD_WIDEST_VECTORS
static bool add_pairs(const double* xs, const double* ys, const double* zs, const double* q, std::int64_t count,
                      const double x[3], DirectSum& sum) {
  const double x0 = x[0], x1 = x[1], x2 = x[2];
  double u = 0, gx = 0, gy = 0, gz = 0, abs_u = 0, abs_g = 0, square_u = 0, square_g = 0, near = 0;
#pragma omp simd reduction(+ : u, gx, gy, gz, abs_u, abs_g, square_u, square_g, near)
  for (std::int64_t j = 0; j < count; ++j) {
    const double dx = x0 - xs[j], dy = x1 - ys[j], dz = x2 - zs[j];
    const double r2 = dx * dx + dy * dy + dz * dz;
    const double inverse = r2 > least_square<double> ? 1 / std::sqrt(r2) : 0.0;
    const double w = q[j] * inverse, g = w * inverse, w3 = g * inverse;
    u += w;
    gx -= w3 * dx, gy -= w3 * dy, gz -= w3 * dz;
    abs_u += std::fabs(w), abs_g += std::fabs(g);
    square_u += w * w, square_g += g * g;
    near += r2 > least_square<double> ? 0.0 : std::fabs(dx) + std::fabs(dy) + std::fabs(dz);
  }
  sum.u += u, sum.gx += gx, sum.gy += gy, sum.gz += gz;
  sum.abs_u += abs_u, sum.abs_g += abs_g, sum.square_u += square_u, sum.square_g += square_g;
  return near > 0;
}

/// Sources [begin, end); blocks keep rounding far below any tolerance that double can promise.
template <class Real>
static void add_block(const CheckInput<Real>& in, const double x[3], std::int64_t begin, std::int64_t end,
                      DirectSum& sum) {
  if (add_pairs(in.source[0] + begin, in.source[1] + begin, in.source[2] + begin, in.strength + begin, end - begin, x,
                sum))
    add_near_pairs(in, x, begin, end, sum);
}

/// The same with softening; coincident sources contribute to the potential. None of [begin, end) is the target itself.
template <class Real>
static void add_softened_block(const CheckInput<Real>& in, const double x[3], std::int64_t begin, std::int64_t end,
                               DirectSum& sum) {
  const double square = in.softening * in.softening, at_no_distance = 1 / in.softening;  // the square may underflow
  double u = 0, gx = 0, gy = 0, gz = 0, abs_u = 0, abs_g = 0, square_u = 0, square_g = 0;
#pragma omp simd reduction(+ : u, gx, gy, gz, abs_u, abs_g, square_u, square_g)
  for (std::int64_t j = begin; j < end; ++j) {
    const double dx = x[0] - in.source[0][j], dy = x[1] - in.source[1][j], dz = x[2] - in.source[2][j];
    const double r2 = dx * dx + dy * dy + dz * dz;
    const double inverse = r2 > 0 ? 1 / std::sqrt(r2 + square) : 0.0;
    const double w = in.strength[j] * (r2 > 0 ? inverse : at_no_distance);
    const double w3 = in.strength[j] * inverse * inverse * inverse, g = std::fabs(w3) * std::sqrt(r2);
    u += w;
    gx -= w3 * dx, gy -= w3 * dy, gz -= w3 * dz;
    abs_u += std::fabs(w), abs_g += g;
    square_u += w * w, square_g += g * g;
  }
  sum.u += u, sum.gx += gx, sum.gy += gy, sum.gz += gz;
  sum.abs_u += abs_u, sum.abs_g += abs_g, sum.square_u += square_u, sum.square_g += square_g;
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
std::vector<DirectSum> direct_sums(const CheckInput<Real>& in, const std::vector<std::int64_t>& targets) {
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

/// What the caller receives of a value: scaled, converted to his type, and brought back to the evaluator's units.
/// Infinite where it left the range of his type.
static double received(double value, const Factor& factor, Scalar scalar) {
  const double delivered = factor(value);
  const double kept = scalar == Scalar::float32 ? static_cast<double>(static_cast<float>(delivered)) : delivered;
  return std::isfinite(kept) ? factor.undo(kept) : INFINITY;
}

struct Errors {
  double norm = 0, median = 0, p95 = 0, max = 0;
};

/// No error is certain only where the difference is 0; one that is not a number is infinite, so that it never passes.
static double ratio(double error, double size) {
  if (error == 0) return 0;
  const double quotient = error / size;
  return quotient < INFINITY ? quotient : INFINITY;
}

/// Errors of `width` components per target (1: potential, 3: gradient) against `exact`. Relative to the largest value
/// in the sums, so that no square leaves the range of double.
template <class Real, class Exact>
static Errors errors_of(const Real* const* computed, int width, std::int64_t count, const Delivered& delivered,
                        const std::vector<std::int64_t>& targets, Exact&& exact) {
  const Norm& all = width == 1 ? delivered.norms.potential : delivered.norms.gradient;
  const Factor& factor = width == 1 ? delivered.potential : delivered.gradient;
  const double unit = all.largest > 0 && all.finite() ? all.largest : 1;
  std::vector<double> own;
  double squared = 0;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    double error = 0, size = 0;
    for (int a = 0; a < width; ++a) {
      const double e = exact(k, a) / unit;
      const double difference =
          received(static_cast<double>(computed[a][targets[k]]), factor, delivered.scalar) / unit - e;
      error += difference * difference;
      size += e * e;
    }
    squared += error;
    own.push_back(ratio(std::sqrt(error), std::sqrt(size)));
  }
  std::sort(own.begin(), own.end());
  const auto at = [&](double share) {
    return own[static_cast<std::size_t>(share * static_cast<double>(own.size() - 1))];
  };
  const double up = static_cast<double>(count) / static_cast<double>(targets.size());
  // Values that the sample does not hold may have left the caller's range, too.
  const bool in_range = all.finite() && std::isfinite(received(all.largest, factor, delivered.scalar));
  return {in_range ? ratio(std::sqrt(squared * up), all.l2 / unit) : INFINITY, at(0.5), at(0.95), own.back()};
}

template <class Real>
ErrorReport errors(const CheckInput<Real>& in, const Delivered& delivered, const std::vector<std::int64_t>& targets,
                   const std::vector<DirectSum>& sums, std::uint64_t seed) {
  ErrorReport report;
  report.samples = static_cast<std::int64_t>(targets.size());
  report.seed = seed;
  if (in.potential && !targets.empty()) {
    const Errors e =
        errors_of(&in.potential, 1, in.targets, delivered, targets, [&](std::size_t k, int) { return sums[k].u; });
    report.potential = e.norm, report.potential_median = e.median;
    report.potential_p95 = e.p95, report.potential_max = e.max;
  }
  if (in.gradient[0] && !targets.empty()) {
    const Errors e = errors_of(in.gradient, 3, in.targets, delivered, targets, [&](std::size_t k, int axis) {
      return axis == 0 ? sums[k].gx : axis == 1 ? sums[k].gy : sums[k].gz;
    });
    report.gradient = e.norm, report.gradient_median = e.median;
    report.gradient_p95 = e.p95, report.gradient_max = e.max;
  }
  return report;
}

template <class Real>
ErrorReport check(const CheckInput<Real>& in, const Delivered& delivered, std::int64_t samples, std::uint64_t seed) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<std::int64_t> targets = check_targets(in.targets, samples, seed);
  ErrorReport report = errors(in, delivered, targets, direct_sums(in, targets), seed);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

std::vector<std::int64_t> condition_targets(std::int64_t count) {
  const std::int64_t spread = std::min<std::int64_t>(8, count);
  std::vector<std::int64_t> targets;
  for (std::int64_t k = 0; k < spread; ++k) targets.push_back((2 * k + 1) * count / (2 * spread));
  return targets;
}

template <class Real>
std::vector<TermSums> condition_sums(const CheckInput<Real>& in) {
  std::vector<DirectSum> sums = direct_sums(in, condition_targets(in.targets));
  for (DirectSum& s : sums) s.result_u = s.u * s.u, s.result_g = s.gx * s.gx + s.gy * s.gy + s.gz * s.gz;
  return {sums.begin(), sums.end()};
}

#define FARFIELD_CHECK(Real)                                                                                     \
  template ErrorReport errors<Real>(const CheckInput<Real>&, const Delivered&, const std::vector<std::int64_t>&, \
                                    const std::vector<DirectSum>&, std::uint64_t);                               \
  template ErrorReport check<Real>(const CheckInput<Real>&, const Delivered&, std::int64_t, std::uint64_t);      \
  template std::vector<DirectSum> direct_sums<Real>(const CheckInput<Real>&, const std::vector<std::int64_t>&);  \
  template std::vector<TermSums> condition_sums<Real>(const CheckInput<Real>&);
FARFIELD_CHECK(float)
FARFIELD_CHECK(double)

}  // namespace farfield

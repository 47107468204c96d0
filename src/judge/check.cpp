#include "judge/check.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "judge/error_fields.hpp"

namespace farfield {

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

/// A value as the caller receives it: scaled and converted to his type, then brought back to the evaluator's units.
/// Infinite where the value left the range of his type.
static double received(double value, const Factor& factor, Scalar scalar) {
  const double delivered = factor(value);
  const double kept = scalar == Scalar::float32 ? static_cast<double>(static_cast<float>(delivered)) : delivered;
  return std::isfinite(kept) ? factor.undo(kept) : INFINITY;
}

struct Errors {
  double norm = 0, median = 0, p95 = 0, max = 0;
};

/// Relative error: 0 only where the difference is 0; infinite instead of not a number, so that it never passes.
static double ratio(double error, double size) {
  if (error == 0) return 0;
  const double quotient = error / size;
  return quotient < INFINITY ? quotient : INFINITY;
}

/// Errors of the parts of one order. All values are divided by the largest result before they are squared, so that no
/// square leaves the range of double.
template <class Real>
static Errors errors_of(const Computed<Real>& computed, int order, const Delivered& delivered,
                        const std::vector<std::int64_t>& targets, const std::vector<DirectSum>& exact) {
  const int first = first_of[order], end = first_of[order + 1];
  const Norm& all = delivered.norms.order[order];
  const Factor& factor = delivered.factor[first];
  const double fixed = delivered.unit[order];
  const double unit = fixed > 0 ? fixed : unit_of(all);
  std::vector<double> own;
  double squared = 0;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    double error = 0, size = 0;
    for (int part = first; part < end; ++part) {
      const double e = exact[k].part[part] / unit, value = static_cast<double>(computed.result.any(part)[targets[k]]);
      const double difference = received(value, factor, delivered.scalar) / unit - e;
      error += times_in_tensor(part) * difference * difference;
      size += times_in_tensor(part) * e * e;
    }
    squared += error;
    own.push_back(ratio(std::sqrt(error), fixed > 0 ? 1 : std::sqrt(size)));
  }
  std::sort(own.begin(), own.end());
  const auto at = [&](double share) {
    return own[static_cast<std::size_t>(share * static_cast<double>(own.size() - 1))];
  };
  const double up = static_cast<double>(computed.targets) / static_cast<double>(targets.size());
  // Values that the sample does not hold may have left the caller's range, too.
  const bool in_range = all.finite() && std::isfinite(received(all.largest, factor, delivered.scalar));
  const double norm = fixed > 0 ? std::sqrt(static_cast<double>(computed.targets)) : all.at_least() / unit;
  return {in_range ? ratio(std::sqrt(squared * up), norm) : INFINITY, at(0.5), at(0.95), own.back()};
}

template <class Real>
ErrorReport errors(const Computed<Real>& in, const Delivered& delivered, const std::vector<std::int64_t>& targets,
                   const std::vector<DirectSum>& sums, std::uint64_t seed) {
  ErrorReport report;
  report.samples = static_cast<std::int64_t>(targets.size());
  report.seed = seed;
  for (int order = 0; order < orders && !targets.empty(); ++order) {
    if (!in.result.any(first_of[order])) continue;
    const Errors e = errors_of(in, order, delivered, targets, sums);
    const ErrorFields& fields = error_fields[order];
    report.*fields.whole = e.norm, report.*fields.median = e.median, report.*fields.p95 = e.p95,
    report.*fields.max = e.max;
  }
  return report;
}

template <class Real>
ErrorReport check(const Computed<Real>& in, const Delivered& delivered, std::int64_t samples, std::uint64_t seed,
                  const SumsAt& sums_at) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<std::int64_t> targets = check_targets(in.targets, samples, seed);
  ErrorReport report = errors(in, delivered, targets, sums_at(targets), seed);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

std::vector<std::int64_t> condition_targets(std::int64_t count) {
  const std::int64_t spread = std::min<std::int64_t>(8, count);
  std::vector<std::int64_t> targets;
  for (std::int64_t k = 0; k < spread; ++k) targets.push_back((2 * k + 1) * count / (2 * spread));
  return targets;
}

std::vector<TermSums> term_sums(std::vector<DirectSum> sums) {
  for (DirectSum& s : sums)
    for (int part = 0; part < most_parts; ++part) {
      s.result[order_of(part)] += times_in_tensor(part) * s.part[part] * s.part[part];
      s.lacking[order_of(part)] += times_in_tensor(part) * s.missing[part] * s.missing[part];
    }
  return {sums.begin(), sums.end()};
}

std::vector<TermSums> condition_sums(std::int64_t count, const SumsAt& sums_at) {
  return term_sums(sums_at(condition_targets(count)));
}

#define FARFIELD_CHECK(Real)                                                                                   \
  template ErrorReport errors<Real>(const Computed<Real>&, const Delivered&, const std::vector<std::int64_t>&, \
                                    const std::vector<DirectSum>&, std::uint64_t);                             \
  template ErrorReport check<Real>(const Computed<Real>&, const Delivered&, std::int64_t, std::uint64_t, const SumsAt&);
FARFIELD_CHECK(float)
FARFIELD_CHECK(double)

}  // namespace farfield

#include "judge/quality.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "judge/error_fields.hpp"
#include "judge/norms.hpp"
#include "kernels/traits.hpp"
#include "model/error_model.hpp"

namespace farfield {

bool Norm::finite() const { return std::isfinite(l2) && std::isfinite(largest); }

double StrengthRange::scaled_least() const { return std::ldexp(least, -exponent); }

bool loses_strengths(const StrengthRange& range, Precision precision, double least_coordinate, const Norms& norms) {
  if (range.least == 0) return false;
  if (precision == Precision::single_) return range.scaled_least() < 0x1p-126;
  return range.scaled_least() < 0x1p-1022 && (least_coordinate < 0x1p-400 || norms.order[0].largest < 0x1p-900);
}

double Norm::at_least() const { return std::max(l2, largest); }

double unit_of(const Norm& norm) { return norm.largest > 0 && norm.finite() ? norm.largest : 1; }

void distrust(ErrorReport& check) {
  for (const ErrorFields& fields : error_fields) check.*fields.whole = check.*fields.max = INFINITY;
}

template <class Real>
Norms norms_of(const Computed<Real>& computed, int threads) {
  return norms_with(computed.result, [&]<class Sum>(Sum, PartRange range) {
    const std::int64_t count = computed.targets;
    std::vector<NormPart<Sum>> parts(static_cast<std::size_t>((count + norm_grain - 1) / norm_grain));
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::size_t c = 0; c < parts.size(); ++c) {
      const std::int64_t begin = static_cast<std::int64_t>(c) * norm_grain;
      parts[c] = norm_part<Sum>(computed.result, range, begin, std::min(count, begin + norm_grain));
    }
    return norm_from(parts);
  });
}

template Norms norms_of<float>(const Computed<float>&, int);
template Norms norms_of<double>(const Computed<double>&, int);

/// Root of a sum of squares over a sample, scaled up to all targets, divided by a norm: at most double's digits, as for
/// results that cancel entirely; `otherwise` where the sum is 0.
static double over_norm(double squares, double scale_up, double norm, double otherwise) {
  const double all = std::sqrt(squares * scale_up);
  constexpr double digits = 1e16;
  if (!(all > 0)) return otherwise;
  return all < INFINITY ? std::min(digits, all / norm) : digits;
}

/// By how much errors of single pairs are enlarged: the terms' squares over the results', at all targets or, where that
/// ratio is smaller, at the probes alone, since a probe in the core of a cluster does not stand for all targets.
static double enlarged(double squares, double results, double up, double norm) {
  const double over_all = over_norm(squares, up, norm, 0);
  return results > 0 ? std::min(over_all, std::sqrt(squares / results)) : over_all;
}

Quality quality_of(const std::vector<TermSums>& probes, const Norms& norms, std::int64_t sources, std::int64_t targets,
                   const Truncation& truncated, double safety) {
  Quality q;
  q.norms = norms;
  q.pairs = static_cast<double>(sources) * static_cast<double>(targets);
  if (probes.empty()) return q;
  TermSums sum;  // of squares; absolute values are first divided by the largest result
  for (const TermSums& p : probes)
    for (int k = 0; k < orders; ++k) {
      const double absolute = p.absolute[k] / unit_of(norms.order[k]);
      sum.absolute[k] += absolute * absolute;
      sum.square[k] += p.square[k], sum.result[k] += p.result[k], sum.lacking[k] += p.lacking[k];
    }
  const double up = static_cast<double>(targets) / static_cast<double>(probes.size());
  Truncation unsoftened;
  for (int k = 0; k < orders; ++k) {
    unsoftened.order[k] = up * sum.lacking[k];
    if (!norms.has(k)) continue;
    const Norm& norm = norms.order[k];
    q.condition[k] = std::max(1.0, over_norm(sum.absolute[k], up, norm.at_least() / unit_of(norm), 1));
    if (norms.counts(k)) q.terms = std::max(q.terms, enlarged(sum.square[k], sum.result[k], up, norm.l2));
  }
  q.truncation = safety * lost_by(truncated, norms);
  constexpr double of_probes = 2;  // they are few
  q.unsoftened = of_probes * lost_by(unsoftened, norms);
  return q;
}

double lost_by(const Truncation& squares, const Norms& norms) {
  double lost = 0;
  for (int k = 0; k < orders; ++k)
    if (norms.counts(k)) lost = std::max(lost, over_norm(squares.order[k], 1, norms.order[k].l2, 0));
  return lost;
}

static bool is_estimated(const Decision& d) { return d.promised && d.expands() && traits(d.kernel).truncates; }

void distrust_underflow(Quality& q, const Decision& ran) {
  if (is_estimated(ran) && q.norms.order[0].largest > 0 && q.norms.order[0].largest < 0x1p-400) q.truncation = INFINITY;
}

/// Where the tolerance is near the precision's floor, a measurement would take rounding for truncation.
static bool rounding_is_small(const Decision& d) { return d.tolerance >= 4 * reachable_tolerance(d.precision); }

static constexpr std::int64_t enough = 5'000;  ///< translations for a sample, or a mean over boxes, to stand for all
/// The same for targets apart from the sources, the outermost of which stand in corners: vortices outside of their
/// targets erred 2.8 times the bare estimate at about 5,000 translations.
static constexpr std::int64_t enough_apart = 20'000;

/// A GPU's direct sums at so many take 0.2 to 0.7 ms.
static std::int64_t some_targets(std::int64_t sources) {
  return std::clamp<std::int64_t>((1 << 27) / std::max<std::int64_t>(1, sources), 16, 128);
}

std::int64_t measured_targets(const Decision& d, std::int64_t sources, std::int64_t targets,
                              std::int64_t translations) {
  constexpr std::int64_t few = 64;
  constexpr double cheap = 4e7, cheaper = 4e6;  // pairs; 40 and 4 milliseconds of one core
  if (!is_estimated(d)) return 0;
  if (targets <= few) return targets;
  const double pairs = static_cast<double>(sources) * static_cast<double>(targets);
  const bool few_targets = 16 * targets <= sources && pairs <= cheap;
  const bool few_sources = 16 * sources <= targets && pairs <= cheaper;
  // a GPU measures no drawn targets: all of them, or evenly spread ones. 1.5e9 pairs take 2 ms.
  const bool on_gpu = d.backend == Backend::cuda && (translations < (d.apart ? enough_apart : enough) || d.in_planes) &&
                      pairs <= (d.apart ? 1.5e9 : cheaper);
  if ((few_targets || few_sources || on_gpu) && rounding_is_small(d)) return targets;
  return d.in_planes ? some_targets(sources) : 0;
}

std::int64_t worth_measuring(const Decision& d, const Quality& q, std::int64_t targets, std::int64_t translations) {
  constexpr double all_pairs = 1e6;  // a millisecond
  const double safety = truncation_safety(d, translations);
  if (!is_estimated(d) || !q.norms.finite()) return 0;
  if (d.apart && translations < enough && rounding_is_small(d)) return 256;
  // A lattice among other points erred 2.2 times the bare estimate of 2,854 translations, whose safety is 1.8.
  const double doubtful = translations < enough ? 0.8 : d.apart && translations < enough_apart ? 0.5 : 1;
  const bool unclear = q.truncation > doubtful * d.tolerance && q.truncation / safety < 0.8 * d.tolerance;
  if (!unclear) return 0;
  if (q.pairs <= all_pairs) return targets;
  return q.pairs < 1e9 ? 256 : 128;
}

static constexpr double of_a_sample = 1.5;  ///< room for what a sample does not hold

void measured(Quality& quality, const ErrorReport& error) {
  const double potential = quality.norms.counts(0) ? error.potential : 0;
  quality.truncation = of_a_sample * std::max({potential, error.gradient, error.hessian});
}

std::int64_t FittedExcess::targets(const Decision& d, const Quality& q, std::int64_t sources, std::int64_t targets,
                                   std::int64_t translations) {
  estimate_ = q.truncation;
  const std::int64_t asked = measured_targets(d, sources, targets, translations);
  const bool rests_on_fit = q.truncation * fitted_gain(d.kernel, d.fits(), d.degree) > d.tolerance;
  is_measured_ = asked > 0;
  looks_ = !is_measured_ && d.fits() && (rests_on_fit || d.coarse_operands) && is_estimated(d) && excess_ == 0;
  return looks_ ? std::min(targets, some_targets(sources)) : asked;
}

void FittedExcess::apply(const Decision& d, Quality& q) {
  if (is_measured_ || !d.fits()) return;
  if (looks_) excess_ = estimate_ > 0 ? std::max(1.0, q.truncation / estimate_) : 1;
  if (excess_ > 0) q.truncation = excess_ * estimate_, q.excess = excess_;
}

template <class Real>
void measure(Quality& quality, const Computed<Real>& in, const std::vector<DrawnTarget>& drawn, const SumsAt& sums_at) {
  std::vector<std::int64_t> targets;
  for (const DrawnTarget& d : drawn) targets.push_back(d.target);
  const std::vector<DirectSum> exact = sums_at(targets);
  Truncation squares;
  for (std::size_t k = 0; k < drawn.size(); ++k) {
    Truncation own;
    for (int part = first_part(in.result.parts()); part < end_part(in.result.parts()); ++part) {
      const double difference = static_cast<double>(in.result.any(part)[targets[k]]) - exact[k].part[part];
      own.order[order_of(part)] += times_in_tensor(part) * drawn[k].times * difference * difference;
    }
    squares += own;
  }
  quality.truncation = of_a_sample * lost_by(squares, quality.norms);
}

template void measure<float>(Quality&, const Computed<float>&, const std::vector<DrawnTarget>&, const SumsAt&);
template void measure<double>(Quality&, const Computed<double>&, const std::vector<DrawnTarget>&, const SumsAt&);

}  // namespace farfield

#include "distributed/evaluation/judge.hpp"

#include <numeric>
#include <utility>

#include "distributed/judging/norms.hpp"
#include "distributed/judging/truncation.hpp"

namespace farfield::distributed {

/// Results at targets of some numbers, on all ranks.
template <class Real>
struct ResultsAt {
  std::vector<Real> part[most_parts];
  ResultArrays<Real> result;
  std::vector<std::int64_t> place;  ///< of these targets here

  ResultsAt(const RankPlaced& placed, const ResultArrays<Real>& results, const std::vector<std::int64_t>& at)
      : place(at.size()) {
    for (int p = first_part(results.parts()); p < end_part(results.parts()); ++p) {
      part[p] =
          from_owners<Real>(*placed.ranks, placed.share->own, at, [&](std::int64_t i) { return results.any(p)[i]; });
      result.part[p] = part[p].data();
    }
    std::iota(place.begin(), place.end(), 0);
  }
};

template <class Real>
static void measure_error(Quality& quality, const Judged<Real>& j, std::int64_t samples, const SumsAt& sums_at) {
  std::vector<DrawnTarget> drawn =
      draw_targets(*j.placed.ranks, *j.placed.judged, *j.placed.share, j.expansions, j.power, samples, j.threads);
  std::vector<std::int64_t> at;
  for (DrawnTarget& one : drawn) at.push_back(std::exchange(one.target, std::ssize(at)));
  const ResultsAt<Real> results(j.placed, j.results, at);
  measure(quality, Computed<Real>{j.targets(), results.result}, drawn,
          [&](const std::vector<std::int64_t>&) { return sums_at(at); });
}

template <class Real>
Quality quality_over_ranks(const Judged<Real>& j, std::int64_t translations, const SumsAt& sums_at) {
  Ranks& ranks = *j.placed.ranks;
  const Decision& decision = j.decision;
  Norms norms = distributed::norms_of(ranks, j.placed.norm_pieces, j.results);
  norms.judged_from = decision.judged_from;
  if (traits(decision.kernel).bounded) return quality_of({}, norms, j.sources(), j.targets(), {}, 1);
  const std::vector<TermSums> probes = condition_sums(j.targets(), sums_at);
  Truncation truncated;
  if (decision.promised)
    truncated = distributed::truncation(ranks, *j.placed.judged, *j.placed.share, j.expansions, j.power, j.threads);
  Quality quality =
      quality_of(probes, norms, j.sources(), j.targets(), truncated, truncation_safety(decision, translations));
  std::int64_t samples = measured_targets(decision, j.sources(), j.targets(), translations);
  if (samples == 0) samples = worth_measuring(decision, quality, j.targets(), translations);
  if (samples > 0) measure_error(quality, j, samples, sums_at);
  return ranks.all_gather(quality).front();
}

template <class Real>
ErrorReport errors_over_ranks(const Judged<Real>& j, const Delivered& delivered, const Delivery& delivery,
                              const SumsAt& sums_at) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<std::int64_t> at = check_targets(j.targets(), delivery.check, delivery.seed);
  const ResultsAt<Real> results(j.placed, j.results, at);
  ErrorReport report =
      errors(Computed<Real>{j.targets(), results.result}, delivered, results.place, sums_at(at), delivery.seed);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

template Quality quality_over_ranks(const Judged<float>&, std::int64_t, const SumsAt&);
template Quality quality_over_ranks(const Judged<double>&, std::int64_t, const SumsAt&);
template ErrorReport errors_over_ranks(const Judged<float>&, const Delivered&, const Delivery&, const SumsAt&);
template ErrorReport errors_over_ranks(const Judged<double>&, const Delivered&, const Delivery&, const SumsAt&);

}  // namespace farfield::distributed

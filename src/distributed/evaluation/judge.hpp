// Judge: what is known of the error of one vector's results, found by all ranks together (judging/).
#pragma once
#include "backends/sequence.hpp"
#include "distributed/evaluation/placed.hpp"
#include "judge/truncation.hpp"

namespace farfield::distributed {

/// What is judged. `power`: one number per box of the essential tree, for the truncation.
template <class Real>
struct Judged {
  const RankPlaced& placed;
  const Decision& decision;
  ResultArrays<Real> results;  ///< at this rank's own targets
  Expansions<Real> expansions;
  double* power;
  int threads;

  std::int64_t sources() const { return placed.geometry.sources; }
  std::int64_t targets() const { return placed.geometry.targets; }
};

/// The same on all ranks, of which the first one has the last word. `sums_at`: direct sums, not rounded to Real.
template <class Real>
Quality quality_over_ranks(const Judged<Real>& judged, std::int64_t translations, const SumsAt& sums_at);

/// The error measured at some targets, as the options ask.
template <class Real>
ErrorReport errors_over_ranks(const Judged<Real>& judged, const Delivered& delivered, const Delivery& delivery,
                              const SumsAt& sums_at);

}  // namespace farfield::distributed

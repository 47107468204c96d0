// The estimate of the truncation error (judge/truncation.hpp) over ranks, with the bits that one plan finds.
#pragma once
#include "distributed/judging/targets.hpp"
#include "judge/draw_targets.hpp"

namespace farfield::distributed {

/// Of expansions in the essential tree; `power`: one number per box of it.
template <class Real>
Truncation truncation(Ranks& ranks, const JudgedTree& tree, const Share& share, const Expansions<Real>& expansions,
                      double* power, int threads);

/// Targets at which the error is measured, on all ranks; `power`: as truncation() left it.
template <class Real>
std::vector<DrawnTarget> draw_targets(Ranks& ranks, const JudgedTree& tree, const Share& share,
                                      const Expansions<Real>& expansions, const double* power, std::int64_t most,
                                      int threads);

}  // namespace farfield::distributed

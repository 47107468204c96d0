// The norms of results (judge/norms.hpp) over ranks, with the bits that one plan finds.
#pragma once
#include "distributed/judging/aligned.hpp"
#include "judge/norms.hpp"

namespace farfield::distributed {

/// `result`: at this rank's own targets, its pieces of norm_grain `pieces`.
template <class Real>
Norms norms_of(Ranks& ranks, const Aligned& pieces, const ResultArrays<Real>& result);

}  // namespace farfield::distributed

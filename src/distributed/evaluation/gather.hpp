// Gather: strengths in the order of the trees, those of the rank's own sources and those of its ghosts.
#pragma once
#include "backends/sequence.hpp"
#include "distributed/evaluation/placed.hpp"

namespace farfield::distributed {

/// Of each vector over all ranks.
std::vector<StrengthRange> ranges_of_all(Ranks& ranks, const Strengths& strengths, int exponent, int threads);

/// Strengths of the own sources in the order of the tree, rounded to T only after their scaling.
template <class T>
std::vector<T> own_strengths(const RankPlaced& placed, const OneVector& v);

/// Strengths of all sources of the essential tree, `count` numbers: 0 in its gaps and behind its last source.
template <class Real>
void gather_strengths(const RankPlaced& placed, const OneVector& v, Real* strength, std::int64_t count);

}  // namespace farfield::distributed

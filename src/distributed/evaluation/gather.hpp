// Gather: strengths and dipoles in the order of the trees, those of the rank's own sources and those of its ghosts.
#pragma once
#include "backends/sequence.hpp"
#include "distributed/evaluation/placed.hpp"

namespace farfield::distributed {

/// Of each vector over all ranks, from those of this rank.
std::vector<StrengthRange> ranges_over_ranks(Ranks& ranks, const std::vector<StrengthRange>& own);
std::vector<StrengthRange> ranges_of_all(Ranks& ranks, const Strengths& strengths, int exponent, int threads);

/// What sources carry, by moments: charges, and components of dipoles (core/results.hpp).
template <class T>
using Moments = std::vector<std::vector<T>>;

/// Of the own sources in the order of the tree, rounded to T only after their scaling. No array is empty.
template <class T>
Moments<T> own_moments(const RankPlaced& placed, const OneVector& v);

/// Of all sources of the essential tree, an array for each moment, `count` numbers: 0 in its gaps and behind its last
/// source.
template <class Real>
void gather_moments(const RankPlaced& placed, const OneVector& v, const std::vector<Real*>& to, std::int64_t count);

/// Numbers of ghosts from their owners; `arrays`: of the sources of the essential tree, of which the own ones are
/// there.
template <class Real>
void fetch_ghosts(Ranks& ranks, const Share& share, const std::vector<Real*>& arrays);

inline int moments_of(const Strengths& strengths) { return strengths.dipoles ? with_dipole : 1; }

}  // namespace farfield::distributed

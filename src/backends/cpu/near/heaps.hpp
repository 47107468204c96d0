// Heaps: leaves of many points that all coincide. Where pairs at zero distance contribute nothing, the pairs within a
// heap need not be summed: 1e5 such points have 1e10 pairs, all of which would run in the slow loop for close pairs.
#pragma once
#include <cstdint>

#include "tree/tree.hpp"

namespace farfield::cpu {

/// Is the box a leaf of several hundred sources and as many targets, all of which coincide?
bool is_heap(const TreeView& tree, const double* const source[3], const double* const target[3], BoxId box);

/// Pairs within all heaps.
std::int64_t pairs_in_heaps(const TreeView& tree, const double* const source[3], const double* const target[3]);

}  // namespace farfield::cpu

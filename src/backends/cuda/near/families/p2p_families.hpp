// p2p of families: sibling leaves of few points whose near list holds exactly their colleagues, or these and all
// coarser leaves adjacent to their parent (work.hpp: Family).
#pragma once
#include "backends/cuda/work.hpp"

namespace farfield::cuda {

/// Most coarser leaves of a family.
inline constexpr int most_coarser = 32;

/// Adds the near field of all families; asynchronous.
template <class Kernel, class Real>
void p2p_families(const NearWork<Real>& work, unsigned blocks);

}  // namespace farfield::cuda

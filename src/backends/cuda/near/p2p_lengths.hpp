// p2p and the direct sum of points that have softening lengths of their own; of kernels that are softened.
#pragma once
#include "backends/cuda/work.hpp"

namespace farfield::cuda {

/// All leaves must be tiles. Overwrites the results where sources are targets, else adds to them; asynchronous.
template <class Kernel, class Real>
void p2p_with_lengths(const NearWork<Real>& work, unsigned blocks);
template <class Kernel, class Real>
void direct_with_lengths(const NearWork<Real>& work, std::int64_t sources, std::int64_t targets);

}  // namespace farfield::cuda

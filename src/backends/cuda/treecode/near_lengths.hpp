// p2p of a treecode whose points have softening lengths of their own; of kernels that are softened.
#pragma once
#include "backends/cuda/work.hpp"

namespace farfield::cuda {

template <class Kernel, class Real>
void walk_near_with_lengths(const NearWork<Real>& work);

}  // namespace farfield::cuda

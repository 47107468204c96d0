// p2p of families in the plane (p2p_families.hpp): the up to 4 x 4 leaves around a parent are staged row by row, so
// that a child's near sources lie in three runs (family_leaves.hpp); a warp per child sums them (child_sum.hpp). Beside
// families in space a third of the pairs per target: what a child costs beside them counts three times as much. Lanes
// hold two or four targets, whichever leaves fewer idle. (Up to six, in 128 registers: a quarter slower, fewer blocks
// being resident.)
// Cost with potential and gradient: 10 instructions and two of the special-function unit per pair (16 results per cycle
// and multiprocessor, the limit: 1.8e12 pairs/s on an H200); the gradient alone takes 7 and one.
#pragma once
#include "backends/cuda/planar/child_sum.hpp"
#include "backends/cuda/runtime/check.hpp"

namespace farfield::cuda::plane {

template <class Kernel, class Real, int parts, int n>
__device__ void sum_child_by(const NearWork<Real>& work, Shared<Real, parts>& shared, int from, int child) {
  ChildSum<Kernel, Real, parts, n> sum(work, shared, from, child);
  sum.sum();
  sum.deliver();
}

/// What a source costs a warp with n targets per lane, over the number of groups that share the sources.
template <int n>
__device__ float cost_of(int count) {
  const int units = (count + n - 1) / n;
  return units > 32 ? 1e30f : (n + 1.0f) / static_cast<float>(32 / units);
}

template <class Kernel, class Real, int parts>
__device__ void sum_child(const NearWork<Real>& work, Shared<Real, parts>& shared, int from, int child) {
  const int count = shared.around.targets[child];
  if (cost_of<2>(count) < cost_of<4>(count))
    sum_child_by<Kernel, Real, parts, 2>(work, shared, from, child);
  else
    sum_child_by<Kernel, Real, parts, 4>(work, shared, from, child);
}

/// Blocks of a multiprocessor. Of the gradient alone in single seven, whose cored pairs spill a few registers: 3.05 ms
/// of p2p at 2^24 instead of 3.46 with five; in double five are slower than four (5.3 instead of 4.8).
template <class Real, int parts>
inline constexpr int residents = sizeof(Real) == 8         ? 4
                                 : parts == gradient_alone ? 7
                                                           : 5;

template <class Kernel, class Real, int parts>
__global__ void __launch_bounds__(threads, residents<Real, parts>)
    families_kernel(const __grid_constant__ NearWork<Real> work) {
  __shared__ Shared<Real, parts> shared;
  const int child = static_cast<int>(threadIdx.x) / 32;
  for (std::int64_t f = blockIdx.x; f < *work.near.families; f += gridDim.x) {
    __syncthreads();
    shared.around.template find<Kernel>(work, work.near.family[f]);
    for (int from = 0; from < shared.around.sources(); from += room<Real>) {
      if (from > 0) __syncthreads();
      stage_sources_of(work, shared, from);
      __syncthreads();
      if (shared.around.targets[child] > 0) sum_child<Kernel, Real, parts>(work, shared, from, child);
    }
  }
}

template <class Kernel, class Real>
void p2p_families(const NearWork<Real>& work, unsigned blocks) {
  const auto kernel = with_core<Kernel>(work.parameters, [&]<class K>(std::type_identity<K>) {
    return with_pair_parts_of<K>(work.result.parts(), [](auto parts) { return &families_kernel<K, Real, parts()>; });
  });
  kernel<<<blocks, threads, 0, work.stream>>>(work);
  require_launch("p2p_families");
}

}  // namespace farfield::cuda::plane

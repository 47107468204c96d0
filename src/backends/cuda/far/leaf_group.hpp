// LeafGroup: consecutive leaves whose targets a block of l2p deals to consecutive threads.
#pragma once
#include "backends/cuda/far/fixed_degree.hpp"

namespace farfield::cuda {

/// What the threads of a block look up about its leaves.
template <class Real, int boxes>
struct LeafGroup {
  FlatRanges<boxes> targets;
  double centre[3][boxes], factor[boxes];
  Real scale[boxes];
};

template <class Kernel, class Real, int boxes>
__device__ std::uint32_t find_leaves(const TreeView& tree, std::int64_t first, LeafGroup<Real, boxes>& group) {
  __shared__ std::uint32_t total;
  if (threadIdx.x < warp) {
    const int lane = static_cast<int>(threadIdx.x);
    const std::int64_t at = first + lane;
    const auto box = static_cast<BoxId>(at);
    const bool leaf = lane < boxes && at < tree.boxes && tree.is_leaf(box);
    const std::uint32_t all =
        group.targets.fill(lane, leaf ? tree.target_begin[box] : 0, leaf ? tree.target_end[box] : 0);
    if (leaf) {
      const BoxFrame frame(tree, box);
      for (int axis = 0; axis < 3; ++axis) group.centre[axis][lane] = frame.centre[axis];
      group.factor[lane] = frame.factor;
      group.scale[lane] = static_cast<Real>(Kernel::Basis::potential_scale(1 / frame.factor));
    }
    if (lane == 0) total = all;
  }
  __syncthreads();
  return total;
}

}  // namespace farfield::cuda

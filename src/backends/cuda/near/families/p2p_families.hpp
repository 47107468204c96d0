// p2p of families: sibling leaves of few points whose near list holds exactly their colleagues, or these and all
// coarser leaves adjacent to their parent (work.hpp: Family).
#pragma once
#include "backends/cuda/work.hpp"

namespace farfield::cuda {

/// Most coarser leaves of a family.
inline constexpr int most_coarser = 32;

/// The i-th coarser leaf of a family, or no_box. They are stored at the start of the near row of every child in
/// `takers`, right after the child itself.
__device__ inline BoxId coarser_leaf(const TreeWork& work, const Family& family, int i) {
  if (family.takers == 0) return no_box;
  const BoxId child = work.tree.child(family.parent, __ffs(static_cast<int>(family.takers)) - 1);
  const ListView& near = work.lists.near;
  const std::int64_t first = near.begin[child] + (near.items[near.begin[child]] == child), at = first + i;
  const BoxId leaf = at < near.begin[child + 1] ? near.items[at] : no_box;
  return leaf != no_box && work.tree.level[leaf] < work.tree.level[child] ? leaf : no_box;
}

/// Adds the near field of all families; asynchronous.
template <class Kernel, class Real>
void p2p_families(const NearWork<Real>& work, unsigned blocks);

}  // namespace farfield::cuda

// What the block of a family in the plane stages: the leaves around a parent, found once, and their sources.
#pragma once
#include "backends/cuda/near/families/p2p_families.hpp"
#include "backends/cuda/planar/pairs.hpp"
#include "backends/cuda/planar/parents.hpp"

namespace farfield::cuda::plane {

inline constexpr int even = 16,
                     entries = even + most_coarser;  ///< leaves of the children's size, and with coarser ones
inline constexpr unsigned all_lanes = ~0u;
inline constexpr int threads = planar_threads, warps = threads / 32;
template <class Real>
inline constexpr int room = sizeof(Real) == 4 ? 768 : 512;  ///< sources that are staged at a time
inline constexpr int most_of_lane = 4;

/// The leaves around a parent, in shared memory: entry 4 y + x is the leaf at (x - 1, y - 1) from the parent's corner.
template <class Real>
struct Leaves {
  std::uint32_t begin[entries];  ///< first source of every leaf
  int offset[entries + 1];       ///< where that source would be staged, were there room for all
  std::int64_t target_begin[4];  ///< of the children
  int targets[4];
  int sum;  ///< sources in the entries of the first warp
  unsigned takers, children;
  PairFrame<Real> frame;

  template <class Kernel>
  __device__ void find(const NearWork<Real>& work, const Family& family) {
    const TreeView& tree = work.tree;
    const int thread = static_cast<int>(threadIdx.x);
    const BoxId p = family.parent;
    if (thread == threads - 1)
      frame = make_frame<Kernel, Real>(tree.coordinate(p, 0), tree.coordinate(p, 1), tree.coordinate(p, 2),
                                       tree.lattice.edge(tree.level[p] + 1));
    if (thread < 64)
      place_leaf(tree, thread,
                 thread < even      ? leaf_about(tree, family, thread)
                 : thread < entries ? coarser_leaf(work, family, thread - even)
                                    : no_box);
    else if (thread < 68)
      find_targets(tree, family, thread - 64);
    if (thread == 68) {
      takers = (family.takers | family.takers >> 4) & 15u;
      children = (family.children | family.children >> 4) & 15u;
    }
    __syncthreads();
    if (thread >= 32 && thread < entries) offset[thread + 1] += sum;
    __syncthreads();
  }
  __device__ int sources() const { return offset[entries]; }
  /// Index of the source at an offset.
  __device__ std::uint32_t index_of(int at) const {
    int entry = 0;
#pragma unroll
    for (int step = 32; step > 0; step /= 2)
      if (entry + step < entries && offset[entry + step] <= at) entry += step;
    return begin[entry] + static_cast<std::uint32_t>(at - offset[entry]);
  }

 private:
  /// The child `octant` & 3 of a box in the plane.
  __device__ static BoxId child_of(const TreeView& tree, BoxId box, int octant) {
    return PlanarChildren(tree, box)(octant);
  }
  __device__ static BoxId leaf_about(const TreeView& tree, const Family& family, int entry) {
    const int x = entry % 4, y = entry / 4;
    const int cx = (x > 0) + (x > 2), cy = (y > 0) + (y > 2);  // colleague: 0, 1, 1, 2
    // octants of the children that touch it
    const unsigned near = (x == 0 ? 5u : x == 3 ? 10u : 15u) & (y == 0 ? 3u : y == 3 ? 12u : 15u);
    const unsigned all = family.children | family.others, own = (all | all >> 4) & near;
    const BoxId colleague = tree.colleague[std::int64_t(family.parent) * colleagues_per_box + 9 + 3 * cy + cx];
    return own ? child_of(tree, colleague, (x == 0 || x == 2) + 2 * (y == 0 || y == 2)) : no_box;
  }
  /// By whole warps.
  __device__ void place_leaf(const TreeView& tree, int thread, BoxId leaf) {
    const int lane = thread % 32;
    const std::int64_t first = leaf == no_box ? 0 : tree.source_begin[leaf],
                       last = leaf == no_box ? 0 : tree.source_end[leaf];
    const int count = sum_up_to(lane, static_cast<int>(last - first));
    if (thread < entries) begin[thread] = static_cast<std::uint32_t>(first), offset[thread + 1] = count;
    if (thread == 31) sum = count;
    if (thread == 0) offset[0] = 0;
  }
  __device__ void find_targets(const TreeView& tree, const Family& family, int octant) {
    const bool own = (family.children | family.children >> 4) >> octant & 1u;
    const BoxId child = own ? child_of(tree, family.parent, octant) : no_box;
    target_begin[octant] = child == no_box ? 0 : tree.target_begin[child];
    targets[octant] = child == no_box ? 0 : static_cast<int>(tree.target_end[child] - target_begin[octant]);
  }
};

/// Sums of one target: of q log r^2, of the gradient, and of q.
template <class Real>
struct alignas(16) AllSums {
  Real log, gx, gy, charge;
  __device__ void operator+=(const AllSums& more) {
    log += more.log, gx += more.gx, gy += more.gy, charge += more.charge;
  }
};
/// Of the gradient alone.
template <class Real>
struct alignas(2 * sizeof(Real)) SlopeSums {
  Real gx, gy;
  __device__ void operator+=(const SlopeSums& more) { gx += more.gx, gy += more.gy; }
};
template <class Real, int parts>
using SumsOf = std::conditional_t<parts == gradient_alone, SlopeSums<Real>, AllSums<Real>>;

/// What a block holds in shared memory.
template <class Real, int parts>
struct Shared {
  Leaves<Real> around;
  Source<Real> source[room<Real>];
  SumsOf<Real, parts> sums[warps][32 * most_of_lane];
};

/// Stages the sources at offsets from ... from + room - 1; by all threads.
template <class Real, int parts>
__device__ void stage_sources_of(const NearWork<Real>& work, Shared<Real, parts>& shared, int from) {
  constexpr int batch = sizeof(Real) == 4 ? 3 : 2;
  const int end = min(shared.around.sources() - from, room<Real>);
  for (int first = static_cast<int>(threadIdx.x); first < end; first += batch * threads) {
    double x[batch], y[batch];
    Real q[batch];
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      const std::uint32_t s = shared.around.index_of(from + min(first + b * threads, end - 1));
      x[b] = __ldg(work.source[0] + s), y[b] = __ldg(work.source[1] + s), q[b] = __ldg(work.strength + s);
    }
#pragma unroll
    for (int b = 0; b < batch; ++b)
      if (first + b * threads < end)
        shared.source[first + b * threads] = make_source(x[b], y[b], q[b], shared.around.frame);
  }
}

}  // namespace farfield::cuda::plane

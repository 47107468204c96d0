// What the kernels of a constant degree share (expansions/laplace_fixed.hpp): the choice of the instance, factors as
// kernel arguments, points of several boxes dealt to consecutive threads, and boxes with list entries dealt to warps.
#pragma once
#include <algorithm>
#include <type_traits>
#include <vector>

#include "backends/cuda/far/visitors.hpp"
#include "backends/cuda/tuning.hpp"
#include "expansions/basis.hpp"

namespace farfield::cuda {

/// Stages that few boxes need, or few plans: compiled for constants up to here.
inline constexpr int highest_of_few = 13;

/// Calls f(integral_constant<degree>) and returns true where the basis has that degree as a constant, up to `highest`.
/// In double, degrees are higher and the kernels of any degree are used.
template <class Basis, class Real, int highest = highest_of_few, int first = 0, class F>
bool with_fixed_degree(int degree, F&& f) {
  static_assert(FixedDegree<Basis>);
  if constexpr (sizeof(Real) == 4 && first <= highest && first <= Basis::highest_fixed) {
    if (degree == first) return f(std::integral_constant<int, first>{}), true;
    return with_fixed_degree<Basis, Real, highest, first + 1>(degree, f);
  }
  return false;
}

/// Factors as a kernel's argument: operands from constant memory where the index is a compile-time constant.
template <class Real, int count>
struct Factors {
  Real value[count];
};

template <class Real, int count>
Factors<Real, count> make_factors(const std::vector<double>& values) {
  Factors<Real, count> factors;
  for (int i = 0; i < count; ++i) factors.value[i] = static_cast<Real>(values[static_cast<std::size_t>(i)]);
  return factors;
}

/// Up to `ranges` ranges of points joined into one: its place i is point first[r] + i with r = range_of(i).
template <int ranges>
struct FlatRanges {
  std::uint32_t begin[ranges + 1];
  std::int64_t first[ranges];

  /// By one warp, lane r < ranges with the r-th range; returns the number of points in all ranges.
  __device__ std::uint32_t fill(int lane, std::int64_t range_begin, std::int64_t range_end) {
    const auto count = static_cast<std::uint32_t>(range_end - range_begin);
    std::uint32_t sum = count;
    for (int other = 1; other < ranges; other *= 2) {
      const std::uint32_t before = __shfl_up_sync(0xffffffffu, sum, other);
      if (lane >= other) sum += before;
    }
    if (lane < ranges) {
      begin[lane] = sum - count;
      first[lane] = range_begin - (sum - count);
    }
    const std::uint32_t total = __shfl_sync(0xffffffffu, sum, ranges - 1);
    if (lane == 0) begin[ranges] = total;
    return total;
  }
  __device__ int range_of(std::uint32_t i) const {
    int r = 0;
#pragma unroll
    for (int step = ranges / 2; step > 0; step /= 2)
      if (begin[r + step] <= i) r += step;
    return r;
  }
};

/// What the threads of a block look up about its leaves.
template <class Real, int boxes>
struct LeafGroup {
  BoxId box[boxes];
  FlatRanges<boxes> targets;
  double centre[3][boxes], factor[boxes];
  Real scale[boxes];
};

/// From number `first` on of those to look at.
template <class Kernel, class Real, int boxes>
__device__ std::uint32_t find_leaves(const Work<Real>& work, std::int64_t first, LeafGroup<Real, boxes>& group) {
  __shared__ std::uint32_t total;
  const TreeView& tree = work.tree;
  if (threadIdx.x < warp) {
    const int lane = static_cast<int>(threadIdx.x);
    const BoxId box = lane < boxes ? work.box_to_look_at(first + lane) : no_box;
    const bool leaf = box != no_box && tree.is_leaf(box);
    if (lane < boxes) group.box[lane] = box;
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

/// Boxes with entries in a list, among the boxes that a block looks at; the warps of the block take one box after
/// another. Boxes with long lists are neighbours: a block looks at strips of `warps` boxes with the strips of all other
/// blocks between them, and so gets its share of every region. The sums do not depend on which warp takes which box.
template <int threads>
struct BusyBoxes {
  int found, taken;
  BoxId box[threads];

  /// By all threads of the block, one for each of `looks` boxes.
  __device__ void find(const TreeView& tree, const ListView& list, int looks) {
    const unsigned warps = blockDim.x / warp, strip = threadIdx.x / warps * gridDim.x + blockIdx.x;
    const std::int64_t at = static_cast<std::int64_t>(strip) * warps + threadIdx.x % warps;
    const bool busy = static_cast<int>(threadIdx.x) < looks && at < tree.boxes && list.begin[at] < list.begin[at + 1];
    if (threadIdx.x == 0) found = taken = 0;
    __syncthreads();
    if (busy) box[atomicAdd(&found, 1)] = static_cast<BoxId>(at);
    __syncthreads();
  }
  /// By a whole warp: the next box, or no_box.
  __device__ BoxId take() {
    int next = 0;
    if (threadIdx.x % warp == 0) next = atomicAdd(&taken, 1);
    next = __shfl_sync(0xffffffffu, next, 0);
    return next < found ? box[next] : no_box;
  }
};

/// How many boxes a block of `warps` warps looks at, one per thread unless that leaves blocks too few for the device.
struct LookShape {
  int looks;
  unsigned blocks;
};
inline LookShape look_shape(BoxId boxes, int warps) {
  const int strips = boxes / (tuning::looking_blocks * device_limits().multiprocessors * warps);
  const int looks = std::clamp(strips, 1, warp) * warps;
  return {looks, static_cast<unsigned>((boxes + looks - 1) / looks)};
}

/// Points per leaf, for the shapes of kernels.
inline double mean_leaf(std::int64_t points, std::int64_t boxes) {
  return boxes > 0 ? static_cast<double>(points) / (0.875 * static_cast<double>(boxes)) : 0;
}
inline double sources_per_leaf(const TreeWork& work) {
  return work.sources_per_leaf >= 0 ? work.sources_per_leaf : mean_leaf(work.sources, work.tree.boxes);
}
inline double targets_per_leaf(const TreeWork& work) {
  return work.targets_per_leaf >= 0 ? work.targets_per_leaf : mean_leaf(work.targets, work.tree.boxes);
}

/// Has the tree so few leaves, and so large, that a block for each fills the device better than a warp? One H200,
/// 81,000 atoms of water in a cell with 216 sources per leaf, degree 16 in double: 4 warps of l2p for a multiprocessor.
template <class Real>
bool few_large_leaves(const Work<Real>& work) {
  return work.tree.boxes <= tuning::any_degree_few_boxes * device_limits().multiprocessors &&
         std::max(sources_per_leaf(work), targets_per_leaf(work)) >= tuning::any_degree_large_leaf;
}

}  // namespace farfield::cuda

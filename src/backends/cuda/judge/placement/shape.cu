// How leaves are filled: heaps of coincident points, and points in planes.
#include <algorithm>

#include "backends/cuda/judge/placement/placement.hpp"
#include "backends/cuda/runtime/block_sum.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "model/placement_terms.hpp"

namespace farfield::cuda {

static constexpr int most_sorted = 1024;

/// Do more than 0.4 of the neighbours along an axis coincide? Bitonic sort of up to 1024 coordinates in shared memory.
__device__ bool in_planes_along(const double* x, std::int64_t count, double* sorted, double* lane) {
  int all = 8;
  while (all < count) all *= 2;
  for (int i = static_cast<int>(threadIdx.x); i < all; i += sum_threads) sorted[i] = i < count ? x[i] : HUGE_VAL;
  for (int size = 2; size <= all; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      for (int i = static_cast<int>(threadIdx.x); i < all; i += sum_threads) {
        const int other = i ^ step;
        if (other < i) continue;  // the pair is exchanged at its lower index
        const double a = sorted[i], b = sorted[other];
        if (((i & size) == 0) == (a > b)) sorted[i] = b, sorted[other] = a;
      }
    }
  __syncthreads();
  const double range = sorted[count - 1] - sorted[0];
  double close = 0;
  for (std::int64_t i = 1 + threadIdx.x; i < count; i += sum_threads)
    close += coincide_on_axis(sorted[i - 1], sorted[i], range, count);
  close = sum_of_block(close, lane);
  __syncthreads();
  return range == 0 || close > 0.4 * static_cast<double>(count - 1);
}

/// The first leaf of at least 8 sources from `begin` on; a number not below `end` if there is none.
__device__ BoxId first_full_leaf(const TreeView& tree, const PlacedPoints& points, const std::uint32_t* chunk,
                                 BoxId begin, BoxId end) {
  constexpr int none = 0x7fffffff;
  __shared__ int flagged;
  __shared__ BoxId leaf;
  if (threadIdx.x == 0) leaf = flagged = none;
  __syncthreads();
  const int last = (end - 1) / chunk_boxes;
  for (int c = begin / chunk_boxes; c <= last;) {
    const int mine = c + static_cast<int>(threadIdx.x);
    const bool full = mine <= last && (chunk[mine] & has_full_leaf);
    if (full) atomicMin(&flagged, mine);
    if (!__syncthreads_or(full)) {
      c += sum_threads;
      continue;
    }
    c = flagged + 1;
    for (int i = static_cast<int>(threadIdx.x); i < chunk_boxes; i += sum_threads) {
      const std::int64_t at = static_cast<std::int64_t>(flagged) * chunk_boxes + i;
      const auto box = static_cast<BoxId>(at);
      if (at >= begin && at < end && tree.is_leaf(box) && points.end[box] - points.begin[box] >= 8)
        atomicMin(&leaf, box);
    }
    __syncthreads();
    if (leaf < end) break;
    if (threadIdx.x == 0) flagged = none;
    __syncthreads();
  }
  return leaf;
}

/// Do up to `most` sources of a box lie in planes along all axes?
__device__ bool in_planes_of(const PlacedPoints& points, BoxId box, int most, double* sorted, double* lane) {
  const std::int64_t from = points.begin[box], left = points.end[box] - from, count = left < most ? left : most;
  bool all = true;
  for (int axis = 0; axis < 3 && all; ++axis) all = in_planes_along(points.axis[axis] + from, count, sorted, lane);
  return all;
}

/// Stretch blockIdx.x of boxes: do the sources of its first full leaf lie in planes?
__global__ void planes_kernel(TreeView tree, PlacedPoints points, const std::uint32_t* chunk, BoxId stride, int most,
                              PlacementFindings* found) {
  __shared__ double sorted[most_sorted], lane[sum_threads];
  const BoxId begin = static_cast<BoxId>(blockIdx.x) * stride;
  const BoxId end = tree.boxes - begin < stride ? tree.boxes : begin + stride;
  const BoxId chosen = first_full_leaf(tree, points, chunk, begin, end);
  const bool all = chosen < end && in_planes_of(points, chosen, most, sorted, lane);
  if (threadIdx.x == 0) {
    found->planes[blockIdx.x][0] = chosen < end;
    found->planes[blockIdx.x][1] = all;
  }
}

/// Of a leaf; wide ones would take long.
static int most_of_leaf(bool softened) { return softened ? most_sorted / 4 : most_sorted; }

void DeviceSums::look_for_planes() {
  const BoxId stride = std::max<BoxId>(1, view_.boxes / plane_samples);
  const unsigned stretches = static_cast<unsigned>((view_.boxes + stride - 1) / stride);
  const int most = most_of_leaf(softening_ > 0);
  planes_kernel<<<stretches, sum_threads, 0, memory_.stream>>>(view_, sources_, chunk_.data(), stride, most,
                                                               on_device_.data());
  require_launch("planes_kernel");
}

static constexpr BoxId no_leaf = 0x7fffffff;

namespace {

struct FindFullLeaves {
  TreeView tree;
  PlacedPoints points;
  NumberedBoxes boxes;
  BoxId stride;
  BoxId* first;
  __device__ void operator()(std::int64_t k) const {
    const BoxId box = boxes.box[k];
    if (!tree.is_leaf(box) || points.end[box] - points.begin[box] < 8) return;
    BoxId* const least = first + (boxes.shift[tree.level[box]] + box) / stride;
    if (box < *const_cast<volatile BoxId*>(least)) atomicMin(least, box);
  }
};

struct NoLeaves {
  BoxId* first;
  __device__ void operator()(std::int64_t stretch) const { first[stretch] = no_leaf; }
};

/// Of stretch blockIdx.x.
__global__ void planes_of_rank_kernel(const __grid_constant__ TreeView tree, PlacedPoints points,
                                      const __grid_constant__ NumberedBoxes boxes, const BoxId* first, int most,
                                      FullLeaf* found) {
  __shared__ double sorted[most_sorted], lane[sum_threads];
  const BoxId box = first[blockIdx.x];
  const bool all = box != no_leaf && in_planes_of(points, box, most, sorted, lane);
  if (threadIdx.x != 0) return;
  const std::int64_t number = box == no_leaf ? -1 : boxes.shift[tree.level[box]] + box;
  found[blockIdx.x] = {static_cast<double>(number), all ? 1. : 0.};
}

}  // namespace

void look_for_planes(const TreeView& tree, const PlacedPoints& sources, const NumberedBoxes& boxes, bool softened,
                     BoxId* first, FullLeaf* found, cudaStream_t stream) {
  for_each_index(boxes.stretches(), NoLeaves{first}, stream, "stretches of boxes");
  for_each_index(boxes.count, FindFullLeaves{tree, sources, boxes, boxes.stride(), first}, stream, "full leaves");
  planes_of_rank_kernel<<<static_cast<unsigned>(boxes.stretches()), sum_threads, 0, stream>>>(
      tree, sources, boxes, first, most_of_leaf(softened), found);
  require_launch("planes_of_rank_kernel");
}

bool DeviceSums::in_planes() {
  int leaves = 0, planes = 0;
  for (const auto& stretch : found().planes) leaves += stretch[0], planes += stretch[1];
  return planes > leaves / 4;
}

bool DeviceSums::heaped(std::int64_t most) { return static_cast<std::int64_t>(found().largest_leaf) > most; }

}  // namespace farfield::cuda

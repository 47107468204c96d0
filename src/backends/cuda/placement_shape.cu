// How leaves are filled: heaps of coincident points, and points in planes.
#include <algorithm>

#include "backends/cuda/block_sum.hpp"
#include "backends/cuda/check.hpp"
#include "backends/cuda/placement.hpp"
#include "plan/placement_terms.hpp"

namespace farfield::cuda {

__global__ void heaps_kernel(TreeView tree, std::int64_t most, double* found) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * sum_threads + threadIdx.x;
  if (i >= tree.boxes) return;
  const auto box = static_cast<BoxId>(i);
  if (tree.is_leaf(box) && (tree.source_count(box) > most || tree.target_count(box) > most)) *found = 1;
}

bool DeviceSums::heaped(std::int64_t most) {
  DeviceArray<double> found(memory_);
  found.resize(1);
  require(cudaMemsetAsync(found.data(), 0, sizeof(double), memory_.stream), "cudaMemsetAsync");
  heaps_kernel<<<sum_blocks(view_.boxes), sum_threads, 0, memory_.stream>>>(view_, most, found.data());
  require_launch("heaps_kernel");
  return read(found)[0] > 0;
}

static constexpr int most_sorted = 1024;

/// Share of coinciding neighbours along an axis: bitonic sort of up to 1024 coordinates in shared memory.
__device__ bool in_planes_along(const double* x, std::int64_t count, double* sorted, double* lane) {
  for (int i = static_cast<int>(threadIdx.x); i < most_sorted; i += sum_threads)
    sorted[i] = i < count ? x[i] : HUGE_VAL;
  for (int size = 2; size <= most_sorted; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      for (int i = static_cast<int>(threadIdx.x); i < most_sorted; i += sum_threads) {
        const int other = i ^ step;
        if (other < i) continue;  // the pair is its lower index's
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

/// The first leaf of at least 8 sources in every stretch of boxes: found[2 k] = 1 if there is one, found[2 k + 1] = 1
/// if its sources stand in planes.
__global__ void planes_kernel(TreeView tree, PlacedPoints points, BoxId stride, double* found) {
  __shared__ double sorted[most_sorted], lane[sum_threads];
  __shared__ BoxId leaf;
  const BoxId begin = static_cast<BoxId>(blockIdx.x) * stride;
  const BoxId end = tree.boxes - begin < stride ? tree.boxes : begin + stride;
  if (threadIdx.x == 0) leaf = end;
  bool mine = false;
  for (BoxId first = begin; first < end; first += sum_threads) {
    const BoxId box = first + static_cast<BoxId>(threadIdx.x);
    mine = box < end && tree.is_leaf(box) && points.end[box] - points.begin[box] >= 8;
    if (__syncthreads_or(mine)) {
      if (mine) atomicMin(&leaf, box);
      break;
    }
  }
  __syncthreads();
  const BoxId chosen = leaf;
  bool all = chosen < end;
  if (all) {
    const std::int64_t from = points.begin[chosen], left = points.end[chosen] - from;
    const std::int64_t count = left < most_sorted ? left : most_sorted;
    for (int axis = 0; axis < 3 && all; ++axis) all = in_planes_along(points.axis[axis] + from, count, sorted, lane);
  }
  if (threadIdx.x == 0) {
    found[2 * blockIdx.x] = chosen < end;
    found[2 * blockIdx.x + 1] = all;
  }
}

bool DeviceSums::in_planes() {
  const BoxId stride = std::max<BoxId>(1, view_.boxes / 64);
  const unsigned stretches = static_cast<unsigned>((view_.boxes + stride - 1) / stride);
  DeviceArray<double> found(memory_);
  found.resize(2 * std::int64_t(stretches));
  planes_kernel<<<stretches, sum_threads, 0, memory_.stream>>>(view_, sources_, stride, found.data());
  require_launch("planes_kernel");
  const std::vector<double> flags = read(found);
  int leaves = 0, planes = 0;
  for (std::size_t k = 0; k < flags.size(); k += 2) leaves += flags[k] > 0, planes += flags[k + 1] > 0;
  return planes > leaves / 4;
}

}  // namespace farfield::cuda

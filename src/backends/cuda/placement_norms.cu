// The size of results: mean squares of potential and gradient for random strengths, on a sample of targets.
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <cub/device/device_select.cuh>

#include "backends/cuda/block_sum.hpp"
#include "backends/cuda/check.hpp"
#include "backends/cuda/parallel.hpp"
#include "backends/cuda/placement.hpp"
#include "plan/placement_terms.hpp"

namespace farfield::cuda {

__global__ void target_leaves_kernel(TreeView tree, std::uint8_t* flag) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * sum_threads + threadIdx.x;
  if (i >= tree.boxes) return;
  const auto box = static_cast<BoxId>(i);
  flag[i] = tree.is_leaf(box) && tree.target_count(box) > 0;
}

static constexpr int samples = 32, shares = 32, most_samples = 2 * samples;  // the host takes between 32 and 63

/// Share blockIdx.y of the leaves at the target in the middle of sample blockIdx.x: sums of 1/r^2, of 1/r^4 outside the
/// target's leaf, and the latter's part from leaves that count as their centres.
__global__ void norms_kernel(TreeView tree, PlacedPoints sources, PlacedPoints targets, const BoxId* leaves,
                             const BoxId* leaf_count, double* parts) {
  __shared__ double lane[sum_threads];
  const BoxId count = *leaf_count, step = count / samples > 1 ? count / samples : 1;
  const std::int64_t which = static_cast<std::int64_t>(blockIdx.x) * step;
  double sum[3] = {0, 0, 0};
  if (which < count) {
    const BoxId own = leaves[which];
    const std::int64_t t = (targets.begin[own] + targets.end[own]) / 2;
    const double x[3] = {targets.axis[0][t], targets.axis[1][t], targets.axis[2][t]};
    for (std::int64_t b = blockIdx.y * sum_threads + threadIdx.x; b < tree.boxes; b += shares * sum_threads) {
      const auto box = static_cast<BoxId>(b);
      const std::int64_t n = sources.end[box] - sources.begin[box];
      if (!tree.is_leaf(box) || n == 0) continue;
      const double edge = tree.lattice.edge(tree.level[box]), r2 = centre_distance2(tree, box, x);
      if (r2 > 4 * edge * edge) {
        sum[0] += static_cast<double>(n) / r2;
        sum[1] += static_cast<double>(n) / (r2 * r2);
        sum[2] += static_cast<double>(n) / (r2 * r2);
        continue;
      }
      for (std::int64_t s = sources.begin[box]; s < sources.end[box]; ++s) {
        double d2 = 0;
        for (int a = 0; a < 3; ++a) d2 += (x[a] - sources.axis[a][s]) * (x[a] - sources.axis[a][s]);
        if (d2 == 0) continue;
        sum[0] += 1 / d2;
        if (box != own) sum[1] += 1 / (d2 * d2);
      }
    }
  }
  for (int a = 0; a < 3; ++a) {
    const double all = sum_of_block(sum[a], lane);
    if (threadIdx.x == 0) parts[(blockIdx.x * shares + blockIdx.y) * 3 + a] = all;
  }
}

/// Sum over up to 2048 targets of every stride-th box, if a leaf, of 1/r^4 over its own sources.
__global__ void own_leaf_kernel(TreeView tree, PlacedPoints sources, PlacedPoints targets, BoxId stride,
                                double* parts) {
  __shared__ double lane[sum_threads];
  const BoxId box = static_cast<BoxId>(blockIdx.x) * stride;
  double sum = 0;
  std::int64_t count = 0;
  if (tree.is_leaf(box)) {
    const std::int64_t begin = targets.begin[box];
    count = targets.end[box] - begin < 2048 ? targets.end[box] - begin : 2048;
    for (std::int64_t t = begin + threadIdx.x; t < begin + count; t += sum_threads) {
      const double x = targets.axis[0][t], y = targets.axis[1][t], z = targets.axis[2][t];
      for (std::int64_t s = sources.begin[box]; s < sources.end[box]; ++s) {
        const double dx = x - sources.axis[0][s], dy = y - sources.axis[1][s], dz = z - sources.axis[2][s];
        const double r2 = dx * dx + dy * dy + dz * dz;
        sum += r2 > 0 ? 1 / (r2 * r2) : 0.0;
      }
    }
  }
  sum = sum_of_block(sum, lane);
  if (threadIdx.x == 0) {
    parts[2 * blockIdx.x] = sum;
    parts[2 * blockIdx.x + 1] = static_cast<double>(count);
  }
}

ResultNorms DeviceSums::norms() {
  DeviceArray<std::uint8_t> flag(memory_);
  DeviceArray<BoxId> leaves(memory_);
  flag.resize(view_.boxes);
  leaves.resize(view_.boxes + 1);  // the last one: how many
  BoxId* count = leaves.data() + view_.boxes;
  target_leaves_kernel<<<sum_blocks(view_.boxes), sum_threads, 0, memory_.stream>>>(view_, flag.data());
  require_launch("target_leaves_kernel");
  const thrust::counting_iterator<BoxId> boxes(0);
  with_temporary(memory_, "cub::DeviceSelect", [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSelect::Flagged(temporary, bytes, boxes, flag.data(), leaves.data(), count, view_.boxes,
                                      memory_.stream);
  });
  DeviceArray<double> far_parts(memory_), own_parts(memory_);
  far_parts.resize(most_samples * shares * 3);
  norms_kernel<<<dim3(most_samples, shares), sum_threads, 0, memory_.stream>>>(view_, sources_, targets_, leaves.data(),
                                                                               count, far_parts.data());
  require_launch("norms_kernel");
  const BoxId stride = static_cast<BoxId>(1 + target_count_ / 200000);
  const BoxId sampled = (view_.boxes + stride - 1) / stride;
  own_parts.resize(2 * std::int64_t(sampled));
  own_leaf_kernel<<<static_cast<unsigned>(sampled), sum_threads, 0, memory_.stream>>>(view_, sources_, targets_, stride,
                                                                                      own_parts.data());
  require_launch("own_leaf_kernel");
  BoxId leaf_count = 0;
  download(&leaf_count, count, 1, memory_.stream);
  const std::vector<double> far = read(far_parts), own = read(own_parts);
  if (leaf_count == 0) return {};
  const BoxId step = std::max<BoxId>(1, leaf_count / samples);
  const double at = static_cast<double>((leaf_count + step - 1) / step);
  double sum[3] = {0, 0, 0}, own_sum = 0, own_count = 0;
  for (std::size_t i = 0; i < far.size(); ++i) sum[i % 3] += far[i];
  for (std::size_t i = 0; i < own.size(); i += 2) own_sum += own[i], own_count += own[i + 1];
  ResultNorms mean{sum[0] / at, sum[1] / at + (own_count > 0 ? own_sum / own_count : 0)};
  if (mean.gradient > 0) mean.near_share = 1 - sum[2] / at / mean.gradient;
  return mean;
}

}  // namespace farfield::cuda

#include "backends/cuda/placement.hpp"

#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <cmath>

#include "backends/cuda/check.hpp"
#include "backends/cuda/parallel.hpp"
#include "plan/placement_terms.hpp"

namespace farfield::cuda {

static constexpr int threads = 128;
static unsigned blocks_for(std::int64_t count) { return static_cast<unsigned>((count + threads - 1) / threads); }

/// Sum over the block in a fixed order; for thread 0. `lane` has `threads` elements.
__device__ inline double sum_of_block(double value, double* lane) {
  __syncthreads();
  lane[threadIdx.x] = value;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half) lane[threadIdx.x] += lane[threadIdx.x + half];
    __syncthreads();
  }
  return lane[0];
}

DeviceSums::DeviceSums(const CudaTree& tree, DeviceMemory& memory)
    : memory_(memory), view_(tree.tree.view()), alike_(tree.alike), source_count_(tree.sources.count), target_count_(tree.target_points().count) {
  const auto placed = [](const SortedPoints& p, const std::int64_t* begin, const std::int64_t* end) {
    return PlacedPoints{{p.axis[0].data(), p.axis[1].data(), p.axis[2].data()}, begin, end};
  };
  sources_ = placed(tree.sources, view_.source_begin, view_.source_end);
  targets_ = placed(tree.target_points(), view_.target_begin, view_.target_end);
}

std::vector<double> DeviceSums::read(const DeviceArray<double>& parts) {
  std::vector<double> values(static_cast<std::size_t>(parts.size()));
  download(values.data(), parts.data(), parts.size(), memory_.stream);
  require(cudaStreamSynchronize(memory_.stream), "cudaStreamSynchronize");
  return values;
}

__global__ void heaps_kernel(TreeView tree, std::int64_t most, double* found) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i >= tree.boxes) return;
  const auto box = static_cast<BoxId>(i);
  if (tree.is_leaf(box) && (tree.source_count(box) > most || tree.target_count(box) > most)) *found = 1;
}

bool DeviceSums::heaped(std::int64_t most) {
  DeviceArray<double> found(memory_);
  found.resize(1);
  require(cudaMemsetAsync(found.data(), 0, sizeof(double), memory_.stream), "cudaMemsetAsync");
  heaps_kernel<<<blocks_for(view_.boxes), threads, 0, memory_.stream>>>(view_, most, found.data());
  require_launch("heaps_kernel");
  return read(found)[0] > 0;
}

static constexpr int most_sorted = 1024;

/// Share of coinciding neighbours along an axis: bitonic sort of up to 1024 coordinates in shared memory.
__device__ bool in_planes_along(const double* x, std::int64_t count, double* sorted, double* lane) {
  for (int i = static_cast<int>(threadIdx.x); i < most_sorted; i += threads)
    sorted[i] = i < count ? x[i] : HUGE_VAL;
  for (int size = 2; size <= most_sorted; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      for (int i = static_cast<int>(threadIdx.x); i < most_sorted; i += threads) {
        const int other = i ^ step;
        if (other < i) continue;  // the pair is its lower index's
        const double a = sorted[i], b = sorted[other];
        if (((i & size) == 0) == (a > b)) sorted[i] = b, sorted[other] = a;
      }
    }
  __syncthreads();
  const double range = sorted[count - 1] - sorted[0];
  double close = 0;
  for (std::int64_t i = 1 + threadIdx.x; i < count; i += threads)
    close += coincide_on_axis(sorted[i - 1], sorted[i], range, count);
  close = sum_of_block(close, lane);
  __syncthreads();
  return range == 0 || close > 0.4 * static_cast<double>(count - 1);
}

/// The first leaf of at least 8 sources in every stretch of boxes: found[2 k] = 1 if there is one, found[2 k + 1] = 1 if
/// its sources stand in planes.
__global__ void planes_kernel(TreeView tree, PlacedPoints points, BoxId stride, double* found) {
  __shared__ double sorted[most_sorted], lane[threads];
  __shared__ BoxId leaf;
  const BoxId begin = static_cast<BoxId>(blockIdx.x) * stride;
  const BoxId end = tree.boxes - begin < stride ? tree.boxes : begin + stride;
  if (threadIdx.x == 0) leaf = end;
  bool mine = false;
  for (BoxId first = begin; first < end; first += threads) {
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
  planes_kernel<<<stretches, threads, 0, memory_.stream>>>(view_, sources_, stride, found.data());
  require_launch("planes_kernel");
  const std::vector<double> flags = read(found);
  int leaves = 0, planes = 0;
  for (std::size_t k = 0; k < flags.size(); k += 2) leaves += flags[k] > 0, planes += flags[k + 1] > 0;
  return planes > leaves / 4;
}

__global__ void target_leaves_kernel(TreeView tree, std::uint8_t* flag) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i >= tree.boxes) return;
  const auto box = static_cast<BoxId>(i);
  flag[i] = tree.is_leaf(box) && tree.target_count(box) > 0;
}

static constexpr int samples = 32, shares = 32, most_samples = 2 * samples;  // the host takes between 32 and 63

/// Share blockIdx.y of the leaves at the target in the middle of sample blockIdx.x: sums of 1/r^2, of 1/r^4 outside the
/// target's leaf, and the latter's part from leaves that count as their centres.
__global__ void norms_kernel(TreeView tree, PlacedPoints sources, PlacedPoints targets, const BoxId* leaves,
                             const BoxId* leaf_count, double* parts) {
  __shared__ double lane[threads];
  const BoxId count = *leaf_count, step = count / samples > 1 ? count / samples : 1;
  const std::int64_t which = static_cast<std::int64_t>(blockIdx.x) * step;
  double sum[3] = {0, 0, 0};
  if (which < count) {
    const BoxId own = leaves[which];
    const std::int64_t t = (targets.begin[own] + targets.end[own]) / 2;
    const double x[3] = {targets.axis[0][t], targets.axis[1][t], targets.axis[2][t]};
    for (std::int64_t b = blockIdx.y * threads + threadIdx.x; b < tree.boxes; b += shares * threads) {
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
__global__ void own_leaf_kernel(TreeView tree, PlacedPoints sources, PlacedPoints targets, BoxId stride, double* parts) {
  __shared__ double lane[threads];
  const BoxId box = static_cast<BoxId>(blockIdx.x) * stride;
  double sum = 0;
  std::int64_t count = 0;
  if (tree.is_leaf(box)) {
    const std::int64_t begin = targets.begin[box];
    count = targets.end[box] - begin < 2048 ? targets.end[box] - begin : 2048;
    for (std::int64_t t = begin + threadIdx.x; t < begin + count; t += threads) {
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
  target_leaves_kernel<<<blocks_for(view_.boxes), threads, 0, memory_.stream>>>(view_, flag.data());
  require_launch("target_leaves_kernel");
  const thrust::counting_iterator<BoxId> boxes(0);
  with_temporary(memory_, "cub::DeviceSelect", [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSelect::Flagged(temporary, bytes, boxes, flag.data(), leaves.data(), count, view_.boxes,
                                      memory_.stream);
  });
  DeviceArray<double> far_parts(memory_), own_parts(memory_);
  far_parts.resize(most_samples * shares * 3);
  norms_kernel<<<dim3(most_samples, shares), threads, 0, memory_.stream>>>(view_, sources_, targets_, leaves.data(), count,
                                                                           far_parts.data());
  require_launch("norms_kernel");
  const BoxId stride = static_cast<BoxId>(1 + target_count_ / 200000);
  const BoxId sampled = (view_.boxes + stride - 1) / stride;
  own_parts.resize(2 * std::int64_t(sampled));
  own_leaf_kernel<<<static_cast<unsigned>(sampled), threads, 0, memory_.stream>>>(view_, sources_, targets_, stride,
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

static constexpr std::int64_t share_points = 4096;

__global__ void count_shares_kernel(TreeView tree, PlacedPoints points, std::int32_t* shares) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i > tree.boxes) return;
  const bool counts = i < tree.boxes && tree.level[i] >= 2;
  shares[i] = counts ? static_cast<std::int32_t>((points.end[i] - points.begin[i] + share_points - 1) / share_points) : 0;
}

__global__ void fill_shares_kernel(BoxId boxes, const std::int32_t* first, BoxId* box) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i >= boxes) return;
  for (std::int32_t k = first[i]; k < first[i + 1]; ++k) box[k] = static_cast<BoxId>(i);
}

/// A block per share; each thread sums the corners of its points, then the block.
__global__ void occupations_kernel(TreeView tree, PlacedPoints points, const std::int32_t* first, const BoxId* boxes,
                                   double rate, double* parts) {
  __shared__ double lane[threads];
  if (static_cast<std::int32_t>(blockIdx.x) >= first[tree.boxes]) return;
  const BoxId box = boxes[blockIdx.x];
  const double edge = tree.lattice.edge(tree.level[box]), least = 1.5 - reach_of(rate);
  const std::int64_t share = static_cast<std::int64_t>(blockIdx.x) - first[box];
  const std::int64_t begin = points.begin[box] + share * share_points;
  const std::int64_t end = points.end[box] - begin < share_points ? points.end[box] : begin + share_points;
  double sum[corners] = {};
  bool any = false;
  for (std::int64_t i = begin + threadIdx.x; i < end; i += threads) {
    const CornerPlace place = corner_place(tree, box, points, i, edge);
    if (!(place.distance > least)) continue;
    any = true;
    const double weight = exp(-rate * (place.distance < 1.5 ? 1.5 - place.distance : 0.0));
#pragma unroll
    for (int c = 0; c < corners; ++c) sum[c] += c == place.octant ? weight : 0.0;
  }
  double* out = parts + static_cast<std::int64_t>(blockIdx.x) * corners;
  if (!__syncthreads_or(any)) {
    if (threadIdx.x < corners) out[threadIdx.x] = 0;
    return;
  }
#pragma unroll
  for (int c = 0; c < corners; ++c) {
    const double all = sum_of_block(sum[c], lane);
    if (threadIdx.x == 0) out[c] = all;
  }
}

__global__ void add_shares_kernel(BoxId boxes, const std::int32_t* first, const double* parts, float* corner) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i >= static_cast<std::int64_t>(boxes) * corners) return;
  const std::int64_t box = i / corners;
  double sum = 0;
  for (std::int64_t k = first[box]; k < first[box + 1]; ++k) sum += parts[k * corners + i % corners];
  corner[i] = static_cast<float>(sum);
}

void DeviceSums::divide(Shares& shares, const PlacedPoints& points, std::int64_t count) {
  if (shares.most > 0) return;
  shares.most = view_.boxes + view_.levels * (count / share_points + 1);
  shares.first.use(memory_);
  shares.box.use(memory_);
  shares.first.resize(std::int64_t(view_.boxes) + 1);
  shares.box.resize(shares.most);
  count_shares_kernel<<<blocks_for(std::int64_t(view_.boxes) + 1), threads, 0, memory_.stream>>>(view_, points,
                                                                                                 shares.first.data());
  require_launch("count_shares_kernel");
  with_temporary(memory_, "cub::DeviceScan", [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(temporary, bytes, shares.first.data(), shares.first.data(), view_.boxes + 1,
                                         memory_.stream);
  });
  fill_shares_kernel<<<blocks_for(view_.boxes), threads, 0, memory_.stream>>>(view_.boxes, shares.first.data(),
                                                                             shares.box.data());
  require_launch("fill_shares_kernel");
}

void DeviceSums::occupations(DeviceArray<float>& corner, Shares& shares, const PlacedPoints& points, std::int64_t count,
                             double rate) {
  divide(shares, points, count);
  DeviceArray<double> parts(memory_);
  parts.resize(shares.most * corners);
  corner.resize(std::int64_t(view_.boxes) * corners);
  occupations_kernel<<<static_cast<unsigned>(shares.most), threads, 0, memory_.stream>>>(
      view_, points, shares.first.data(), shares.box.data(), rate, parts.data());
  require_launch("occupations_kernel");
  add_shares_kernel<<<blocks_for(std::int64_t(view_.boxes) * corners), threads, 0, memory_.stream>>>(
      view_.boxes, shares.first.data(), parts.data(), corner.data());
  require_launch("add_shares_kernel");
}

/// Sums over boxes of typical and facing pairs, by 1 / a^2 and 1 / a^4.
__global__ void pairs_kernel(TreeView tree, PlacedPoints sources, PlacedPoints targets, BoxId first, double further,
                             const float* from, const float* to, double* parts) {
  __shared__ double lane[threads];
  const std::int64_t b = first + static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  double typical = 0, facing_pairs = 0, a2 = 1;
  if (b < tree.boxes) {
    const auto box = static_cast<BoxId>(b);
    const double edge = tree.lattice.edge(tree.level[box]);
    a2 = edge * edge;
    const std::int64_t count = targets.end[box] - targets.begin[box];
    if (count > 0) typical = static_cast<double>(count) * far_sources(tree, box, sources, further);
    for (int corner = 0; corner < corners; ++corner) {
      const double weight = static_cast<double>(to[b * corners + corner]);
      for (int axis = 0; weight > 0 && axis < 3; ++axis) facing_pairs += weight * facing(tree, box, corner, axis, from);
    }
  }
  const double sums[4] = {typical / a2, typical / (a2 * a2), facing_pairs / a2, facing_pairs / (a2 * a2)};
  for (int i = 0; i < 4; ++i) {
    const double all = sum_of_block(sums[i], lane);
    if (threadIdx.x == 0) parts[4 * blockIdx.x + i] = all;
  }
}

Placement DeviceSums::placement(const ResultNorms& norms, int degree) {
  const double rate = 1.5 * std::max(1, degree), further = std::pow(2.0 / 3.0, 2 * degree);
  DeviceArray<float> own(memory_), apart(memory_);
  occupations(own, source_shares_, sources_, source_count_, rate);
  if (!alike_) occupations(apart, target_shares_, targets_, target_count_, rate);
  const BoxId first = view_.level_begin[2];
  DeviceArray<double> parts(memory_);
  parts.resize(4 * std::int64_t(blocks_for(view_.boxes - first)));
  pairs_kernel<<<blocks_for(view_.boxes - first), threads, 0, memory_.stream>>>(
      view_, sources_, targets_, first, further, own.data(), alike_ ? own.data() : apart.data(), parts.data());
  require_launch("pairs_kernel");
  const std::vector<double> sums = read(parts);
  double sum[4] = {0, 0, 0, 0};
  for (std::size_t i = 0; i < sums.size(); ++i) sum[i % 4] += sums[i];
  const double count = static_cast<double>(std::max<std::int64_t>(1, target_count_));
  const auto ratio = [&](double pairs, double norm) { return norm > 0 ? std::sqrt(pairs / count / norm) : 0.0; };
  return {{ratio(sum[0], norms.potential), ratio(sum[1], norms.gradient)},
          {ratio(sum[2], norms.potential), ratio(sum[3], norms.gradient)}};
}

}  // namespace farfield::cuda

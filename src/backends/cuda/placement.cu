// How sources and targets lie in pairs of far boxes: occupations of corners, and the sums over facing pairs.
#include <algorithm>
#include <cmath>
#include <cub/device/device_scan.cuh>

#include "backends/cuda/block_sum.hpp"
#include "backends/cuda/check.hpp"
#include "backends/cuda/parallel.hpp"
#include "backends/cuda/placement.hpp"
#include "plan/placement_terms.hpp"

namespace farfield::cuda {

DeviceSums::DeviceSums(const CudaTree& tree, DeviceMemory& memory)
    : memory_(memory),
      view_(tree.tree.view()),
      alike_(tree.alike),
      source_count_(tree.sources.count),
      target_count_(tree.target_points().count) {
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

static constexpr std::int64_t share_points = 4096;

__global__ void count_shares_kernel(TreeView tree, PlacedPoints points, std::int32_t* shares) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * sum_threads + threadIdx.x;
  if (i > tree.boxes) return;
  const bool counts = i < tree.boxes && tree.level[i] >= 2;
  shares[i] =
      counts ? static_cast<std::int32_t>((points.end[i] - points.begin[i] + share_points - 1) / share_points) : 0;
}

__global__ void fill_shares_kernel(BoxId boxes, const std::int32_t* first, BoxId* box) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * sum_threads + threadIdx.x;
  if (i >= boxes) return;
  for (std::int32_t k = first[i]; k < first[i + 1]; ++k) box[k] = static_cast<BoxId>(i);
}

/// A block per share; each thread sums the corners of its points, then the block.
__global__ void occupations_kernel(TreeView tree, PlacedPoints points, const std::int32_t* first, const BoxId* boxes,
                                   double rate, double* parts) {
  __shared__ double lane[sum_threads];
  if (static_cast<std::int32_t>(blockIdx.x) >= first[tree.boxes]) return;
  const BoxId box = boxes[blockIdx.x];
  const double edge = tree.lattice.edge(tree.level[box]), least = 1.5 - reach_of(rate);
  const std::int64_t share = static_cast<std::int64_t>(blockIdx.x) - first[box];
  const std::int64_t begin = points.begin[box] + share * share_points;
  const std::int64_t end = points.end[box] - begin < share_points ? points.end[box] : begin + share_points;
  double sum[corners] = {};
  bool any = false;
  for (std::int64_t i = begin + threadIdx.x; i < end; i += sum_threads) {
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
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * sum_threads + threadIdx.x;
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
  count_shares_kernel<<<sum_blocks(std::int64_t(view_.boxes) + 1), sum_threads, 0, memory_.stream>>>(
      view_, points, shares.first.data());
  require_launch("count_shares_kernel");
  with_temporary(memory_, "cub::DeviceScan", [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(temporary, bytes, shares.first.data(), shares.first.data(), view_.boxes + 1,
                                         memory_.stream);
  });
  fill_shares_kernel<<<sum_blocks(view_.boxes), sum_threads, 0, memory_.stream>>>(view_.boxes, shares.first.data(),
                                                                                  shares.box.data());
  require_launch("fill_shares_kernel");
}

void DeviceSums::occupations(DeviceArray<float>& corner, Shares& shares, const PlacedPoints& points, std::int64_t count,
                             double rate) {
  divide(shares, points, count);
  DeviceArray<double> parts(memory_);
  parts.resize(shares.most * corners);
  corner.resize(std::int64_t(view_.boxes) * corners);
  occupations_kernel<<<static_cast<unsigned>(shares.most), sum_threads, 0, memory_.stream>>>(
      view_, points, shares.first.data(), shares.box.data(), rate, parts.data());
  require_launch("occupations_kernel");
  add_shares_kernel<<<sum_blocks(std::int64_t(view_.boxes) * corners), sum_threads, 0, memory_.stream>>>(
      view_.boxes, shares.first.data(), parts.data(), corner.data());
  require_launch("add_shares_kernel");
}

/// Sums over boxes of typical and facing pairs, by 1 / a^2 and 1 / a^4.
__global__ void pairs_kernel(TreeView tree, PlacedPoints sources, PlacedPoints targets, BoxId first, double further,
                             const float* from, const float* to, double* parts) {
  __shared__ double lane[sum_threads];
  const std::int64_t b = first + static_cast<std::int64_t>(blockIdx.x) * sum_threads + threadIdx.x;
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
  parts.resize(4 * std::int64_t(sum_blocks(view_.boxes - first)));
  pairs_kernel<<<sum_blocks(view_.boxes - first), sum_threads, 0, memory_.stream>>>(
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

#include "distributed/cuda/judging/placement.hpp"

#include <algorithm>

#include "backends/cuda/judge/occupations.hpp"
#include "distributed/cuda/evaluation/shared_on_device.hpp"

namespace farfield::distributed {

using farfield::cuda::FarSums;
using farfield::cuda::for_each_index;

namespace {

constexpr int numbers = 32;  ///< of a box: by corner and degree
constexpr std::int64_t most_looked_at = 128;  ///< points of a box, in trees of which one plan would sum a sample, too
constexpr int warps = 4, far_numbers = sizeof(FarSums) / sizeof(double);

/// How many points of a box are looked at: all where one plan would look at all.
std::int64_t looked_at(std::int64_t points, int levels) {
  const bool all = points * std::max(1, levels - 2) * farfield::cuda::places <= std::int64_t(1) << 24;
  return all ? points : most_looked_at;
}

/// A warp for each box from level 2 on.
__global__ void __launch_bounds__(32 * warps)
    occupy_kernel(TreeView tree, PlacedPoints points, BoxId first, std::int64_t most, farfield::cuda::Decay decay,
                  float* occupation) {
  const std::int64_t box = first + std::int64_t(blockIdx.x) * warps + threadIdx.x / 32;
  if (box >= tree.boxes) return;
  occupation[box * numbers + threadIdx.x % 32] =
      farfield::cuda::occupation(tree, points, static_cast<BoxId>(box), {most, 0, 1}, decay);
}

/// The same for the shared boxes, of which a rank's own tree holds its part or none of it.
__global__ void __launch_bounds__(32)
    occupy_shared_kernel(TreeView tree, PlacedPoints points, const BoxId* own, std::int64_t most,
                         farfield::cuda::Decay decay, float* occupation) {
  const BoxId box = own[blockIdx.x];
  const bool holds = box != no_box && tree.level[box] >= 2;
  const float sum = holds ? farfield::cuda::occupation(tree, points, box, {most, 0, 1}, decay) : 0;
  occupation[std::int64_t(blockIdx.x) * numbers + threadIdx.x] = sum;
}

/// Numbers of a rank's own boxes, and of the shared ones, to its essential tree.
struct JoinOccupations {
  const BoxId *from_own, *from_top;
  const float *own, *top;
  float* essential;
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t box = i / numbers, k = i % numbers;
    if (const BoxId from = from_own[box]; from != no_box)
      essential[i] = own[std::int64_t(from) * numbers + k];
    else if (const BoxId shared = from_top[box]; shared != no_box)
      essential[i] = top[std::int64_t(shared) * numbers + k];
  }
};

/// A warp for each target box of this rank; a block writes its sums to parts[block].
__global__ void __launch_bounds__(32 * warps)
    sum_far_kernel(TreeView tree, PlacedPoints sources, const BoxId* mine, std::int64_t boxes, const Held* held,
                   const float* from, const float* to, double* parts) {
  __shared__ float own[warps][32];
  __shared__ double sums[warps][far_numbers];
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  const std::int64_t k = std::int64_t(blockIdx.x) * warps + warp;
  const BoxId box = k < boxes ? mine[k] : no_box;
  if (lane < far_numbers) sums[warp][lane] = 0;
  __syncwarp();
  if (box != no_box && tree.level[box] >= 2) {
    const auto occupied = [&](int place) {
      const BoxId at = place == 0 ? box : facing_box(tree, box, place - 1);
      const bool exists = at != no_box && (place == 0 || sources.end[at] > sources.begin[at]);
      return exists ? (place == 0 ? to : from)[std::int64_t(at) * numbers + lane] : 0.0f;
    };
    const float facing = farfield::cuda::facing_sum(occupied, own[warp]);
    const farfield::cuda::FarCounts far = farfield::cuda::count_far(tree, sources, box);
    const double edge = tree.lattice.edge(tree.level[box]), a2 = edge * edge;
    const auto pairs = static_cast<double>(held[box].count);
    double all[far_numbers / 2] = {pairs * static_cast<double>(farfield::cuda::sum_of_warp(far.beside)),
                                   pairs * static_cast<double>(farfield::cuda::sum_of_warp(far.beyond))};
    for (int d = 0; d < farfield::cuda::degrees_at_once; ++d)
      all[2 + d] = __shfl_sync(farfield::cuda::all_lanes, facing, d);
    for (int i = 0; lane == 0 && i < far_numbers / 2; ++i)
      sums[warp][2 * i] = all[i] / a2, sums[warp][2 * i + 1] = all[i] / (a2 * a2);
  }
  __syncthreads();
  if (threadIdx.x >= far_numbers) return;
  double sum = 0;
  for (int w = 0; w < warps; ++w) sum += sums[w][threadIdx.x];
  parts[std::int64_t(blockIdx.x) * far_numbers + threadIdx.x] = sum;
}

PlacedPoints placed_points(const farfield::cuda::SortedPoints& points, const std::int64_t* begin,
                           const std::int64_t* end) {
  return {{points.axis[0].data(), points.axis[1].data(), points.axis[2].data()}, begin, end};
}

}  // namespace

DevicePlacement::DevicePlacement(DevicePlaced& placed, int degree, farfield::cuda::SideStream& near_stream,
                                 farfield::cuda::SideStream& far_stream)
    : placed_(placed),
      stream_(placed.memory.stream),
      own_(placed.on_device->own.tree.view()),
      essential_(placed.on_device->essential.tree.view()),
      first_degree_(std::max(1, degree - 2)) {
  look_at_own(degree, near_stream, far_stream);
}

void DevicePlacement::look_at_own(int degree, farfield::cuda::SideStream& near_stream,
                                  farfield::cuda::SideStream& far_stream) {
  farfield::cuda::DeviceSums sums(placed_.on_device->own, degree, 0, placed_.memory, near_stream, far_stream);
  const farfield::cuda::PlacementFindings& found = sums.of_part();
  struct Own {
    std::int64_t largest, stretches, planes;
    double leaf[2];
  } own{static_cast<std::int64_t>(found.largest_leaf), 0, 0, {found.own_leaf[0], found.own_leaf[1]}};
  for (const auto& stretch : found.planes) own.stretches += stretch[0], own.planes += stretch[1];
  std::int64_t stretches = 0, planes = 0;
  for (const Own& one : placed_.ranks->all_gather(own)) {
    largest_leaf_ = std::max(largest_leaf_, one.largest);
    stretches += one.stretches, planes += one.planes;
    own_leaf_[0] += one.leaf[0], own_leaf_[1] += one.leaf[1];
  }
  in_planes_ = planes > stretches / 4;
}

/// The parts of all ranks, by boxes of the top.
std::vector<float> DevicePlacement::of_shared(const Occupied& kind) {
  const DeviceShare& share = *placed_.on_device;
  const SharedOnDevice shared(share, placed_.memory, stream_);
  OnDevice<float> part(placed_.memory);
  part.resize(shared.count() * numbers);
  if (shared.count() > 0)
    occupy_shared_kernel<<<static_cast<unsigned>(shared.count()), 32, 0, stream_>>>(
        own_, kind.points, shared.own(), looked_at(placed_.geometry.targets, levels()),
        farfield::cuda::Decay::from(first_degree_), part.data());
  farfield::cuda::require_launch("occupy_shared_kernel");
  const std::vector<float> found = downloaded(part.data(), part.size(), stream_);
  std::vector<float> all(static_cast<std::size_t>(share.top.tree.boxes) * numbers, 0);
  for (std::size_t k = 0; k < shared.top().size(); ++k)
    std::copy_n(found.begin() + static_cast<std::ptrdiff_t>(k) * numbers, numbers,
                all.begin() + static_cast<std::ptrdiff_t>(shared.top()[k]) * numbers);
  placed_.ranks->add(all);
  return all;
}

void DevicePlacement::occupy(Occupied& kind, bool with_ghosts) {
  const DeviceShare& share = *placed_.on_device;
  use_all(placed_.memory, kind.own, kind.top, kind.essential);
  kind.own.resize(std::int64_t(own_.boxes) * numbers);
  kind.essential.resize(std::int64_t(essential_.boxes) * numbers);
  const BoxId first = own_.levels > 2 ? own_.level_begin[2] : own_.boxes;
  if (first < own_.boxes)
    occupy_kernel<<<static_cast<unsigned>((own_.boxes - first + warps - 1) / warps), 32 * warps, 0, stream_>>>(
        own_, kind.points, first, looked_at(placed_.geometry.targets, levels()),
        farfield::cuda::Decay::from(first_degree_), kind.own.data());
  farfield::cuda::require_launch("occupy_kernel");
  const std::vector<float> shared = of_shared(kind);
  farfield::cuda::upload(kind.top, shared.data(), std::ssize(shared), stream_);
  if (with_ghosts)
    placed_.box_rows.fetch(
        placed_.transport,
        BoxNumbers<float>{kind.own.data(), kind.top.data(), kind.essential.data(), numbers, numbers}, stream_);
  for_each_index(kind.essential.size(),
                 JoinOccupations{share.from_own.data(), share.from_top.data(), kind.own.data(), kind.top.data(),
                                 kind.essential.data()},
                 stream_, "occupations of the essential tree");
}

void DevicePlacement::sum_far() {
  const DeviceShare& share = *placed_.on_device;
  Occupied sources{placed_points(share.own.sources, own_.source_begin, own_.source_end), {}, {}, {}};
  Occupied targets{placed_points(share.own.target_points(), own_.target_begin, own_.target_end), {}, {}, {}};
  occupy(sources, true);
  if (!placed_.tree.alike) occupy(targets, false);
  const std::int64_t boxes = share.mine.size(), blocks = (boxes + warps - 1) / warps;
  OnDevice<double> parts(placed_.memory);
  parts.resize(blocks * far_numbers);
  if (boxes > 0)
    sum_far_kernel<<<static_cast<unsigned>(blocks), 32 * warps, 0, stream_>>>(
        essential_, PlacedPoints{{}, essential_.source_begin, essential_.source_end}, share.mine.data(), boxes,
        share.held.data(), sources.essential.data(),
        (placed_.tree.alike ? sources : targets).essential.data(), parts.data());
  farfield::cuda::require_launch("sum_far_kernel");
  std::vector<double> sum(far_numbers, 0);
  const std::vector<double> all = downloaded(parts.data(), parts.size(), stream_);
  for (std::size_t i = 0; i < all.size(); ++i) sum[i % far_numbers] += all[i];
  placed_.ranks->add(sum);
  far_.emplace();
  std::copy(sum.begin(), sum.end(), reinterpret_cast<double*>(&*far_));
}

Placement DevicePlacement::typical(const ResultNorms& norms, int degree) {
  if (!far_) sum_far();
  const Placement sums = typical_sums({{far_->beside[0], far_->beside[1]}}, {{far_->beyond[0], far_->beyond[1]}}, degree);
  return relative(sums, placed_.geometry.targets, norms);
}

Placement DevicePlacement::facing(const ResultNorms& norms, int degree) {
  if (!far_ || degree < first_degree_ || degree >= first_degree_ + farfield::cuda::degrees_at_once) {
    if (far_) first_degree_ = degree;  // settle_degree goes upwards
    sum_far();
  }
  const double* sums = far_->facing[degree - first_degree_];
  return relative({{sums[0], sums[1]}}, placed_.geometry.targets, norms);
}

}  // namespace farfield::distributed

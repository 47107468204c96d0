// How sources and targets lie in pairs of far boxes: for sampled target boxes of every level, the occupations of their
// corners times those of the corners that face them, and how many sources are far. Occupations are summed first, by a
// warp per box, so that heavy boxes of clusters are read once per box that they face.
#include <algorithm>
#include <cmath>

#include "backends/cuda/judge/placement/occupations.hpp"
#include "backends/cuda/runtime/block_sum.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "model/placement_terms.hpp"

namespace farfield::cuda {
namespace {

constexpr int warps = sum_threads / 32, far_numbers = sizeof(FarSums) / sizeof(double);

struct Level {
  BoxId begin, boxes;           ///< of the level
  std::int32_t first, sampled;  ///< parts: first ... first + sampled * slices
  std::int32_t slices;          ///< parts that share the points of a box
  std::int32_t points;          ///< most that are looked at in one box
};
struct BoxSample {
  int levels = 0;
  std::int32_t total = 0;  ///< parts
  Level level[max_levels + 1];
};

BoxSample sample_of(const TreeView& tree, std::int64_t points, const Looks& allowed) {
  BoxSample s;
  for (int l = 2; l < tree.levels; ++l) {
    const std::int64_t boxes = tree.level_begin[l + 1] - tree.level_begin[l];
    const LevelLooks looks = looks_of_level(points, tree.levels, boxes, allowed);
    const std::int64_t slices = std::clamp<std::int64_t>(allowed.parts / looks.sampled, 1, 16);
    s.level[s.levels++] = {tree.level_begin[l],
                           static_cast<BoxId>(boxes),
                           s.total,
                           static_cast<std::int32_t>(looks.sampled),
                           static_cast<std::int32_t>(slices),
                           static_cast<std::int32_t>(looks.points)};
    s.total += static_cast<std::int32_t>(looks.sampled * slices);
  }
  return s;
}

/// A target box and how many boxes it stands for; no_box where the level has none around the target that was drawn.
struct Drawn {
  BoxId box;
  double stands_for;
};

/// The level's box that holds a target, found by a warp with 32 probes at a time.
__device__ BoxId box_around(const PlacedPoints& targets, const Level& level, std::int64_t target) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  BoxId low = level.begin, count = level.boxes;  // the box, if any, is one of `count` from `low` on
  while (count > 1) {
    const BoxId step = (count + 31) / 32, offset = lane * step;
    const bool before = offset < count && targets.begin[low + offset] <= target;
    const int probes = __popc(__ballot_sync(all_lanes, before));
    if (probes == 0) return no_box;
    low += (probes - 1) * step;
    count = min(step, count - (probes - 1) * step);
  }
  return targets.begin[low] <= target && target < targets.end[low] ? low : no_box;
}

__device__ Drawn draw(const PlacedPoints& targets, const Level& level, std::int64_t target_count, int which) {
  if (level.sampled == level.boxes) return {level.begin + which, 1};
  const Choice choice(target_count, level.sampled, static_cast<std::uint32_t>(level.begin));
  const BoxId box = box_around(targets, level, choice[which]);
  if (box == no_box) return {no_box, 0};
  return {box, choice.step / static_cast<double>(targets.end[box] - targets.begin[box])};
}

/// One slice of one sampled box.
struct Part {
  const Level* level;
  int sample, slice;
};
__device__ Part part_of(const BoxSample& sample, std::int32_t part) {
  int l = 0;
  while (l + 1 < sample.levels && part >= sample.level[l + 1].first) ++l;
  const Level& level = sample.level[l];
  return {&level, (part - level.first) / level.slices, (part - level.first) % level.slices};
}

/// Occupations [part][places][32] of every sampled box and those that face it, a warp each; zeros where there is none.
__global__ void __launch_bounds__(32 * places)
    occupations_kernel(TreeView tree, PlacedPoints sources, PlacedPoints targets, std::int64_t target_count,
                       const __grid_constant__ BoxSample sample, Decay decay, float* occupations) {
  const int place = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  const Part part = part_of(sample, static_cast<std::int32_t>(blockIdx.x));
  BoxId box = draw(targets, *part.level, target_count, part.sample).box;
  if (box != no_box && place > 0) box = facing_box(tree, box, place - 1);
  float found = 0;
  const Looked looked{part.level->points, part.slice, part.level->slices, static_cast<std::uint32_t>(box)};
  if (box != no_box) found = occupation(tree, place > 0 ? sources : targets, box, looked, decay);
  occupations[(static_cast<std::int64_t>(blockIdx.x) * places + place) * 32 + lane] = found;
}

/// Terms of the sums of one sample, by a warp.
__device__ void add_sample(const TreeView& tree, const PlacedPoints& sources, const PlacedPoints& targets,
                           const Drawn& drawn, float facing, double* sums) {
  const double edge = tree.lattice.edge(tree.level[drawn.box]), a2 = edge * edge;
  const FarCounts far = count_far(tree, sources, drawn.box);
  const double pairs = static_cast<double>(targets.end[drawn.box] - targets.begin[drawn.box]);
  double all[far_numbers / 2] = {pairs * static_cast<double>(sum_of_warp(far.beside)),
                                 pairs * static_cast<double>(sum_of_warp(far.beyond))};
  for (int k = 0; k < degrees_at_once; ++k) all[2 + k] = __shfl_sync(all_lanes, facing, k);
  for (int i = 0; threadIdx.x % 32 == 0 && i < far_numbers / 2; ++i) {
    sums[2 * i] = all[i] * drawn.stands_for / a2;
    sums[2 * i + 1] = all[i] * drawn.stands_for / (a2 * a2);
  }
}

/// A warp per part; only the first part of a sample adds terms. A block writes its sums to parts[block].
__global__ void __launch_bounds__(sum_threads)
    far_pairs_kernel(TreeView tree, PlacedPoints sources, PlacedPoints targets, std::int64_t target_count,
                     const __grid_constant__ BoxSample sample, const float* occupations, double* parts) {
  __shared__ float own[warps][32];
  __shared__ double sums[warps][far_numbers];
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  const std::int32_t at = static_cast<std::int32_t>(blockIdx.x) * warps + warp;
  if (lane < far_numbers) sums[warp][lane] = 0;
  __syncwarp();
  if (at < sample.total) {
    const Part part = part_of(sample, at);
    const Drawn drawn = part.slice > 0 ? Drawn{no_box, 0} : draw(targets, *part.level, target_count, part.sample);
    if (drawn.box != no_box) {
      const float* found = occupations + static_cast<std::int64_t>(at) * places * 32;
      const auto occupied = [&](int place) {
        float sum = 0;
        for (int slice = 0; slice < part.level->slices; ++slice) sum += found[(slice * places + place) * 32 + lane];
        return sum;
      };
      const float facing = facing_sum(occupied, own[warp]);
      add_sample(tree, sources, targets, drawn, facing, sums[warp]);
    }
  }
  __syncthreads();
  if (threadIdx.x >= far_numbers) return;
  double sum = 0;
  for (int w = 0; w < warps; ++w) sum += sums[w][threadIdx.x];
  parts[static_cast<std::int64_t>(blockIdx.x) * far_numbers + threadIdx.x] = sum;
}

/// Adds number blockIdx.x of the sums over all blocks.
__global__ void __launch_bounds__(sum_threads)
    add_far_kernel(const double* parts, int blocks, PlacementFindings* found) {
  __shared__ double lane[sum_threads];
  double sum = 0;
  for (int b = static_cast<int>(threadIdx.x); b < blocks; b += sum_threads) sum += parts[b * far_numbers + blockIdx.x];
  sum = sum_of_block(sum, lane);
  if (threadIdx.x == 0) reinterpret_cast<double*>(&found->far)[blockIdx.x] = sum;
}

}  // namespace

DeviceSums::DeviceSums(const TreeView& part, const PlacedPoints& sources, double softening, DeviceMemory& memory,
                       SideStream& near_stream, SideStream& far_stream)
    : memory_(memory),
      near_stream_(near_stream),
      far_stream_(far_stream),
      view_(part),
      lists_{},
      sources_(sources),
      targets_{},
      target_count_(0),
      first_degree_(1),
      softening_(softening),
      chunk_(memory),
      occupation_(memory),
      own_part_(memory),
      far_part_(memory),
      on_device_(memory) {}

DeviceSums::DeviceSums(const CudaTree& tree, int degree, double softening, DeviceMemory& memory,
                       SideStream& near_stream, SideStream& far_stream)
    : DeviceSums(tree.tree.view(), {}, softening, memory, near_stream, far_stream) {
  lists_ = tree.lists.view();
  target_count_ = tree.target_points().count;
  first_degree_ = std::max(1, degree - 2);  // the degree is settled near `degree` as a rule
  const auto placed = [](const SortedPoints& p, const std::int64_t* begin, const std::int64_t* end) {
    return PlacedPoints{{p.axis[0].data(), p.axis[1].data(), p.axis[2].data()}, begin, end};
  };
  sources_ = placed(tree.sources, view_.source_begin, view_.source_end);
  targets_ = placed(tree.target_points(), view_.target_begin, view_.target_end);
}

void DeviceSums::sum_far_pairs() {
  const BoxSample sample = sample_of(view_, target_count_, softening_ > 0 ? softened_looks : usual_looks);
  if (sample.total == 0) return;
  const Decay decay = Decay::from(first_degree_);
  const int blocks = (sample.total + warps - 1) / warps;
  occupation_.resize(std::int64_t(sample.total) * places * 32);
  far_part_.resize(std::int64_t(blocks) * far_numbers);
  const cudaStream_t stream = far_stream_.fork(memory_.stream);
  occupations_kernel<<<static_cast<unsigned>(sample.total), 32 * places, 0, stream>>>(
      view_, sources_, targets_, target_count_, sample, decay, occupation_.data());
  require_launch("occupations_kernel");
  far_pairs_kernel<<<static_cast<unsigned>(blocks), sum_threads, 0, stream>>>(
      view_, sources_, targets_, target_count_, sample, occupation_.data(), far_part_.data());
  require_launch("far_pairs_kernel");
  add_far_kernel<<<far_numbers, sum_threads, 0, stream>>>(far_part_.data(), blocks, on_device_.data());
  require_launch("add_far_kernel");
}

void DeviceSums::read() {
  near_stream_.join(memory_.stream);
  far_stream_.join(memory_.stream);
  download(&found_, on_device_.data(), 1, memory_.stream);
  require(cudaStreamSynchronize(memory_.stream), "sums of the placement");
}

/// The longest chain begins first.
void DeviceSums::launch(bool planes_alone) {
  on_device_.resize(1);
  require(cudaMemsetAsync(on_device_.data(), 0, sizeof(PlacementFindings), memory_.stream), "cudaMemsetAsync");
  if (!planes_alone) sum_far_pairs();
  if (!planes_alone) sum_own_leaves();
  look_at_leaves();
  look_for_planes();
  if (!planes_alone) sum_norms();
}

const PlacementFindings& DeviceSums::found() {
  if (known_) return found_;
  read();
  known_ = true;
  return found_;
}

Placement DeviceSums::typical(const ResultNorms& norms, int degree) {
  const FarSums& far = found().far;
  const Placement sums = typical_sums({{far.beside[0], far.beside[1]}}, {{far.beyond[0], far.beyond[1]}}, degree);
  return relative(sums, target_count_, norms);
}

Placement DeviceSums::facing(const ResultNorms& norms, int degree) {
  if (degree < first_degree_ || degree >= first_degree_ + degrees_at_once) {
    found();
    first_degree_ = degree;  // settle_degree goes upwards
    sum_far_pairs();
    read();
  }
  const double* sums = found().far.facing[degree - first_degree_];
  return relative({{sums[0], sums[1]}}, target_count_, norms);
}

}  // namespace farfield::cuda

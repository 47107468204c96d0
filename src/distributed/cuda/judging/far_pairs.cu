#include <algorithm>

#include "backends/cuda/judge/placement/occupations.hpp"
#include "backends/cuda/runtime/column_sums.hpp"
#include "distributed/cuda/boxes/rows_of_ghosts.hpp"
#include "distributed/cuda/boxes/shared_on_device.hpp"
#include "distributed/cuda/judging/far_pairs.hpp"

namespace farfield::distributed {

using farfield::cuda::FarSums;
using farfield::cuda::for_each_index;

namespace {

constexpr int numbers = 32;  ///< of a box: by corner and degree
constexpr int warps = 4, far_numbers = sizeof(FarSums) / sizeof(double);

/// Of each level how many points of a box are looked at.
struct LooksByLevel {
  std::int64_t points[max_levels + 1] = {};
};

/// A target box of this rank and how many boxes it stands for; no_box: none.
struct DrawnBox {
  double stands_for;
  BoxId box, unused;
};

/// All target boxes of a level that are this rank's.
struct TakeAll {
  const BoxId* mine;
  DrawnBox* drawn;
  __device__ void operator()(std::int64_t k) const { drawn[k] = {1, mine[k], 0}; }
};

/// Those around the drawn targets that are this rank's, which all ranks draw alike.
struct DrawLevel {
  TreeView own;
  const BoxId* to_essential;  ///< [boxes of own]
  const Held* held;
  BoxId begin, end;  ///< of the level in the own tree
  std::int64_t first_target, own_targets, all_targets, sampled;
  std::uint32_t salt;
  DrawnBox* drawn;
  __device__ void operator()(std::int64_t which) const {
    const farfield::cuda::Choice choice(all_targets, sampled, salt);
    drawn[which] = {0, no_box, 0};
    const std::int64_t target = choice[which] - first_target;
    if (target < 0 || target >= own_targets || begin == end) return;
    BoxId low = begin, high = end;
    while (high - low > 1) {
      const BoxId middle = low + (high - low) / 2;
      (own.target_begin[middle] <= target ? low : high) = middle;
    }
    if (own.target_begin[low] > target || target >= own.target_end[low]) return;
    const BoxId box = to_essential[low];
    drawn[which] = {choice.step / static_cast<double>(held[box].count), box, 0};
  }
};

struct InvertOwn {
  const BoxId* from_own;
  BoxId* to_essential;
  __device__ void operator()(std::int64_t box) const {
    if (from_own[box] != no_box) to_essential[from_own[box]] = static_cast<BoxId>(box);
  }
};
struct InvertShared {
  const BoxId *own, *essential;
  BoxId* to_essential;
  __device__ void operator()(std::int64_t k) const {
    if (own[k] != no_box) to_essential[own[k]] = essential[k];
  }
};

/// Where the occupations of a rank's boxes, of ghosts and of shared boxes come from.
struct Occupations {
  TreeView tree;
  PlacedPoints sources, targets;
  NumberOfBox number;
  LooksByLevel looks;
  farfield::cuda::Decay decay;
  const BoxId *from_own, *from_top;
  const std::int32_t* ghost_row;
  const float *of_ghosts, *shared_sources, *shared_targets;

  __device__ float of_own(const PlacedPoints& points, BoxId box) const {
    return farfield::cuda::occupation(tree, points, box, {looks.points[tree.level[box]], 0, 1, number(tree, box)},
                                      decay);
  }
  __device__ float of_target(BoxId box) const {
    if (const BoxId top = from_top[box]; top != no_box)
      return shared_targets[std::int64_t(top) * numbers + threadIdx.x % 32];
    return of_own(targets, box);
  }
  __device__ float of_source(BoxId box) const {
    if (box == no_box || tree.source_count(box) == 0) return 0;
    const std::int64_t lane = threadIdx.x % 32;
    if (const BoxId top = from_top[box]; top != no_box) return shared_sources[std::int64_t(top) * numbers + lane];
    if (from_own[box] != no_box) return of_own(sources, box);
    const std::int32_t row = ghost_row[box];
    return row < 0 ? 0 : of_ghosts[std::int64_t(row) * numbers + lane];
  }
};

/// Rows that other ranks wait for, a warp each: of boxes in the own tree.
__global__ void __launch_bounds__(32 * warps)
    occupy_sent_kernel(const __grid_constant__ Occupations occupations, const BoxId* sent, std::int64_t count,
                       const BoxId* to_essential, float* rows) {
  const std::int64_t k = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32;
  if (k >= count) return;
  const BoxId box = to_essential[sent[k]];
  rows[k * numbers + threadIdx.x % 32] =
      occupations.tree.level[box] >= 2 ? occupations.of_own(occupations.sources, box) : 0;
}

/// A shared box, its number in the whole tree, and its points of one kind as all ranks number them.
struct SharedBox {
  std::int64_t number, begin, count;
  BoxId box, top;
};
/// A warp for each shared box, over those of the points that are looked at which are this rank's.
__global__ void __launch_bounds__(32)
    occupy_shared_kernel(const __grid_constant__ Occupations occupations, PlacedPoints points, const SharedBox* shared,
                         std::int64_t first, std::int64_t own, std::int64_t place, float* rows) {
  const SharedBox at = shared[blockIdx.x];
  const TreeView& tree = occupations.tree;
  const int level = tree.level[at.box];
  const farfield::cuda::Choice choice(at.count, occupations.looks.points[level], static_cast<std::uint32_t>(at.number));
  const double per_edge = 1 / tree.lattice.edge(level);
  float sum[numbers] = {};
  for (std::int64_t j = threadIdx.x; level >= 2 && j < choice.chosen; j += 32) {
    const std::int64_t i = at.begin + choice[j] - first;
    if (i < 0 || i >= own) continue;
    const CornerPlace corner = corner_place(tree, at.box, points, place + i, per_edge);
    const float distance = static_cast<float>(corner.distance);
    if (!(distance > occupations.decay.least[0])) continue;
#pragma unroll
    for (int k = 0; k < farfield::cuda::degrees_at_once; ++k) {
      const float weight = occupations.decay(distance, k);
#pragma unroll
      for (int c = 0; c < corners; ++c)
        sum[c * farfield::cuda::degrees_at_once + k] += corner.octant == c ? weight : 0.f;
    }
  }
  rows[std::int64_t(blockIdx.x) * numbers + threadIdx.x] =
      farfield::cuda::sum_of_lanes(sum) * static_cast<float>(choice.step);
}

using farfield::cuda::places;

/// Of every drawn box and those that face it, a warp each; [drawn][places][numbers].
__global__ void __launch_bounds__(32 * warps)
    occupy_drawn_kernel(const __grid_constant__ Occupations occupations, const DrawnBox* drawn, std::int64_t count,
                        float* rows) {
  const std::int64_t row = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32;
  if (row >= count * places) return;
  const BoxId box = drawn[row / places].box;
  const int place = static_cast<int>(row % places);
  float found = 0;
  if (box != no_box)
    found =
        place == 0 ? occupations.of_target(box) : occupations.of_source(facing_box(occupations.tree, box, place - 1));
  rows[row * numbers + threadIdx.x % 32] = found;
}

/// A warp for each drawn box, whose occupations are in `rows`; a block writes its sums to parts[block].
__global__ void __launch_bounds__(32 * warps)
    sum_far_kernel(const TreeView tree, const PlacedPoints sources, const Held* held, const DrawnBox* drawn,
                   std::int64_t count, const float* rows, double* parts) {
  __shared__ float own[warps][32];
  __shared__ double sums[warps][far_numbers];
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  const std::int64_t k = std::int64_t(blockIdx.x) * warps + warp;
  const DrawnBox at = k < count ? drawn[k] : DrawnBox{0, no_box, 0};
  if (lane < far_numbers) sums[warp][lane] = 0;
  __syncwarp();
  if (at.box != no_box) {
    const auto occupied = [&](int place) { return rows[(k * places + place) * numbers + lane]; };
    const float facing = farfield::cuda::facing_sum(occupied, own[warp]);
    const farfield::cuda::FarCounts far = farfield::cuda::count_far(tree, sources, at.box);
    const double edge = tree.lattice.edge(tree.level[at.box]), a2 = edge * edge;
    const auto pairs = static_cast<double>(held[at.box].count);
    double all[far_numbers / 2] = {pairs * static_cast<double>(farfield::cuda::sum_of_warp(far.beside)),
                                   pairs * static_cast<double>(farfield::cuda::sum_of_warp(far.beyond))};
    for (int d = 0; d < farfield::cuda::degrees_at_once; ++d)
      all[2 + d] = __shfl_sync(farfield::cuda::all_lanes, facing, d);
    for (int i = 0; lane == 0 && i < far_numbers / 2; ++i)
      sums[warp][2 * i] = all[i] * at.stands_for / a2, sums[warp][2 * i + 1] = all[i] * at.stands_for / (a2 * a2);
  }
  __syncthreads();
  if (threadIdx.x >= far_numbers) return;
  double sum = 0;
  for (int w = 0; w < warps; ++w) sum += sums[w][threadIdx.x];
  parts[std::int64_t(blockIdx.x) * far_numbers + threadIdx.x] = sum;
}

struct AddParts {
  const double* parts;
  __device__ void operator()(std::int64_t i, double* sum) const {
    for (int k = 0; k < far_numbers; ++k) sum[k] += parts[i * far_numbers + k];
  }
};

/// What is drawn, occupied and summed once.
class FarPairs {
 public:
  FarPairs(DevicePlaced& placed, const BoxNumbering& numbering, const PointsOfRank& points, int degree,
           const farfield::cuda::Looks& allowed)
      : placed_(placed),
        share_(*placed.on_device),
        numbering_(numbering),
        allowed_(allowed),
        shared_(share_, placed.memory, stream()) {
    use_all(placed.memory, to_essential_, ghost_row_, out_, in_, shared_sources_, shared_targets_, drawn_);
    o_.tree = share_.essential.tree.view();
    o_.sources = points.sources, o_.targets = points.targets;
    o_.number = numbering.view();
    o_.decay = farfield::cuda::Decay::from(degree);
    o_.from_own = share_.from_own.data(), o_.from_top = share_.from_top.data();
    for (int l = 2; l < numbering.levels(); ++l) o_.looks.points[l] = looks(l).points;
  }

  std::vector<double> sums() {
    invert();
    fetch_ghosts();
    occupy_shared();
    draw();
    return sum();
  }

 private:
  cudaStream_t stream() const { return placed_.memory.stream; }
  farfield::cuda::LevelLooks looks(int level) const {
    return farfield::cuda::looks_of_level(placed_.geometry.targets, numbering_.levels(), numbering_.boxes_of(level),
                                          allowed_);
  }
  void invert();
  void fetch_ghosts();
  void occupy_shared();
  std::vector<SharedBox> shared_boxes(Held CoarseBox::*kind) const;
  void occupy_shared(const PlacedPoints& points, Held CoarseBox::*kind, std::int64_t first, std::int64_t own,
                     std::int64_t place, OnDevice<float>& rows);
  void draw();
  std::vector<double> sum();

  DevicePlaced& placed_;
  const DeviceShare& share_;
  const BoxNumbering& numbering_;
  const farfield::cuda::Looks allowed_;
  SharedOnDevice shared_;
  Occupations o_{};
  OnDevice<BoxId> to_essential_;
  OnDevice<std::int32_t> ghost_row_;
  OnDevice<float> out_, in_, shared_sources_, shared_targets_;
  OnDevice<DrawnBox> drawn_;
};

void FarPairs::invert() {
  to_essential_.resize(share_.own.tree.boxes);
  for_each_index(o_.tree.boxes, InvertOwn{o_.from_own, to_essential_.data()}, stream(), "own boxes");
  for_each_index(shared_.count(), InvertShared{shared_.own(), shared_.essential(), to_essential_.data()}, stream(),
                 "shared boxes");
}

void FarPairs::fetch_ghosts() {
  BoxRows& rows = placed_.box_rows;
  out_.resize(rows.sent().size() * numbers), in_.resize(rows.received().size() * numbers);
  if (const std::int64_t count = rows.sent().size(); count > 0)
    occupy_sent_kernel<<<static_cast<unsigned>((count + warps - 1) / warps), 32 * warps, 0, stream()>>>(
        o_, rows.sent().data(), count, to_essential_.data(), out_.data());
  farfield::cuda::require_launch("occupy_sent_kernel");
  rows.exchange(placed_.transport, out_.data(), in_.data(), numbers * sizeof(float), stream());
  ghost_row_.resize(o_.tree.boxes);
  farfield::cuda::require(cudaMemsetAsync(ghost_row_.data(), 0xff,
                                          static_cast<std::size_t>(ghost_row_.size()) * sizeof(std::int32_t), stream()),
                          "cudaMemsetAsync");
  for_each_index(rows.received().size(), RowsOfGhosts{rows.received().data(), ghost_row_.data()}, stream(),
                 "rows of ghosts");
  o_.ghost_row = ghost_row_.data(), o_.of_ghosts = in_.data();
}

std::vector<SharedBox> FarPairs::shared_boxes(Held CoarseBox::*kind) const {
  std::vector<SharedBox> boxes;
  for (const SharedPlace& place : share_.shared) {
    const CoarseBox& box = share_.partition.boxes[share_.top.coarse[static_cast<std::size_t>(place.top)]];
    const Held& held = box.*kind;
    boxes.push_back(
        {numbering_.of_shared(box.level, box.first_rank), held.begin, held.count, place.essential, place.top});
  }
  return boxes;
}

/// The parts of all ranks, by boxes of the top. `first`: of the rank's own points among all, `place`: among those of
/// the essential tree.
void FarPairs::occupy_shared(const PlacedPoints& points, Held CoarseBox::*kind, std::int64_t first, std::int64_t own,
                             std::int64_t place, OnDevice<float>& rows) {
  const std::vector<SharedBox> boxes = shared_boxes(kind);
  OnDevice<SharedBox> shared(placed_.memory);
  OnDevice<float> part(placed_.memory);
  farfield::cuda::upload(shared, boxes.data(), std::ssize(boxes), stream());
  part.resize(std::ssize(boxes) * numbers);
  if (!boxes.empty())
    occupy_shared_kernel<<<static_cast<unsigned>(boxes.size()), 32, 0, stream()>>>(o_, points, shared.data(), first,
                                                                                   own, place, part.data());
  farfield::cuda::require_launch("occupy_shared_kernel");
  const std::vector<float> found = downloaded(part.data(), part.size(), stream());
  std::vector<float> sum(static_cast<std::size_t>(shared_.of_all()) * numbers, 0);
  for (std::size_t k = 0; k < boxes.size(); ++k)
    std::copy_n(found.begin() + static_cast<std::ptrdiff_t>(k) * numbers, numbers,
                sum.begin() + static_cast<std::ptrdiff_t>(shared_.among_all(k)) * numbers);
  placed_.ranks->add(sum);
  std::vector<float> all(static_cast<std::size_t>(share_.top.tree.boxes) * numbers, 0);
  for (std::size_t k = 0; k < boxes.size(); ++k)
    std::copy_n(sum.begin() + static_cast<std::ptrdiff_t>(shared_.among_all(k)) * numbers, numbers,
                all.begin() + static_cast<std::ptrdiff_t>(boxes[k].top) * numbers);
  farfield::cuda::upload(rows, all.data(), std::ssize(all), stream());
}

void FarPairs::occupy_shared() {
  occupy_shared(o_.sources, &CoarseBox::sources, share_.first_source, placed_.own_sources(), share_.first,
                shared_sources_);
  o_.shared_sources = o_.shared_targets = shared_sources_.data();
  if (placed_.tree.alike) return;
  occupy_shared(o_.targets, &CoarseBox::targets, share_.first_target, placed_.own_targets(), 0, shared_targets_);
  o_.shared_targets = shared_targets_.data();
}

void FarPairs::draw() {
  const TreeView own = share_.own.tree.view();
  std::int64_t total = 0;
  for (int l = 2; l < numbering_.levels(); ++l)
    total += looks(l).sampled == numbering_.boxes_of(l) ? numbering_.end(l) - numbering_.first(l) : looks(l).sampled;
  drawn_.resize(total);
  DrawnBox* next = drawn_.data();
  for (int l = 2; l < numbering_.levels(); ++l) {
    const std::int64_t sampled = looks(l).sampled;
    if (sampled == numbering_.boxes_of(l)) {
      const std::int64_t first = numbering_.first(l), count = numbering_.end(l) - first;
      for_each_index(count, TakeAll{share_.mine.data() + first, next}, stream(), "all boxes of a level");
      next += count;
      continue;
    }
    const bool has = l < own.levels;
    for_each_index(
        sampled,
        DrawLevel{own, to_essential_.data(), share_.held.data(), has ? own.level_begin[l] : 0,
                  has ? own.level_begin[l + 1] : 0, share_.first_target, placed_.own_targets(),
                  placed_.geometry.targets, sampled, static_cast<std::uint32_t>(numbering_.level_begin(l)), next},
        stream(), "drawn boxes");
    next += sampled;
  }
}

std::vector<double> FarPairs::sum() {
  const std::int64_t count = drawn_.size(), blocks = (count + warps - 1) / warps;
  OnDevice<double> parts(placed_.memory);
  OnDevice<float> rows(placed_.memory);
  parts.resize(blocks * far_numbers), rows.resize(count * places * numbers);
  if (count > 0) {
    occupy_drawn_kernel<<<static_cast<unsigned>((count * places + warps - 1) / warps), 32 * warps, 0, stream()>>>(
        o_, drawn_.data(), count, rows.data());
    farfield::cuda::require_launch("occupy_drawn_kernel");
    sum_far_kernel<<<static_cast<unsigned>(blocks), 32 * warps, 0, stream()>>>(
        o_.tree, o_.sources, share_.held.data(), drawn_.data(), count, rows.data(), parts.data());
  }
  farfield::cuda::require_launch("sum_far_kernel");
  OnDevice<double> room(placed_.memory);
  const auto all =
      farfield::cuda::column_sums<far_numbers>(blocks, AddParts{parts.data()}, room, stream(), "far pairs");
  return {all.begin(), all.end()};
}

}  // namespace

std::vector<double> far_pairs_of_rank(DevicePlaced& placed, const BoxNumbering& numbering, const PointsOfRank& points,
                                      int degree, bool softened) {
  return FarPairs(placed, numbering, points, degree,
                  softened ? farfield::cuda::softened_looks : farfield::cuda::usual_looks)
      .sums();
}

}  // namespace farfield::distributed

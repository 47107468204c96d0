// Four steps without the host between them: bounding boxes of blocks of points; their join, which gives the scale;
// marks in grid cells that hold a point; counts of marked cells per grid. One read-back at the end.
#include <bit>
#include <cub/block/block_reduce.cuh>
#include <farfield/error.hpp>
#include <string>

#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/transfer/points.hpp"
#include "backends/cuda/transfer/survey.hpp"
#include "backends/cuda/tuning.hpp"
#include "tree/lattice.hpp"
#include "tree/reader.hpp"

namespace farfield::cuda {
namespace {

struct Bounds {
  double low[3], high[3], least;
  bool finite;
};

struct Join {
  __device__ Bounds operator()(const Bounds& a, const Bounds& b) const {
    Bounds both;
    for (int d = 0; d < 3; ++d) {
      both.low[d] = fmin(a.low[d], b.low[d]);
      both.high[d] = fmax(a.high[d], b.high[d]);
    }
    both.least = fmin(a.least, b.least);
    both.finite = a.finite && b.finite;
    return both;
  }
};

__device__ Bounds no_bounds() {
  const double inf = __longlong_as_double(0x7ff0000000000000ll);
  return {{inf, inf, inf}, {-inf, -inf, -inf}, inf, true};
}

/// What the device finds out, read by the host in one piece.
struct Findings {
  Geometry geometry;
  Scaling scale;
  GridCells grid;
  bool finite[2];                                // of sources, of targets
  unsigned long long occupied[finest_grid + 1];  // cells of the grid with 2^level cells a side that hold a point
  unsigned long long top;                        // the cells of top_grid, a bit each
};

/// The bitmap of the finest grid. Cells are numbered in Morton order, so that eight neighbouring bits are one coarser
/// cell. A block counts what lies in one cell of top_grid.
constexpr int fine_words = (1 << 3 * finest_grid) / 32;
constexpr int top_grid = 2, top_cells = 1 << 3 * top_grid;
static_assert(top_cells == 64);  // bits of `top`
__host__ __device__ constexpr int words_in_top_cell(int level) {
  return level < top_grid + 2 ? 1 : (1 << 3 * (level - top_grid)) / 32;
}

__global__ void __launch_bounds__(block_threads) find_bounds(AnyReader read, std::int64_t count, Bounds* parts) {
  using Reduce = cub::BlockReduce<Bounds, block_threads>;
  __shared__ typename Reduce::TempStorage shared;
  Bounds own = no_bounds();
  for (std::int64_t i = std::int64_t(blockIdx.x) * block_threads + threadIdx.x; i < count;
       i += std::int64_t(gridDim.x) * block_threads)
    for (int d = 0; d < 3; ++d) {
      const double x = read.raw(i, d);
      own.low[d] = fmin(own.low[d], x);
      own.high[d] = fmax(own.high[d], x);
      if (x != 0) own.least = fmin(own.least, fabs(x));
      own.finite = own.finite && isfinite(x);
    }
  const Bounds all = Reduce(shared).Reduce(own, Join());
  if (threadIdx.x == 0) parts[blockIdx.x] = all;
}

__device__ Bounds join_parts(const Bounds* parts, int count) {
  using Reduce = cub::BlockReduce<Bounds, block_threads>;
  __shared__ typename Reduce::TempStorage shared;
  Bounds own = no_bounds();
  for (int i = static_cast<int>(threadIdx.x); i < count; i += block_threads) own = Join()(own, parts[i]);
  __syncthreads();  // `shared` serves both sets
  return Reduce(shared).Reduce(own, Join());
}

/// One block. `source_parts`, `target_parts`: number of parts of each set.
__global__ void __launch_bounds__(block_threads)
    find_box(const Bounds* parts, int source_parts, int target_parts, Findings* found) {
  const Bounds of_sources = join_parts(parts, source_parts);
  const Bounds of_targets = join_parts(parts + tuning::survey_blocks, target_parts);
  if (threadIdx.x != 0) return;
  found->finite[0] = of_sources.finite;
  found->finite[1] = of_targets.finite;
  const Bounds all = Join()(of_sources, of_targets);
  if (!all.finite) return;
  Geometry& g = found->geometry;
  set_box(g, all.low, all.high, all.least);
  for (int d = 0; d < 3 && !g.alike; ++d)
    g.of_targets.low[d] = of_targets.low[d], g.of_targets.high[d] = of_targets.high[d];
  found->scale = Scaling(found->geometry.exponent);
  found->grid = GridCells(found->geometry);
}

/// Spreads seven bits, all that a cell of the finest grid has along an axis, to every third place.
__device__ unsigned spread(unsigned v) {
  static_assert(finest_grid <= 8);
  v = (v | v << 8) & 0x0000f00fu;
  v = (v | v << 4) & 0x000c30c3u;
  return (v | v << 2) & 0x00249249u;
}

/// Which points a block looks at. Blocks that run at the same time take theirs from all over the arrays: where points
/// are sorted, neighbouring blocks would wait for one word of the bitmap.
struct Spread {
  static constexpr unsigned regions = 4096;  // more than blocks that run at once
  std::int64_t points;
  unsigned blocks, blocks_of_region;

  explicit Spread(std::int64_t count)
      : points(count), blocks(blocks_for(count)), blocks_of_region((blocks + regions - 1) / regions) {}
  std::int64_t threads() const {
    return std::int64_t(blocks_of_region > 1 ? regions * blocks_of_region : blocks) * block_threads;
  }
  /// Of this thread.
  __device__ std::int64_t point() const {
    return std::int64_t(blockIdx.x % regions * blocks_of_region + blockIdx.x / regions) * block_threads + threadIdx.x;
  }
};

struct MarkCell {
  AnyReader read;  // unscaled: the scale is not known to the host yet
  Spread spread_out;
  const Findings* found;
  unsigned* bitmap;
  __device__ void operator()(std::int64_t) const {
    const std::int64_t i = spread_out.point();
    if (i >= spread_out.points || !found->finite[0] || !found->finite[1] || !has_grid(found->geometry)) return;
    unsigned cell = 0;
    for (int d = 0; d < 3; ++d)
      cell |= spread(static_cast<unsigned>(found->grid.along(found->scale(read.raw(i, d)), d))) << d;
    // Of neighbours in one cell, as where points are sorted already, one marks it: 2^28 sorted points, 128 to a cell,
    // took 50 ms with an atomic for each.
    const unsigned warp = __activemask(), before = __shfl_up_sync(warp, cell, 1);
    if (threadIdx.x % 32 != 0 && before == cell) return;
    const unsigned bit = 1u << cell % 32;
    unsigned* word = bitmap + cell / 32;  // a stale word in the L1 cache costs a read of the L2 cache, no more
    if (!(*word & bit) && !(__ldcg(word) & bit)) atomicOr(word, bit);
  }
};

void mark_cells(const DevicePoints sets[2], const Findings* found, unsigned* bitmap, cudaStream_t stream) {
  for (int s = 0; s < 2; ++s) {
    const Spread spread_out(sets[s].count());
    for_each_index(spread_out.threads(), MarkCell{AnyReader(sets[s].view(), Scaling()), spread_out, found, bitmap},
                   stream, "cells");
  }
}

/// A block for each cell of top_grid: counts the cells of each grid down from there, and makes the next coarser one.
__global__ void __launch_bounds__(block_threads) count_cells(const unsigned* bitmap, Findings* found) {
  __shared__ unsigned grids[2][words_in_top_cell(finest_grid)], count[finest_grid + 1];
  if (threadIdx.x <= finest_grid) count[threadIdx.x] = 0;
  for (int w = static_cast<int>(threadIdx.x); w < words_in_top_cell(finest_grid); w += block_threads)
    grids[0][w] = bitmap[blockIdx.x * words_in_top_cell(finest_grid) + w];
  __syncthreads();
  unsigned *fine = grids[0], *coarse = grids[1];
  for (int level = finest_grid; level > top_grid; --level) {
    const int words = words_in_top_cell(level), coarse_words = words_in_top_cell(level - 1);
    unsigned bits = 0;
    for (int w = static_cast<int>(threadIdx.x); w < words; w += block_threads)
      bits += static_cast<unsigned>(__popc(fine[w]));
    bits = sum_of_warp(bits);
    if (threadIdx.x % 32 == 0 && bits) atomicAdd(count + level, bits);
    for (int w = static_cast<int>(threadIdx.x); w < coarse_words; w += block_threads) {
      unsigned word = 0;
      for (int byte = 0; byte < 32 && 8 * w + byte / 4 < words; ++byte)
        if (fine[8 * w + byte / 4] >> byte % 4 * 8 & 0xff) word |= 1u << byte;
      coarse[w] = word;
    }
    __syncthreads();
    unsigned* const counted = fine;
    fine = coarse, coarse = counted;
  }
  const int level = static_cast<int>(threadIdx.x);
  if (level > top_grid && level <= finest_grid && count[level])
    atomicAdd(&found->occupied[level], static_cast<unsigned long long>(count[level]));
  if (level == 0 && fine[0]) atomicOr(&found->top, 1ull << blockIdx.x);
}

/// The grids from top_grid up.
void count_top(Findings& found) {
  unsigned long long bits = found.top;
  for (int level = top_grid; level >= 0; --level) {
    found.occupied[level] = static_cast<unsigned long long>(std::popcount(bits));
    unsigned long long coarse = 0;
    for (int cell = 0; cell < 8; ++cell)
      if (bits >> 8 * cell & 0xff) coarse |= 1ull << cell;
    bits = coarse;
  }
}

/// Waits for the stream.
Findings counted(const unsigned* bitmap, Findings* found, cudaStream_t stream) {
  count_cells<<<top_cells, block_threads, 0, stream>>>(bitmap, found);
  require_launch("counts of cells");
  Findings findings{};
  download(&findings, found, 1, stream);
  require(cudaStreamSynchronize(stream), "survey");
  count_top(findings);
  return findings;
}

struct FindBad {
  AnyReader read;
  Kept kept;
  unsigned long long* lowest;
  __device__ void operator()(std::int64_t i) const {
    for (int d = 0; d < 3; ++d)
      if (!kept(read.raw(i, d))) atomicMin(lowest, static_cast<unsigned long long>(3 * i + d));
  }
};

void require_all(const Kept& kept, const Points& points, const char* what, cudaStream_t stream) {
  DeviceArray<unsigned long long> lowest;
  lowest.resize(1);
  require(cudaMemsetAsync(lowest.data(), 0xff, sizeof(unsigned long long), stream), "cudaMemsetAsync");
  for_each_index(points.count, FindBad{AnyReader(points, Scaling()), kept, lowest.data()}, stream,
                 "search for bad points");
  unsigned long long at = 0;
  download(&at, lowest.data(), 1, stream);
  require(cudaStreamSynchronize(stream), "search for bad points");
  if (at == ~0ull) return;
  const std::int64_t index = static_cast<std::int64_t>(at / 3);
  const int axis = static_cast<int>(at % 3);
  const bool single = points.scalar == Scalar::float32;
  double x = 0;
  float narrow = 0;
  const void* from = points.axis[static_cast<std::size_t>(axis)];
  if (single)
    download(&narrow, static_cast<const float*>(from) + index * points.stride, 1, stream);
  else
    download(&x, static_cast<const double*>(from) + index * points.stride, 1, stream);
  require(cudaStreamSynchronize(stream), "read of a bad point");
  refuse_coordinate(what, index, axis, single ? static_cast<double>(narrow) : x);
}

void require_finite(bool found, const Points& points, const char* what, cudaStream_t stream) {
  if (found) return;
  require_all(Kept(0), points, what, stream);
  throw Error(ErrorCode::input, std::string("the ") + what + "s changed while they were read");
}

int find_parts(const DevicePoints& points, Bounds* parts, cudaStream_t stream) {
  const std::int64_t wanted = (points.count() + 4 * block_threads - 1) / (4 * block_threads);
  const int blocks = static_cast<int>(wanted < tuning::survey_blocks ? wanted : tuning::survey_blocks);
  if (blocks == 0) return 0;
  find_bounds<<<static_cast<unsigned>(blocks), block_threads, 0, stream>>>(AnyReader(points.view(), Scaling()),
                                                                           points.count(), parts);
  require_launch("bounds");
  return blocks;
}

void choose_grid(Geometry& g, const Findings& found) {
  if (!has_grid(g)) return;
  const std::int64_t points = g.sources + (g.alike ? 0 : g.targets);
  const auto occupied = [&](int level) { return static_cast<std::int64_t>(found.occupied[level]); };
  int level = finest_grid;
  while (level > 0 && occupied(level) * 8 > points) --level;
  g.grid = 1 << level;
  g.occupied = occupied(level);
  g.occupied_coarse = level > 0 ? occupied(level - 1) : 1;
}

void clear_bits(unsigned* bitmap, cudaStream_t stream) {
  require(cudaMemsetAsync(bitmap, 0, fine_words * sizeof(unsigned), stream), "cudaMemsetAsync");
}

Findings look_at(const DevicePoints sets[2], const Geometry& counts, DeviceMemory& memory) {
  const cudaStream_t stream = memory.stream;
  DeviceArray<Bounds> parts(memory);
  DeviceArray<Findings> found(memory);
  DeviceArray<unsigned> bitmap(memory);
  const Findings findings{counts, {}, {}, {true, true}, {}, 0};
  upload(found, &findings, 1, stream);
  parts.resize(2 * tuning::survey_blocks);
  bitmap.resize(fine_words);
  clear_bits(bitmap.data(), stream);
  const int source_parts = find_parts(sets[0], parts.data(), stream);
  const int target_parts = find_parts(sets[1], parts.data() + tuning::survey_blocks, stream);
  find_box<<<1, block_threads, 0, stream>>>(parts.data(), source_parts, target_parts, found.data());
  require_launch("bounding box");
  mark_cells(sets, found.data(), bitmap.data(), stream);
  return counted(bitmap.data(), found.data(), stream);
}

/// The bounds of a set, for the host.
struct PlainBounds {
  PointBox box;
  double least;
  std::int64_t finite;
};
/// One block.
__global__ void __launch_bounds__(block_threads)
    join_sets(const Bounds* parts, int source_parts, int target_parts, PlainBounds* of_sets) {
  for (int s = 0; s < 2; ++s) {
    const Bounds own = join_parts(parts + s * tuning::survey_blocks, s == 0 ? source_parts : target_parts);
    if (threadIdx.x != 0) continue;
    for (int d = 0; d < 3; ++d) of_sets[s].box.low[d] = own.low[d], of_sets[s].box.high[d] = own.high[d];
    of_sets[s].least = own.least, of_sets[s].finite = own.finite;
  }
}

/// Survey of points that several ranks share. What needs no knowledge of others' points is under way before they are
/// met.
class SharedSurvey {
 public:
  SharedSurvey(SurveyOfOthers& others, const DevicePoints sets[2], DeviceMemory& memory)
      : others_(others), sets_(sets), memory_(memory), bits_(others.bits(fine_words)) {}
  SurveyOfOthers::Box own_box();
  Findings count(const Geometry& g);

 private:
  SurveyOfOthers& others_;
  const DevicePoints* sets_;
  DeviceMemory& memory_;
  unsigned* bits_;
  DeviceArray<Findings> found_{memory_};
};

/// The box of this rank's points; Error(input) where one is not finite.
SurveyOfOthers::Box SharedSurvey::own_box() {
  const cudaStream_t stream = memory_.stream;
  DeviceArray<Bounds> parts(memory_);
  DeviceArray<PlainBounds> joined(memory_);
  parts.resize(2 * tuning::survey_blocks), joined.resize(2), found_.resize(1);
  const int source_parts = find_parts(sets_[0], parts.data(), stream);
  const int target_parts = find_parts(sets_[1], parts.data() + tuning::survey_blocks, stream);
  join_sets<<<1, block_threads, 0, stream>>>(parts.data(), source_parts, target_parts, joined.data());
  require_launch("bounding box");
  clear_bits(bits_, stream);
  PlainBounds found[2];
  download(found, joined.data(), 2, stream);
  require(cudaStreamSynchronize(stream), "survey");
  constexpr const char* what[2] = {"source", "target"};
  for (int s = 0; s < 2; ++s) require_finite(found[s].finite != 0, sets_[s].view(), what[s], stream);
  SurveyOfOthers::Box box{sets_[0].count(), sets_[1].count(), found[1].box, found[1].box,
                          std::min(found[0].least, found[1].least)};
  for (int d = 0; d < 3; ++d) {
    box.all.low[d] = std::min(found[0].box.low[d], box.all.low[d]);
    box.all.high[d] = std::max(found[0].box.high[d], box.all.high[d]);
  }
  return box;
}

/// Counts cells that hold points of any rank.
Findings SharedSurvey::count(const Geometry& g) {
  const cudaStream_t stream = memory_.stream;
  const Findings findings{g, Scaling(g.exponent), GridCells(g), {true, true}, {}, 0};
  upload(found_, &findings, 1, stream);
  mark_cells(sets_, found_.data(), bits_, stream);
  others_.join_bits(bits_, fine_words, stream);
  return counted(bits_, found_.data(), stream);
}

}  // namespace

Geometry survey_with(SurveyOfOthers& others, const Points& sources, const Points* targets, DeviceMemory& memory) {
  check_view(sources, "source");
  if (targets) check_view(*targets, "target");
  const DevicePoints sets[2] = {DevicePoints(sources, memory),
                                targets ? DevicePoints(*targets, memory) : DevicePoints()};
  SharedSurvey survey(others, sets, memory);
  SurveyOfOthers::Box box = survey.own_box();
  others.join(box);
  Geometry g;
  g.sources = box.sources, g.alike = targets == nullptr;
  g.targets = targets ? box.targets : box.sources;
  if (g.sources + g.targets == 0) return g;
  set_box(g, box.all.low, box.all.high, box.least);
  if (targets) g.of_targets = box.of_targets;
  constexpr const char* what[2] = {"source", "target"};
  for (int s = 0; s < 2 && may_lose_digits(g); ++s)
    if (sets[s].count() > 0) require_all(Kept(g.exponent), sets[s].view(), what[s], memory.stream);
  if (has_grid(g)) choose_grid(g, survey.count(g));
  return g;
}

Geometry survey(const Points& sources, const Points* targets, DeviceMemory& memory) {
  check_view(sources, "source");
  if (targets) check_view(*targets, "target");
  Geometry g;
  g.sources = sources.count;
  g.alike = targets == nullptr;
  g.targets = targets ? targets->count : sources.count;
  if (g.sources + g.targets == 0) return g;
  const DevicePoints sets[2] = {DevicePoints(sources, memory),
                                targets ? DevicePoints(*targets, memory) : DevicePoints()};
  const Findings found = look_at(sets, g, memory);
  constexpr const char* what[2] = {"source", "target"};
  for (int s = 0; s < 2; ++s) require_finite(found.finite[s], sets[s].view(), what[s], memory.stream);
  g = found.geometry;
  for (int s = 0; s < 2 && may_lose_digits(g); ++s)
    if (sets[s].count() > 0) require_all(Kept(g.exponent), sets[s].view(), what[s], memory.stream);
  choose_grid(g, found);
  return g;
}

}  // namespace farfield::cuda

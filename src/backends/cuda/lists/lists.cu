#include <algorithm>
#include <cub/block/block_scan.cuh>

#include "backends/cuda/lists/row_maker.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/runtime/running_sum.hpp"

namespace farfield::cuda {
namespace {

/// Sum of the values of the lanes before this one.
__device__ std::int64_t sum_before(int value, int& total) {
  const int sum = sum_up_to(lane_id(), value);
  total = __shfl_sync(~0u, sum, 31);
  return sum - value;
}

/// Lengths of rows, or where they begin in the items.
struct ListRows {
  std::int64_t *near, *m2p, *p2l;
};
struct Items {
  BoxId *near, *m2p, *p2l;
};

struct Counts {
  std::int64_t near = 0, m2p = 0, p2l = 0;
};

/// Lengths of the rows of a box, without the finer boxes.
__device__ Counts count_coarser(const RowMaker& rows, BoxId target, const Surroundings& own) {
  Counts counts;
  const bool leaf = own.at.leaf();
  if (leaf) counts.near = __popc(own.slots);
  rows.coarser(target, own, [&](std::uint32_t near, std::uint32_t p2l, BoxId, Position) {
    if (leaf) counts.near += __popc(near);
    counts.p2l += __popc(p2l);
  });
  return counts;
}

/// Numbers of finer boxes in the rows of a leaf; for a whole warp.
__device__ Counts count_finer(const RowMaker& rows, BoxId target, std::uint32_t open) {
  int finer[2] = {};
  const BoxId own = rows.colleague_of_lane(target);
  if (!rows.visit_side_by_side(target, own, open, (1u << lane_id()) - 1, [&](unsigned near, unsigned m2p, BoxId) {
        finer[0] += __popc(near);
        finer[1] += __popc(m2p);
      })) {
    int below[2] = {};
    rows.visit(target, rows.in(open) ? own : no_box, max_levels,
               [&](BoxId, Place to, int) { ++below[to == Place::m2p]; });
    for (int l = 0; l < 2; ++l) finer[l] = sum_of_warp(below[l]);
  }
  return {finer[0], finer[1], 0};
}

/// Finds where each row begins, and where the last one ends. Sets of slots give the lengths of most rows; only where a
/// leaf has opened colleagues, a warp counts the finer boxes in them.
struct CountRows {
  RowMaker rows;
  ListRows begin;
  std::int64_t* totals;  // of near, m2p, p2l: where the last rows end
  TileQueue queue;
  RunningSum sum[3];

  struct Tile {
    Counts counts[block_threads];
    std::uint32_t open[block_threads];
  };

  __device__ void operator()(Tile& shared) const {
    const std::int64_t entries = std::int64_t(rows.tree.boxes) + 1;
    const int size = boxes_per_tile(entries);
    const std::int64_t tiles = (entries + size - 1) / size;
    for (std::int64_t tile; (tile = queue.take(tiles)) < tiles;) {
      const std::int64_t first = tile * size;
      const int thread = static_cast<int>(threadIdx.x),
                count = static_cast<int>(entries - first < size ? entries - first : size);
      if (thread < count) count_alone(shared, static_cast<BoxId>(first + thread));
      __syncthreads();
      for (int b = thread / 32; b < count; b += block_threads / 32) {
        if (!shared.open[b]) continue;
        const Counts finer = count_finer(rows, static_cast<BoxId>(first + b), shared.open[b]);
        if (lane_id() != 0) continue;
        shared.counts[b].near += finer.near;
        shared.counts[b].m2p = finer.m2p;
      }
      __syncthreads();
      store(first, count, tile, thread < count ? shared.counts[thread] : Counts{});
    }
  }

 private:
  __device__ void count_alone(Tile& shared, BoxId target) const {
    const Surroundings own = target < rows.tree.boxes ? rows.around.of[target] : Surroundings{};
    shared.open[threadIdx.x] = own.at.leaf() ? own.open_or_reach : 0u;
    shared.counts[threadIdx.x] = count_coarser(rows, target, own);
  }

  /// Stores where the rows of a tile begin; a warp per list sums the tiles before.
  __device__ void store(std::int64_t first, int count, std::int64_t tile, const Counts& own) const {
    using Scan = cub::BlockScan<std::int64_t, block_threads>;
    __shared__ typename Scan::TempStorage shared[3];
    __shared__ std::int64_t before_tile[3];
    const std::int64_t length[3] = {own.near, own.m2p, own.p2l};
    std::int64_t before[3] = {}, all[3] = {};
    for (int l = 0; l < 3; ++l) Scan(shared[l]).ExclusiveSum(length[l], before[l], all[l]);
    for (int l = 0; l < 3; ++l) {
      if (static_cast<int>(threadIdx.x) / 32 != l) continue;
      const std::int64_t of_tiles = sum[l].before(tile, all[l]);
      if (lane_id() == 0) before_tile[l] = of_tiles;
    }
    __syncthreads();
    if (static_cast<int>(threadIdx.x) >= count) return;
    const std::int64_t entry = first + threadIdx.x;
    std::int64_t* const to[3] = {begin.near, begin.m2p, begin.p2l};
    for (int l = 0; l < 3; ++l) {
      to[l][entry] = before_tile[l] + before[l];
      if (entry == rows.tree.boxes) totals[l] = before_tile[l] + before[l];
    }
  }
};

__global__ void __launch_bounds__(block_threads) count_rows_kernel(const __grid_constant__ CountRows count) {
  __shared__ CountRows::Tile shared;
  count(shared);
}

/// Fills the rows, a warp per box. All loads that most rows need are issued at once.
struct FillRows {
  RowMaker rows;
  ListRows begin;
  Items items;

  __device__ void operator()(std::int64_t i) const {
    const BoxId target = static_cast<BoxId>(i / 32), colleague = rows.colleague_of_lane(target);
    const Surroundings own = rows.around.of[target];
    BoxId* near = items.near + begin.near[target];
    const bool leaf = own.at.leaf(), self = leaf && (own.slots & own_slot);
    if (self && lane_id() == 0) *near = target;
    near += self;
    if (own.above != no_box) near = fill_coarser(target, own, near);
    if (!leaf) return;
    const std::uint32_t whole = own.slots & ~own_slot, open = own.open_or_reach, before = rows.slots_before(own.at);
    if (rows.in(whole)) near[__popc(whole & before)] = colleague;
    if (open) fill_finer(target, colleague, open, before, near + __popc(whole));
  }

 private:
  /// Writes coarser leaves, backwards from where they end in their rows; returns that end in the near row.
  __device__ BoxId* fill_coarser(BoxId target, const Surroundings& own, BoxId* near) const {
    const bool leaf = own.at.leaf();
    if (leaf)
      rows.coarser(target, own, [&](std::uint32_t found, std::uint32_t, BoxId, Position) { near += __popc(found); });
    BoxId *near_end = near, *p2l_end = items.p2l + begin.p2l[target + 1];
    rows.coarser(target, own, [&](std::uint32_t found, std::uint32_t p2l, BoxId ancestor, Position at) {
      const BoxId box = rows.colleague_of_lane(ancestor);
      const std::uint32_t before = rows.slots_before(at);
      near_end -= __popc(found);
      p2l_end -= __popc(p2l);
      if (leaf && rows.in(found)) near_end[__popc(found & before)] = box;
      if (rows.in(p2l)) p2l_end[__popc(p2l & before)] = box;
    });
    return near;
  }

  __device__ void fill_finer(BoxId target, BoxId colleague, std::uint32_t open, std::uint32_t before,
                             BoxId* near) const {
    BoxId* m2p = items.m2p + begin.m2p[target];
    BoxId *next_near = near, *next_m2p = m2p;
    const auto fill = [&](unsigned of_near, unsigned of_m2p, BoxId box) {
      const unsigned lower = (1u << lane_id()) - 1;
      if (rows.in(of_near)) next_near[__popc(of_near & lower)] = box;
      if (rows.in(of_m2p)) next_m2p[__popc(of_m2p & lower)] = box;
      next_near += __popc(of_near);
      next_m2p += __popc(of_m2p);
    };
    if (rows.visit_side_by_side(target, colleague, open, before, fill)) return;
    fill_by_depth(target, sorted_by_rank(colleague, open, before), near, m2p);
  }

  /// The colleagues in the slots `open` in ascending order, no_box in the lanes after them.
  __device__ static BoxId sorted_by_rank(BoxId colleague, std::uint32_t open, std::uint32_t before) {
    BoxId sorted = no_box;
    for (std::uint32_t left = open; left; left &= left - 1) {
      const int slot = __ffs(static_cast<int>(left)) - 1;
      const BoxId box = __shfl_sync(~0u, colleague, slot);
      if (__shfl_sync(~0u, __popc(open & before), slot) == lane_id()) sorted = box;
    }
    return sorted;
  }

  /// Writes finer boxes depth by depth below the target's level. `root`: the lane's colleague; the colleagues ascend
  /// with the lanes, and so do the boxes found in them at one depth.
  __device__ void fill_by_depth(BoxId target, BoxId root, BoxId* near, BoxId* m2p) const {
    bool more = root != no_box;
    for (int depth = 1; __any_sync(~0u, more); ++depth) {
      int counts[2] = {}, totals[2];
      more = rows.visit(target, root, depth, [&](BoxId, Place to, int below) {
        if (below == depth) ++counts[to == Place::m2p];
      });
      BoxId* next_near = near + sum_before(counts[0], totals[0]);
      BoxId* next_m2p = m2p + sum_before(counts[1], totals[1]);
      if (counts[0] + counts[1] > 0)
        rows.visit(target, root, depth, [&](BoxId box, Place to, int below) {
          if (below == depth) *(to == Place::m2p ? next_m2p : next_near)++ = box;
        });
      near += totals[0];
      m2p += totals[1];
    }
  }
};

}  // namespace

void build_lists(Lists<DeviceArray>& lists, const TreeView& tree, const Around& around, DeviceMemory& memory) {
  const cudaStream_t stream = memory.stream;
  const std::int64_t boxes = tree.boxes, tiles = most_tiles(boxes + 1);
  List<DeviceArray>* all[3] = {&lists.near, &lists.m2p, &lists.p2l};
  for (List<DeviceArray>* list : all) list->begin.resize(boxes + 1);
  DeviceArray<unsigned long long> running(memory);  // three of RunningSum, then a word of TileQueue
  running.resize(3 * tiles + 1);
  DeviceArray<std::int64_t> totals(memory);
  totals.resize(3);
  require(
      cudaMemsetAsync(running.data(), 0, static_cast<std::size_t>(running.size()) * sizeof(unsigned long long), stream),
      "cudaMemsetAsync");
  const ListRows begin{lists.near.begin.data(), lists.m2p.begin.data(), lists.p2l.begin.data()};
  const RowMaker rows{tree, around};
  const CountRows count{rows,
                        begin,
                        totals.data(),
                        {reinterpret_cast<unsigned*>(running.data() + 3 * tiles)},
                        {{running.data(), 1}, {running.data() + tiles, 1}, {running.data() + 2 * tiles, 1}}};
  const std::int64_t blocks = std::min<std::int64_t>((boxes + 8) / 8, 8 * device_limits().multiprocessors);
  count_rows_kernel<<<static_cast<unsigned>(blocks), block_threads, 0, stream>>>(count);
  require_launch("lengths of rows");
  std::int64_t entries[3] = {};
  download(entries, totals.data(), 3, stream);
  require(cudaStreamSynchronize(stream), "lengths of rows");
  for (int l = 0; l < 3; ++l) all[l]->items.resize(entries[l]);
  const Items items{lists.near.items.data(), lists.m2p.items.data(), lists.p2l.items.data()};
  for_each_index(32 * boxes, FillRows{rows, begin, items}, stream, "rows");
}

}  // namespace farfield::cuda

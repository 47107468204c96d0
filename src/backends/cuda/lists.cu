#include <algorithm>
#include <cub/block/block_scan.cuh>

#include "backends/cuda/device.hpp"
#include "backends/cuda/lists.hpp"
#include "backends/cuda/running_sum.hpp"

namespace farfield::cuda {
namespace {

constexpr unsigned warp = ~0u;

__device__ int lane_id() { return static_cast<int>(threadIdx.x % 32); }

__device__ BoxId colleague_of_lane(const TreeView& tree, BoxId b) {
  return lane_id() < colleagues_per_box ? tree.colleague[std::int64_t(b) * colleagues_per_box + lane_id()] : no_box;
}

/// How many lanes below this one, in the order of their boxes' numbers, are in `lanes`.
__device__ int rank_among(unsigned lanes, BoxId box) {
  int rank = 0;
  for (; lanes; lanes &= lanes - 1) rank += __shfl_sync(warp, box, __ffs(static_cast<int>(lanes)) - 1) < box;
  return rank;
}

/// Boxes of the lanes in ascending order, no_box last: a bitonic sort.
__device__ BoxId sorted_by_lanes(BoxId box) {
  unsigned own = static_cast<unsigned>(box);  // no_box is the largest
  for (int size = 2; size <= 32; size *= 2)
    for (int apart = size / 2; apart > 0; apart /= 2) {
      const unsigned other = __shfl_xor_sync(warp, own, apart);
      const bool keeps_smaller = ((lane_id() & apart) == 0) == ((lane_id() & size) == 0);
      own = (other < own) == keeps_smaller ? other : own;
    }
  return static_cast<BoxId>(own);
}

/// Sum of the values of the lanes before this one.
__device__ std::int64_t sum_before(int value, int& total) {
  int sum = value;
  for (int step = 1; step < 32; step *= 2) {
    const int other = __shfl_up_sync(warp, sum, step);
    if (lane_id() >= step) sum += other;
  }
  total = __shfl_sync(warp, sum, 31);
  return sum - value;
}

enum class Place { nowhere, near, m2p, children };

/// Lengths of rows, or where they begin in the items.
struct Rows {
  std::int64_t *near, *m2p, *p2l;
};
struct Items {
  BoxId *near, *m2p, *p2l;
};

/// What makes the rows of one target box, a warp together.
struct RowMaker {
  TreeView tree;
  ListThresholds thresholds;
  Around around;

  __device__ bool is_source_leaf(BoxId b) const { return b != no_box && (around.kind[b] & source_leaf); }
  __device__ bool in(std::uint32_t slots) const { return slots >> lane_id() & 1u & (lane_id() < colleagues_per_box); }

  /// Coarser leaves that touch the parent: colleagues of ancestors. Those that touch the target too, or that it takes
  /// by pairs all the same, are near a leaf; the others come by p2l. Calls use(lanes of near, lanes of p2l, leaf of
  /// this lane) from the finest ancestor to the coarsest.
  template <class Use>
  __device__ void coarser(BoxId target, const Use& use) const {
    const BoxId parent = tree.parent[target];
    const bool by_pairs = tree.is_leaf(target) && tree.target_count(target) <= thresholds.p2l_targets;
    for (BoxId a = around.above[target]; a != no_box; a = around.reach[a]) {
      const BoxId leaf = colleague_of_lane(tree, a);
      const bool found = is_source_leaf(leaf) && (a == parent || touch(tree, leaf, parent));
      const bool adjacent = found && (by_pairs || touch(tree, leaf, target));
      use(__ballot_sync(warp, adjacent), __ballot_sync(warp, found && !adjacent), leaf);
    }
  }

  /// Where a source box goes whose parent touches the target leaf.
  __device__ Place place(BoxId target, BoxId source) const {
    const std::int64_t sources = tree.source_count(source);
    if (sources == 0) return Place::nowhere;
    if (sources <= thresholds.m2p_sources) return Place::near;  // whatever lies in it would go there
    if (!touch(tree, target, source)) return Place::m2p;
    return tree.is_leaf(source) ? Place::near : Place::children;
  }

  /// Visits what lies in the colleagues `root` of the lanes, those of a level side by side: ascending where the roots
  /// are. Calls use(lanes of near, lanes of m2p, box of this lane); false where more boxes are open at a time than
  /// there is room for, then some were visited.
  template <class Use>
  __device__ bool visit_side_by_side(BoxId target, BoxId root, const Use& use) const {
    constexpr int room = 192;  // boxes; the trees of Plummer models and spheres open 100 at most
    __shared__ BoxId opened_boxes[block_threads / 32][2][room];
    auto& all = opened_boxes[threadIdx.x / 32];
    unsigned lanes = __ballot_sync(warp, root != no_box);
    if (root != no_box) all[0][__popc(lanes & ((1u << lane_id()) - 1))] = root;
    int count = __popc(lanes);
    for (int now = 0; count > 0; now = 1 - now) {
      int next = 0;
      __syncwarp();
      for (int first = 0; first < count; first += 4) {
        const int at = first + lane_id() / 8;
        const BoxId box = at < count ? tree.child(all[now][at], lane_id() % 8) : no_box;
        const Place to = box != no_box ? place(target, box) : Place::nowhere;
        use(__ballot_sync(warp, to == Place::near), __ballot_sync(warp, to == Place::m2p), box);
        lanes = __ballot_sync(warp, to == Place::children);
        if (next + __popc(lanes) > room) return false;
        if (to == Place::children) all[1 - now][next + __popc(lanes & ((1u << lane_id()) - 1))] = box;
        next += __popc(lanes);
      }
      count = next;
    }
    return true;
  }

  /// Visits what lies in `root`, a colleague of the target, down to `depth` levels below it, in the order of numbers
  /// per level. Calls use(box, place, levels below root); true if there is more below.
  template <class Use>
  __device__ bool visit(BoxId target, BoxId root, int depth, const Use& use) const {
    if (root == no_box) return false;
    bool more = false;
    BoxId box = root;
    for (int below = 0;;) {
      const Place to = place(target, box);
      if (to == Place::children && below < depth) {
        box = tree.first_child[box];
        ++below;
        continue;
      }
      if (to == Place::children)
        more = true;
      else if (to != Place::nowhere)
        use(box, to, below);
      for (;; --below) {
        if (below == 0) return more;
        const BoxId parent = tree.parent[box];
        if (++box < tree.first_child[parent] + tree.child_count(parent)) break;
        box = parent;
      }
    }
  }
};

struct Counts {
  std::int64_t near = 0, m2p = 0, p2l = 0;
};

/// Lengths of the rows of `target`, by a warp.
__device__ Counts count_rows(const RowMaker& rows, BoxId target) {
  const TreeView& tree = rows.tree;
  const bool leaf = tree.is_leaf(target);
  Counts counts;
  rows.coarser(target, [&](unsigned near, unsigned p2l, BoxId) {
    if (leaf) counts.near += __popc(near);
    counts.p2l += __popc(p2l);
  });
  if (!leaf) return counts;
  counts.near += __popc(rows.around.whole[target] & ~a_leaf);
  const std::uint32_t open = rows.around.open[target];
  if (!open) return counts;
  const BoxId root = rows.in(open) ? colleague_of_lane(tree, target) : no_box;
  int finer[2] = {};
  if (!rows.visit_side_by_side(target, root, [&](unsigned near, unsigned m2p, BoxId) {
        finer[0] += __popc(near);
        finer[1] += __popc(m2p);
      })) {
    int below[2] = {};
    rows.visit(target, root, max_levels, [&](BoxId, Place to, int) { ++below[to == Place::m2p]; });
    for (int l = 0; l < 2; ++l) finer[l] = sum_of_warp(below[l]);
  }
  counts.near += finer[0];
  counts.m2p = finer[1];
  return counts;
}

/// Where all rows begin, and where the last one ends. Most boxes have neighbours of their own size only, and two words
/// tell the length of their row; a warp counts for each of the others.
struct CountRows {
  RowMaker rows;
  Rows begin;
  std::int64_t* totals;  // of near, m2p, p2l: where the last rows end
  TileQueue queue;
  RunningSum sum[3];

  struct Tile {
    Counts counts[block_threads];
    bool uneven[block_threads];
  };

  __device__ void operator()(Tile& shared) const {
    const std::int64_t entries = std::int64_t(rows.tree.boxes) + 1;
    const int size = boxes_per_tile(entries);
    const std::int64_t tiles = (entries + size - 1) / size;
    for (std::int64_t tile; (tile = queue.take(tiles)) < tiles;) {
      const std::int64_t first = tile * size;
      const int thread = static_cast<int>(threadIdx.x),
                count = static_cast<int>(entries - first < size ? entries - first : size);
      if (thread < count) count_even(shared, first, thread);
      __syncthreads();
      for (int b = thread / 32; b < count; b += block_threads / 32) {
        if (!shared.uneven[b]) continue;
        const Counts counts = count_rows(rows, static_cast<BoxId>(first + b));
        if (lane_id() == 0) shared.counts[b] = counts;
      }
      __syncthreads();
      const Counts own = thread < count ? shared.counts[thread] : Counts{};
      store(begin.near, first, count, tile, own.near, 0);
      store(begin.m2p, first, count, tile, own.m2p, 1);
      store(begin.p2l, first, count, tile, own.p2l, 2);
    }
  }

 private:
  __device__ void count_even(Tile& shared, std::int64_t first, int b) const {
    const TreeView& tree = rows.tree;
    const BoxId target = static_cast<BoxId>(first + b);
    const bool hears = target < tree.boxes && tree.target_count(target) > 0, leaf = hears && tree.is_leaf(target);
    shared.uneven[b] = hears && (rows.around.above[target] != no_box || (leaf && rows.around.open[target]));
    shared.counts[b] = {};
    if (leaf) shared.counts[b].near = __popc(rows.around.whole[target] & ~a_leaf);
  }

  __device__ void store(std::int64_t* to, std::int64_t first, int count, std::int64_t tile, std::int64_t own,
                        int list) const {
    using Scan = cub::BlockScan<std::int64_t, block_threads>;
    __shared__ typename Scan::TempStorage shared;
    __shared__ std::int64_t before_tile;
    std::int64_t before = 0, all = 0;
    __syncthreads();
    Scan(shared).ExclusiveSum(own, before, all);
    if (threadIdx.x < 32) {
      const std::int64_t of_tiles = sum[list].before(tile, all);
      if (threadIdx.x == 0) before_tile = of_tiles;
    }
    __syncthreads();
    if (static_cast<int>(threadIdx.x) >= count) return;
    to[first + threadIdx.x] = before_tile + before;
    if (first + static_cast<std::int64_t>(threadIdx.x) == rows.tree.boxes) totals[list] = before_tile + before;
  }
};

__global__ void __launch_bounds__(block_threads) count_rows_kernel(const __grid_constant__ CountRows count) {
  __shared__ CountRows::Tile shared;
  count(shared);
}

/// A warp per box. Everything that most rows need is asked for at once.
struct FillRows {
  RowMaker rows;
  Rows begin;
  Items items;

  __device__ void operator()(std::int64_t i) const {
    const TreeView& tree = rows.tree;
    const BoxId target = static_cast<BoxId>(i / 32);
    const BoxId own = colleague_of_lane(tree, target), above = rows.around.above[target];
    const std::uint32_t whole = rows.around.whole[target], open = rows.around.open[target];
    const bool leaf = tree.is_leaf(target), self = rows.around.kind[target] & source_leaf;
    BoxId* near = items.near + begin.near[target];
    if (!(tree.target_count(target) > 0)) return;
    if (self && lane_id() == 0) *near = target;
    near += self;
    if (above != no_box) near = fill_coarser(target, leaf, near);
    if (!leaf) return;
    const BoxId taken = sorted_by_lanes(rows.in(whole) && own != target ? own : no_box);
    if (taken != no_box) near[lane_id()] = taken;
    if (!open) return;
    near += __popc(__ballot_sync(warp, taken != no_box));
    const BoxId root = sorted_by_lanes(rows.in(open) ? own : no_box);
    BoxId* m2p = items.m2p + begin.m2p[target];
    if (!fill_side_by_side(target, root, near, m2p)) fill_finer(target, root, near, m2p);
  }

 private:
  __device__ bool fill_side_by_side(BoxId target, BoxId root, BoxId* near, BoxId* m2p) const {
    return rows.visit_side_by_side(target, root, [&](unsigned of_near, unsigned of_m2p, BoxId box) {
      const unsigned own = 1u << lane_id();
      if (of_near & own) near[__popc(of_near & (own - 1))] = box;
      if (of_m2p & own) m2p[__popc(of_m2p & (own - 1))] = box;
      near += __popc(of_near);
      m2p += __popc(of_m2p);
    });
  }

  /// From the ends of their rows backwards; returns the end of what is near.
  __device__ BoxId* fill_coarser(BoxId target, bool leaf, BoxId* near) const {
    std::int64_t coarser = 0;
    if (leaf) rows.coarser(target, [&](unsigned found, unsigned, BoxId) { coarser += __popc(found); });
    BoxId *near_end = near + coarser, *p2l_end = items.p2l + begin.p2l[target + 1];
    rows.coarser(target, [&](unsigned found, unsigned p2l, BoxId box) {
      const unsigned own = 1u << lane_id();
      const int near_rank = rank_among(found, box), p2l_rank = rank_among(p2l, box);
      near_end -= __popc(found);
      p2l_end -= __popc(p2l);
      if (leaf && (found & own)) near_end[near_rank] = box;
      if (p2l & own) p2l_end[p2l_rank] = box;
    });
    return near + coarser;
  }

  /// Depth by depth from the target's level; lanes hold colleagues in ascending order, and so are what they find.
  __device__ void fill_finer(BoxId target, BoxId root, BoxId* near, BoxId* m2p) const {
    bool more = root != no_box;
    for (int depth = 1; __any_sync(warp, more); ++depth) {
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

void build_lists(Lists<DeviceArray>& lists, const TreeView& tree, const Around& around,
                 const ListThresholds& thresholds, DeviceMemory& memory) {
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
  const Rows begin{lists.near.begin.data(), lists.m2p.begin.data(), lists.p2l.begin.data()};
  const RowMaker rows{tree, thresholds, around};
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

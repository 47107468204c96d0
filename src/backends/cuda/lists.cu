#include <cub/device/device_scan.cuh>

#include "backends/cuda/lists.hpp"
#include "backends/cuda/parallel.hpp"

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

/// What a box is to a target leaf among its colleagues, in one byte: colleagues' bytes are looked at more than anything
/// else.
enum Kind : std::uint8_t { empty = 0, taken_whole = 1, opened = 2, source_leaf = 4 };

struct FindKind {
  TreeView tree;
  std::int64_t few;  // sources that go to near whatever they are
  std::uint8_t* kind;
  __device__ void operator()(std::int64_t i) const {
    const BoxId b = static_cast<BoxId>(i);
    const std::int64_t sources = tree.source_count(b);
    const bool leaf = tree.is_leaf(b);
    kind[b] = sources == 0 ? empty : (leaf ? source_leaf : 0) | (leaf || sources <= few ? taken_whole : opened);
  }
};

/// Does a box have a colleague that is a leaf with sources? A warp per box.
struct FindRim {
  TreeView tree;
  const std::uint8_t* kind;
  std::uint8_t* rim;
  __device__ void operator()(std::int64_t i) const {
    const BoxId b = static_cast<BoxId>(i / 32), c = colleague_of_lane(tree, b);
    const bool any = __any_sync(warp, c != no_box && (kind[c] & source_leaf));
    if (lane_id() == 0) rim[b] = any;
  }
};

/// The nearest ancestor with such a colleague, or no_box: all that can be coarser neighbours are such colleagues.
struct FindAbove {
  TreeView tree;
  const std::uint8_t* rim;
  BoxId* above;
  __device__ void operator()(std::int64_t b) const {
    BoxId a = tree.parent[b];
    while (a != no_box && !rim[a]) a = tree.parent[a];
    above[b] = a;
  }
};

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
  const std::uint8_t* kind;
  const BoxId* above;

  __device__ unsigned kind_of(BoxId b) const { return b == no_box ? empty : kind[b]; }

  /// Coarser leaves that touch the parent: colleagues of ancestors. Those that touch the target too, or that it takes
  /// by pairs all the same, are near a leaf; the others come by p2l. Calls use(lanes of near, lanes of p2l, leaf of
  /// this lane) from the finest ancestor to the coarsest.
  template <class Use>
  __device__ void coarser(BoxId target, const Use& use) const {
    const BoxId parent = tree.parent[target];
    const bool by_pairs = tree.is_leaf(target) && tree.target_count(target) <= thresholds.p2l_targets;
    for (BoxId a = above[target]; a != no_box; a = above[a]) {
      const BoxId leaf = colleague_of_lane(tree, a);
      const bool found = (kind_of(leaf) & source_leaf) && (a == parent || touch(tree, leaf, parent));
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
  std::int64_t near = 0, p2l = 0;
};

__device__ Counts count_coarser(const RowMaker& rows, BoxId target) {
  Counts counts;
  rows.coarser(target, [&](unsigned near, unsigned p2l, BoxId) {
    counts.near += __popc(near);
    counts.p2l += __popc(p2l);
  });
  return counts;
}

/// Lengths of all rows; entry `boxes` is 0.
struct CountRows {
  RowMaker rows;
  Rows length;
  __device__ void operator()(std::int64_t i) const {
    const TreeView& tree = rows.tree;
    const BoxId target = static_cast<BoxId>(i / 32);
    Counts coarser;
    int near = 0, m2p = 0;
    if (target < tree.boxes && tree.target_count(target) > 0) {
      coarser = count_coarser(rows, target);
      if (tree.is_leaf(target)) {
        const BoxId own = colleague_of_lane(tree, target);
        const unsigned kind = rows.kind_of(own);
        near = __popc(__ballot_sync(warp, kind & taken_whole));
        if (__any_sync(warp, kind & opened)) {
          int below[2] = {};
          rows.visit(target, kind & opened ? own : no_box, max_levels,
                     [&](BoxId, Place to, int) { ++below[to == Place::m2p]; });
          near += sum_of_warp(below[0]);
          m2p = sum_of_warp(below[1]);
        }
      } else {
        coarser.near = 0;
      }
    }
    if (lane_id() != 0) return;
    length.near[target] = near + coarser.near;
    length.m2p[target] = m2p;
    length.p2l[target] = coarser.p2l;
  }
};

struct FillRows {
  RowMaker rows;
  Rows begin;
  Items items;

  __device__ void operator()(std::int64_t i) const {
    const TreeView& tree = rows.tree;
    const BoxId target = static_cast<BoxId>(i / 32);
    if (tree.target_count(target) == 0) return;
    const bool leaf = tree.is_leaf(target), self = leaf && tree.source_count(target) > 0;
    BoxId* near = items.near + begin.near[target];
    if (self && lane_id() == 0) *near = target;
    near += self;
    const std::int64_t coarser = leaf ? count_coarser(rows, target).near : 0;
    fill_coarser(target, leaf, near + coarser, items.p2l + begin.p2l[target + 1]);
    if (leaf) fill_finer(target, near + coarser, items.m2p + begin.m2p[target]);
  }

 private:
  /// From the ends of their rows backwards.
  __device__ void fill_coarser(BoxId target, bool leaf, BoxId* near_end, BoxId* p2l_end) const {
    rows.coarser(target, [&](unsigned near, unsigned p2l, BoxId box) {
      const unsigned own = 1u << lane_id();
      const int near_rank = rank_among(near, box), p2l_rank = rank_among(p2l, box);
      near_end -= __popc(near);
      p2l_end -= __popc(p2l);
      if (leaf && (near & own)) near_end[near_rank] = box;
      if (p2l & own) p2l_end[p2l_rank] = box;
    });
  }

  /// Depth by depth from the target's level; lanes hold colleagues in ascending order, and so are what they find.
  __device__ void fill_finer(BoxId target, BoxId* near, BoxId* m2p) const {
    const BoxId own = colleague_of_lane(rows.tree, target), colleague = sorted_by_lanes(own == target ? no_box : own);
    const unsigned kind = rows.kind_of(colleague), whole = __ballot_sync(warp, kind & taken_whole);
    if (kind & taken_whole) near[__popc(whole & ((1u << lane_id()) - 1))] = colleague;
    near += __popc(whole);
    bool more = kind & opened;
    const BoxId root = more ? colleague : no_box;
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

/// Lengths to beginnings; the last one is the number of items.
void sum_lengths(DeviceArray<std::int64_t>& begin, DeviceMemory& memory) {
  with_temporary(memory, "beginnings of rows", [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(temporary, bytes, begin.data(), begin.data(), begin.size(), memory.stream);
  });
}

}  // namespace

void build_lists(Lists<DeviceArray>& lists, const TreeView& tree, const ListThresholds& thresholds,
                 DeviceMemory& memory) {
  const cudaStream_t stream = memory.stream;
  const std::int64_t boxes = tree.boxes;
  DeviceArray<std::uint8_t> kind(memory), rim(memory);
  DeviceArray<BoxId> above(memory);
  kind.resize(boxes);
  rim.resize(boxes);
  above.resize(boxes);
  for_each_index(boxes, FindKind{tree, thresholds.m2p_sources, kind.data()}, stream, "kinds of boxes");
  for_each_index(32 * boxes, FindRim{tree, kind.data(), rim.data()}, stream, "rims");
  for_each_index(boxes, FindAbove{tree, rim.data(), above.data()}, stream, "coarser neighbours");

  List<DeviceArray>* all[3] = {&lists.near, &lists.m2p, &lists.p2l};
  for (List<DeviceArray>* list : all) list->begin.resize(boxes + 1);
  const Rows begin{lists.near.begin.data(), lists.m2p.begin.data(), lists.p2l.begin.data()};
  const RowMaker rows{tree, thresholds, kind.data(), above.data()};
  for_each_index(32 * (boxes + 1), CountRows{rows, begin}, stream, "lengths of rows");
  std::int64_t entries[3] = {};
  for (int l = 0; l < 3; ++l) {
    sum_lengths(all[l]->begin, memory);
    download(&entries[l], all[l]->begin.data() + boxes, 1, stream);
  }
  require(cudaStreamSynchronize(stream), "lengths of rows");
  for (int l = 0; l < 3; ++l) all[l]->items.resize(entries[l]);
  const Items items{lists.near.items.data(), lists.m2p.items.data(), lists.p2l.items.data()};
  for_each_index(32 * boxes, FillRows{rows, begin, items}, stream, "rows");
}

}  // namespace farfield::cuda

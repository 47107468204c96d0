// Colleagues: a colleague of a box is a child of a colleague of its parent. A warp reads the colleagues of a parent
// once and distributes their children to all children of the parent, level by level from the top. It also stores what
// the list builder needs to know of colleagues: sixteen bytes per box instead of 27 look-ups for every row.
#include <algorithm>

#include "backends/cuda/lists/lists.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {
namespace {

constexpr unsigned all_lanes = ~0u;

struct FindKind {
  TreeView tree;
  std::int64_t few;  // a box with at most so many sources goes to near, leaf or not
  std::uint8_t* kind;
  __device__ void operator()(std::int64_t i) const {
    const BoxId b = static_cast<BoxId>(i);
    const std::int64_t sources = tree.source_count(b);
    const int found = (tree.is_leaf(b) ? source_leaf : 0) | (sources <= few ? few_sources : 0);
    kind[b] = static_cast<std::uint8_t>(sources == 0 ? empty : found ? found : opened);
  }
};

/// Sets of slots.
struct Colleagues {
  std::uint32_t leaves = 0, few = 0, opened = 0;
};
struct Target {
  bool leaf = false;
  std::int64_t targets = 0;
};

/// A warp serves boxes_per_warp boxes of one level: those of them that have children, one after the other.
struct FindColleagues {
  TreeView tree;
  std::int64_t first, end;  // boxes of the level
  int boxes_per_warp;
  ListThresholds thresholds;
  BoxId* colleague;
  Around around;

  __device__ void operator()(std::int64_t i) const {
    const int lane = static_cast<int>(threadIdx.x % 32);
    const std::int64_t own = first + i / 32 * boxes_per_warp + lane;
    if (own == 0) store_root();
    __syncwarp();
    const bool parent = lane < boxes_per_warp && own < end && !tree.is_leaf(static_cast<BoxId>(own));
    for (unsigned left = __ballot_sync(all_lanes, parent); left; left &= left - 1)
      add_children(static_cast<BoxId>(own - lane + __ffs(static_cast<int>(left)) - 1));
  }

 private:
  __device__ void store_root() const {
    const int self = colleague_slot(0, 0, 0);
    for (int slot = 0; slot < colleagues_per_box; ++slot) colleague[slot] = slot == self ? 0 : no_box;
    const auto own = [&](Kind kind) { return around.kind[0] & kind ? own_slot : 0u; };
    around.of[0] =
        surroundings({tree.is_leaf(0), tree.target_count(0)}, {own(source_leaf), own(few_sources), 0}, no_box, {});
  }

  /// A lane per slot; the look-ups of all children overlap.
  __device__ void add_children(BoxId parent) const {
    const int slot = static_cast<int>(threadIdx.x % 32);
    const BoxId uncle =
        slot < colleagues_per_box ? colleague[std::int64_t(parent) * colleagues_per_box + slot] : no_box;
    const unsigned cousins = uncle == no_box ? 0 : tree.child_mask[uncle];
    const BoxId first_cousin = uncle == no_box ? no_box : tree.first_child[uncle];
    const unsigned children = tree.child_mask[parent];
    const BoxId first = tree.first_child[parent];
    const Surroundings own = around.of[parent];
    const bool here = slot < 8 && (children >> (slot & 7) & 1u);  // lanes 0 ... 7: a child each
    const BoxId mine = first + __popc(children & ((1u << (slot & 7)) - 1u));
    const Target target = here ? Target{tree.is_leaf(mine), tree.target_count(mine)} : Target{};
    BoxId found[8];
    unsigned kind[8];
    const BoxOffset d = colleague_offset(slot);
#pragma unroll
    for (int o = 0; o < 8; ++o) {
      const int x = (o & 1) + d.x, y = (o >> 1 & 1) + d.y, z = (o >> 2) + d.z;  // -1 ... 2
      const int from = colleague_slot(x >> 1, y >> 1, z >> 1) & 31, octant = (x & 1) | (y & 1) << 1 | (z & 1) << 2;
      const unsigned mask = __shfl_sync(all_lanes, cousins, from);
      const BoxId sibling = __shfl_sync(all_lanes, first_cousin, from);
      const bool exists = slot < colleagues_per_box && (children >> o & mask >> octant & 1u);
      found[o] = exists ? sibling + __popc(mask & ((1u << octant) - 1u)) : no_box;
      kind[o] = exists ? around.kind[found[o]] : empty;
    }
    const BoxId reach = find_reach(parent, own);
    if (slot == 0) around.of[parent].open_or_reach = static_cast<std::uint32_t>(reach);
    Colleagues around_mine;
    BoxId child = first;
#pragma unroll
    for (int o = 0; o < 8; ++o) {
      if (!(children >> o & 1u)) continue;
      if (slot < colleagues_per_box) colleague[std::int64_t(child) * colleagues_per_box + slot] = found[o];
      ++child;
      const Colleagues these{__ballot_sync(all_lanes, kind[o] & source_leaf),
                             __ballot_sync(all_lanes, kind[o] & few_sources),
                             __ballot_sync(all_lanes, kind[o] & opened)};
      if (slot == o) around_mine = these;
    }
    if (here) around.of[mine] = surroundings(target, around_mine, own.slots ? parent : reach, own.at.child(slot));
  }

  /// Finds reach(). A leaf that touches a box touches the box's ancestors, too: follows reach() upwards.
  __device__ BoxId find_reach(BoxId box, const Surroundings& own) const {
    for (BoxId a = own.above; a != no_box;) {
      const Surroundings there = around.of[a];
      if (around.leaves_that_touch(tree, a, there, box, own.at)) return a;
      a = there.reach();
    }
    return no_box;
  }

  /// Surroundings of a box, without reach(): that of a box with children follows when its children are added.
  __device__ Surroundings surroundings(const Target& box, const Colleagues& sets, BoxId above, Position at) const {
    Surroundings found;
    found.at = box.leaf ? at.of_leaf(box.targets <= thresholds.p2l_targets) : at;
    if (box.targets == 0) return found;
    found.slots = box.leaf ? sets.leaves | sets.few : sets.leaves;
    found.open_or_reach = box.leaf ? sets.opened : 0u;
    found.above = above;
    return found;
  }
};

}  // namespace

Neighbourhood::Neighbourhood(DeviceMemory& memory) : kind_(memory), of_(memory) {}

Around Neighbourhood::find(Tree<DeviceArray>& tree, const ListThresholds& thresholds, cudaStream_t stream) {
  tree.colleague.resize(std::int64_t(colleagues_per_box) * tree.boxes);
  kind_.resize(tree.boxes);
  of_.resize(tree.boxes);
  const TreeView view = tree.view();
  const Around around{kind_.data(), of_.data()};
  for_each_index(tree.boxes, FindKind{view, thresholds.m2p_sources, kind_.data()}, stream, "kinds of boxes");
  for (int level = 0; level < std::max(1, tree.levels - 1); ++level) {  // the deepest boxes have no children
    const std::int64_t first = tree.level_begin[level], end = tree.level_begin[level + 1];
    const int boxes_per_warp = tuning::boxes_per_warp(end - first);
    for_each_index(32 * ((end - first + boxes_per_warp - 1) / boxes_per_warp),
                   FindColleagues{view, first, end, boxes_per_warp, thresholds, tree.colleague.data(), around}, stream,
                   "colleagues");
  }
  return around;
}

}  // namespace farfield::cuda

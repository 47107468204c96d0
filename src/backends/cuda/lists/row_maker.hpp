// RowMaker: finds the coarser and finer source boxes in the lists of a target box, beside its colleagues; both the
// count and the filling of rows use it.
#pragma once
#include "backends/cuda/lists/lists.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {

__device__ constexpr SlotOrder slot_order;  // 8 kB, of which 6 are used: they stay in the first-level cache

inline __device__ int lane_id() { return static_cast<int>(threadIdx.x % 32); }

enum class Place { nowhere, near, m2p, children };

struct RowMaker {
  TreeView tree;
  Around around;

  __device__ static bool in(std::uint32_t slots) { return slots >> lane_id() & 1u; }
  __device__ BoxId colleague_of_lane(BoxId b) const {
    return lane_id() < colleagues_per_box ? tree.colleague[std::int64_t(b) * colleagues_per_box + lane_id()] : no_box;
  }
  /// The slots whose boxes have lower numbers than the box in this lane's slot; none for lanes without a slot.
  __device__ static std::uint32_t slots_before(Position box) { return slot_order.before[box.order()][lane_id()]; }

  /// Finds the coarser leaves that touch the target's parent: they are colleagues of ancestors. A target leaf has those
  /// in its near list that touch the leaf itself, or all if it is by_pairs(); the others reach the target by p2l. Calls
  /// use(slots of near, slots of p2l, ancestor, the ancestor's position) from the finest ancestor to the coarsest.
  template <class Use>
  __device__ void coarser(BoxId target, const Surroundings& own, const Use& use) const {
    for (BoxId a = own.above; a != no_box;) {
      const Surroundings there = around.of[a];
      const bool of_parent = there.at.level() == own.at.level() - 1;  // usual; the parent's colleagues all touch it
      const std::uint32_t found = of_parent ? there.slots : leaves_that_touch_parent(target, a, there);
      const std::uint32_t adjacent =
          own.at.by_pairs() ? found : found & around.leaves_that_touch(tree, a, there, target, own.at);
      use(adjacent, found & ~adjacent, a, there.at);
      a = there.reach();
    }
  }

  __device__ std::uint32_t leaves_that_touch_parent(BoxId target, BoxId ancestor, const Surroundings& there) const {
    const BoxId parent = tree.parent[target];
    return around.leaves_that_touch(tree, ancestor, there, parent, around.of[parent].at);
  }

  /// Where a source box goes whose parent touches the target leaf; `children`: the box's children are placed instead.
  /// touches() tells whether the box itself touches the leaf.
  template <class Touches>
  __device__ Place place(BoxId source, const Touches& touches) const {
    const unsigned kind = around.kind[source];
    if (kind == empty) return Place::nowhere;
    if (kind & few_sources) return Place::near;  // as would every box in it
    if (!touches()) return Place::m2p;
    return kind & source_leaf ? Place::near : Place::children;
  }

  /// Visits the boxes in the target's colleagues in the slots `open`, level by level, those of a level side by side in
  /// the lanes; `own` is the colleague in this lane's slot, `before` the slots to visit before it. Calls use(lanes of
  /// near, lanes of m2p, box of this lane). Returns false where more boxes are open at a time than there is room for;
  /// some boxes were visited then. For whole warps.
  template <class Use>
  __device__ bool visit_side_by_side(BoxId target, BoxId own, std::uint32_t open, std::uint32_t before,
                                     const Use& use) const {
    __shared__ BoxId opened_boxes[block_threads / 32][2][tuning::most_open];
    // octants on the side that faces the target
    __shared__ std::uint8_t facing_target[block_threads / 32][2][tuning::most_open];
    auto& boxes = opened_boxes[threadIdx.x / 32];
    auto& facing = facing_target[threadIdx.x / 32];
    __syncwarp();  // no lane still reads the boxes of an earlier visit
    if (in(open)) {
      const int at = __popc(open & before);
      boxes[0][at] = own;
      facing[0][at] = static_cast<std::uint8_t>(facing_octants(lane_id()));
    }
    int count = __popc(open);
    for (int below = 1, now = 0; count > 0; ++below, now = 1 - now) {
      int next = 0;
      __syncwarp();
      for (int first = 0; first < count; first += 4) {
        const int at = first + lane_id() / 8, octant = lane_id() % 8;
        const BoxId box = at < count ? tree.child(boxes[now][at], octant) : no_box;
        const unsigned faces = at < count ? facing[now][at] : 0u;
        const auto touches = [&] {
          return below <= most_exact ? (faces >> octant & 1u) != 0 : touch(tree, target, box);
        };
        const Place to = box != no_box ? place(box, touches) : Place::nowhere;
        use(__ballot_sync(~0u, to == Place::near), __ballot_sync(~0u, to == Place::m2p), box);
        const unsigned lanes = __ballot_sync(~0u, to == Place::children);
        if (next + __popc(lanes) > tuning::most_open) return false;
        if (to == Place::children) {
          const int after = next + __popc(lanes & ((1u << lane_id()) - 1));
          boxes[1 - now][after] = box;
          facing[1 - now][after] = static_cast<std::uint8_t>(faces);
        }
        next += __popc(lanes);
      }
      count = next;
    }
    return true;
  }

  /// Visits the boxes in `root`, an opened colleague of the target, down to `depth` levels below it, on each level in
  /// the order of numbers. Calls use(box, place, levels below root); returns true if there are deeper boxes.
  template <class Use>
  __device__ bool visit(BoxId target, BoxId root, int depth, const Use& use) const {
    if (root == no_box) return false;
    bool more = false;
    BoxId box = root;
    for (int below = 0;;) {
      const Place to = place(box, [&] { return touch(tree, target, box); });
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

}  // namespace farfield::cuda

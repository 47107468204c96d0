// RowMaker: which coarser and finer boxes are in the lists of a target box, beside its colleagues: what counting rows
// and filling them have in common.
#pragma once
#include "backends/cuda/boxes/lists.hpp"
#include "backends/cuda/runtime/parallel.hpp"

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
  /// The slots before that of this lane, in the order of their boxes' numbers; all of them where it has none.
  __device__ static std::uint32_t slots_before(Position box) { return slot_order.before[box.order()][lane_id()]; }

  /// Coarser leaves that touch the parent: colleagues of ancestors. Those that touch the target too, or that it takes
  /// by pairs all the same, are near a leaf; the others come by p2l. Calls use(slots of near, slots of p2l, ancestor,
  /// its position) from the finest ancestor to the coarsest.
  template <class Use>
  __device__ void coarser(BoxId target, const Surroundings& own, const Use& use) const {
    for (BoxId a = own.above; a != no_box;) {
      const Surroundings there = around.of[a];
      const bool of_parent = there.at.level() == own.at.level() - 1;  // as most are: what its leaves touch is itself
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

  /// Where a source box goes whose parent touches the target leaf; touches() tells whether it does itself.
  template <class Touches>
  __device__ Place place(BoxId source, const Touches& touches) const {
    const unsigned kind = around.kind[source];
    if (kind == empty) return Place::nowhere;
    if (kind & few_sources) return Place::near;  // whatever lies in it would go there
    if (!touches()) return Place::m2p;
    return kind & source_leaf ? Place::near : Place::children;
  }

  /// Visits what lies in the colleagues of the target in the slots `open`, those of a level side by side; `own` is the
  /// colleague in this lane's slot, `before` the slots to visit before it. Calls use(lanes of near, lanes of m2p, box
  /// of this lane); false where more boxes are open at a time than there is room for, then some were visited. For whole
  /// warps.
  template <class Use>
  __device__ bool visit_side_by_side(BoxId target, BoxId own, std::uint32_t open, std::uint32_t before,
                                     const Use& use) const {
    constexpr int room = 192;  // boxes; the trees of Plummer models and spheres open 100 at most
    __shared__ BoxId opened_boxes[block_threads / 32][2][room];
    __shared__ std::uint8_t facing_target[block_threads / 32][2][room];  // octants at the side that does
    auto& boxes = opened_boxes[threadIdx.x / 32];
    auto& facing = facing_target[threadIdx.x / 32];
    __syncwarp();  // nobody reads what an earlier visit left
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
        if (next + __popc(lanes) > room) return false;
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

  /// Visits what lies in `root`, an opened colleague of the target, down to `depth` levels below it, in the order of
  /// numbers per level. Calls use(box, place, levels below root); true if there is more below.
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

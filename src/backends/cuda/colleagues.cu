// Colleagues: a colleague of a box is a child of a colleague of its parent. A warp looks at the parent's colleagues
// once and hands their children to all of the parent's children, level by level from the top; with them goes what the
// lists want to know of colleagues, two words per box instead of 27 look-ups for every row.
#include <algorithm>

#include "backends/cuda/lists.hpp"
#include "backends/cuda/parallel.hpp"

namespace farfield::cuda {
namespace {

constexpr unsigned all_lanes = ~0u;

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

/// A warp for some boxes of one level, one of those that have children after the other.
struct FindColleagues {
  TreeView tree;
  std::int64_t first, end;  // boxes of the level
  int boxes_per_warp;
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
    const unsigned kind = around.kind[0], bit = 1u << self;
    around.whole[0] = (kind & taken_whole ? bit : 0u) | (kind & source_leaf ? a_leaf : 0u);
    around.open[0] = kind & opened ? bit : 0u;
    around.above[0] = no_box;
  }

  /// A lane per slot; the look-ups of all children overlap.
  __device__ void add_children(BoxId parent) const {
    const int slot = static_cast<int>(threadIdx.x % 32);
    const BoxId uncle =
        slot < colleagues_per_box ? colleague[std::int64_t(parent) * colleagues_per_box + slot] : no_box;
    const unsigned cousins = uncle == no_box ? 0 : tree.child_mask[uncle];
    const BoxId first_cousin = uncle == no_box ? no_box : tree.first_child[uncle];
    const unsigned children = tree.child_mask[parent];
    const BoxId reach = find_reach(parent), above = around.has_leaf(parent) ? parent : reach;
    if (slot == 0) around.reach[parent] = reach;
    BoxId found[8];
    unsigned kind[8];
#pragma unroll
    for (int o = 0; o < 8; ++o) {
      const int x = (o & 1) + slot % 3 - 1, y = (o >> 1 & 1) + slot / 3 % 3 - 1,
                z = (o >> 2) + slot / 9 - 1;  // -1 ... 2
      const int from = colleague_slot(x >> 1, y >> 1, z >> 1) & 31, octant = (x & 1) | (y & 1) << 1 | (z & 1) << 2;
      const unsigned mask = __shfl_sync(all_lanes, cousins, from);
      const BoxId sibling = __shfl_sync(all_lanes, first_cousin, from);
      const bool exists = slot < colleagues_per_box && (children >> o & mask >> octant & 1u);
      found[o] = exists ? sibling + count_bits(mask & ((1u << octant) - 1u)) : no_box;
      kind[o] = exists ? around.kind[found[o]] : empty;
    }
    BoxId child = tree.first_child[parent];
#pragma unroll
    for (int o = 0; o < 8; ++o)
      if (children >> o & 1u) store(child++, found[o], kind[o], above);
  }

  /// A leaf that touches a box touches its ancestors, too: from ancestor to ancestor by their reach.
  __device__ BoxId find_reach(BoxId box) const {
    const int slot = static_cast<int>(threadIdx.x % 32);
    for (BoxId a = around.above[box]; a != no_box; a = around.reach[a]) {
      const BoxId leaf = slot < colleagues_per_box ? colleague[std::int64_t(a) * colleagues_per_box + slot] : no_box;
      const bool touches = leaf != no_box && (around.kind[leaf] & source_leaf) && touch(tree, leaf, box);
      if (__any_sync(all_lanes, touches)) return a;
    }
    return no_box;
  }

  /// The row of a box, a slot per lane, and what lies there.
  __device__ void store(BoxId box, BoxId own, unsigned kind, BoxId above) const {
    const int slot = static_cast<int>(threadIdx.x % 32);
    if (slot < colleagues_per_box) colleague[std::int64_t(box) * colleagues_per_box + slot] = own;
    const unsigned whole = __ballot_sync(all_lanes, kind & taken_whole), open = __ballot_sync(all_lanes, kind & opened);
    const bool leaf = __any_sync(all_lanes, kind & source_leaf);
    if (slot != 0) return;
    around.whole[box] = whole | (leaf ? a_leaf : 0u);
    around.open[box] = open;
    around.above[box] = above;
  }
};

}  // namespace

Neighbourhood::Neighbourhood(DeviceMemory& memory)
    : kind_(memory), whole_(memory), open_(memory), reach_(memory), above_(memory) {}

Around Neighbourhood::find(Tree<DeviceArray>& tree, std::int64_t few, cudaStream_t stream) {
  tree.colleague.resize(std::int64_t(colleagues_per_box) * tree.boxes);
  kind_.resize(tree.boxes);
  whole_.resize(tree.boxes);
  open_.resize(tree.boxes);
  reach_.resize(tree.boxes);
  above_.resize(tree.boxes);
  const TreeView view = tree.view();
  const Around around{kind_.data(), whole_.data(), open_.data(), reach_.data(), above_.data()};
  for_each_index(tree.boxes, FindKind{view, few, kind_.data()}, stream, "kinds of boxes");
  for (int level = 0; level < std::max(1, tree.levels - 1); ++level) {  // the deepest boxes have no children
    const std::int64_t first = tree.level_begin[level], end = tree.level_begin[level + 1];
    const int boxes_per_warp = end - first < 1 << 18 ? 1 : 8;  // most boxes of large levels are leaves
    for_each_index(32 * ((end - first + boxes_per_warp - 1) / boxes_per_warp),
                   FindColleagues{view, first, end, boxes_per_warp, tree.colleague.data(), around}, stream,
                   "colleagues");
  }
  return around;
}

}  // namespace farfield::cuda

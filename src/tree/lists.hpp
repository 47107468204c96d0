// Interaction lists of an adaptive tree (Cheng, Greengard & Rokhlin's lists 1-4 without level restriction).
//
// Each source reaches each target exactly once, through one of:
//   near (p2p)  target leaf t <- source box s: t and s touch, or expansions would cost more than the pairs
//   far  (m2l)  target box t <- source box s of the same level: the parents touch, the boxes do not.
//               Not stored: it follows from TreeView::colleague of the parent and the children's octants.
//   m2p         target leaf t <- finer source box s: s's parent touches t, s does not
//   p2l         target box t <- coarser source leaf s: s touches t's parent, not t
// An item of a near row may be any box, leaf or not: all its sources, a contiguous range, are summed. A near row
// begins with the target leaf itself (if it has sources). Otherwise all rows are in ascending order. Rows hold only
// boxes with sources.
// near, m2p and p2l are stored by target in compressed rows, so that every sum is a gather.
#pragma once
#include <cstdint>

#include "core/hd.hpp"
#include "tree/displacement.hpp"

namespace farfield {

/// Row r holds items[begin[r] ... begin[r + 1]); rows are boxes.
struct ListView {
  const std::int64_t* begin = nullptr;  ///< [boxes + 1]
  const BoxId* items = nullptr;
};

struct ListsView {
  ListView near, m2p, p2l;
};

template <template <class> class ArrayOf>
struct List {
  ArrayOf<std::int64_t> begin;
  ArrayOf<BoxId> items;
  ListView view() const { return {begin.data(), items.data()}; }
  std::int64_t entries() const { return items.size(); }
};

template <template <class> class ArrayOf>
struct Lists {
  List<ArrayOf> near, m2p, p2l;
  template <class Memory>
  void use(Memory& memory) {
    for (List<ArrayOf>* list : {&near, &m2p, &p2l}) use_all(memory, list->begin, list->items);
  }
  ListsView view() const { return {near.view(), m2p.view(), p2l.view()}; }
};

/// Thresholds of the list builder, from the cost model: up to these numbers pairs are cheaper than expansions.
struct ListThresholds {
  std::int64_t m2p_sources = 0;  ///< a finer box with at most this many sources goes to the near list, not m2p
  std::int64_t p2l_targets = 0;  ///< coarser leaves reach a leaf with at most this many targets by p2p, not p2l
};

/// Do boxes a and b (any levels) share at least a corner? Centres are exact, so a relative slack of 2^-20 of
/// the edges separates touching from apart safely. (A box 2^20 times smaller that lies within the slack of a large
/// one counts as touching: its pairs are then summed by p2p, not by an expansion, and still once each.)
FARFIELD_HD bool touch(const TreeView& tree, BoxId a, BoxId b) {
  const double reach = 0.5 * (tree.lattice.edge(tree.level[a]) + tree.lattice.edge(tree.level[b])) * (1 + 0x1p-20);
  for (int axis = 0; axis < 3; ++axis) {
    const double d = displacement(tree, a, b, axis);
    if (d > reach || d < -reach) return false;
  }
  return true;
}

/// The reduced stencil (Gumerov & Duraiswami 2008, section 2.2.3): is a child-level source box with displacement
/// (dx, dy, dz), in half child edges from the centre of the target's parent, one of the 80 that are translated to
/// the parent? Distance^2 >= 10.75 child edges^2, i.e. 43 in half edges squared.
FARFIELD_HD bool goes_to_parent(int dx, int dy, int dz) { return dx * dx + dy * dy + dz * dz >= 43; }

}  // namespace farfield

// Surroundings: what the list builder needs to know of a box and its colleagues, found once, together with the
// colleagues: sixteen bytes per box. Sets of colleagues are words of 27 bits, one per slot of TreeView::colleague.
// Which colleagues touch a smaller box, and the order of their box numbers, follow from the positions of boxes in their
// ancestors: neither needs a read of the colleagues themselves.
#pragma once
#include "tree/far.hpp"

namespace farfield::cuda {

/// Kind of a source box. `opened`: it has sources, more than few, and is no leaf, so that its children are examined.
enum Kind : std::uint8_t { empty = 0, source_leaf = 1, few_sources = 2, opened = 4 };

inline constexpr std::uint32_t all_slots = (1u << colleagues_per_box) - 1;
inline constexpr std::uint32_t own_slot = 1u << 13;

/// Position of a box in its ancestors, in a word.
///
/// The `run` along an axis is the number of levels, from the box's own upwards, on which the octants are on the same
/// side. The box lies at that side's face of the ancestor `up` levels above it if the run is at least `up`. The run
/// also orders neighbours of its parent's level, one of them the parent, along the Morton curve: the longer the run,
/// the higher in the tree the two are separated. The highest separation decides; ties go to z before y before x.
struct Position {
  std::uint32_t word = 0;  // octant 0-2, order 3-5, runs 6-11, 12-17, 18-23, level 24-29, leaf 30, by_pairs 31

  FARFIELD_HD int octant() const { return word & 7; }
  FARFIELD_HD int order() const { return word & 63; }  ///< row of SlotOrder: octant, then if runs x > y, x > z, y > z
  FARFIELD_HD int run(int axis) const { return word >> (6 + 6 * axis) & 63; }
  FARFIELD_HD int level() const { return word >> 24 & 63; }
  FARFIELD_HD bool leaf() const { return word >> 30 & 1; }
  FARFIELD_HD bool by_pairs() const { return word >> 31; }  ///< a leaf that coarser leaves reach by p2p, not p2l

  /// Of the child at `octant`, taken for one that is not a leaf.
  FARFIELD_HD Position child(int octant) const {
    const unsigned other = (word ^ octant) & 7;
    const unsigned x = other & 1 ? 1 : run(0) + 1, y = other & 2 ? 1 : run(1) + 1, z = other & 4 ? 1 : run(2) + 1;
    const unsigned order = (x > y ? 1u : 0u) | (x > z ? 2u : 0u) | (y > z ? 4u : 0u);
    return {octant | order << 3 | x << 6 | y << 12 | z << 18 | (level() + 1u) << 24};
  }
  FARFIELD_HD Position of_leaf(bool by_pairs) const { return {word | 1u << 30 | (by_pairs ? 1u << 31 : 0u)}; }
};

/// Most levels between boxes for which touch() means a common corner: its slack is below the smaller one's edge.
inline constexpr int most_exact = 20;

/// Slots of those colleagues of the ancestor `up` levels above `box` that touch `box`.
FARFIELD_HD std::uint32_t touching_slots(Position box, int up) {
  if (up == 0) return all_slots;
  constexpr std::uint32_t lower[3] = {0x1249249, 0x1c0e07, 0x1ff};  // slots at the lower side of each axis
  constexpr int step[3] = {1, 3, 9};
  std::uint32_t slots = all_slots;
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    const int side = box.octant() >> axis & 1 ? 2 * step[axis] : 0;
    slots &= lower[axis] << step[axis] | (box.run(axis) >= up ? lower[axis] << side : 0u);
  }
  return slots;
}

/// Octants of the colleague in `slot` on its side facing the box; both halves along an axis without displacement.
FARFIELD_HD unsigned facing_octants(int slot) {
  const BoxOffset d = colleague_offset(slot);
  return facing_children(0, d.x) & facing_children(1, d.y) & facing_children(2, d.z);
}

/// For every Position::order and slot: the slots whose boxes have lower numbers.
struct SlotOrder {
  std::uint32_t before[64][32] = {};

  constexpr SlotOrder() {
    for (int order = 0; order < 64; ++order)
      for (int slot = 0; slot < colleagues_per_box; ++slot)
        for (int other = 0; other < colleagues_per_box; ++other)
          if (place(order, other) < place(order, slot)) before[order][slot] |= 1u << other;
  }

 private:
  /// Rank of a slot's box along the Morton curve: the place of the box's parent first, then the octant in that parent.
  static constexpr int place(int order, int slot) {
    const int xy = order >> 3 & 1, xz = order >> 4 & 1, yz = order >> 5 & 1;
    const int weight[3] = {xy + xz, 1 - xy + yz, 2 - xz - yz};
    int parent = 0, octant = 0;
    for (int axis = 0, rest = slot; axis < 3; ++axis, rest /= 3) {
      const int at = (order >> axis & 1) + rest % 3 + 1;  // in children, from the lower neighbour's first
      parent += at / 2 << 2 * weight[axis];
      octant += at % 2 << axis;
    }
    return 8 * parent + octant;
  }
};

/// What the rows of a box are made from; all but `at` stays empty for a box without targets.
struct alignas(16) Surroundings {
  /// A leaf: slots of the colleagues that its near list holds undivided. An inner box: slots of the colleagues that are
  /// leaves with sources.
  std::uint32_t slots = 0;
  /// A leaf: slots of the colleagues whose children its lists are made from. An inner box: reach(), a box number.
  std::uint32_t open_or_reach = 0;
  BoxId above = no_box;  ///< the first box whose colleagues are searched for coarser leaves; reach() leads to the next
  Position at;

  /// Of a box with children: the nearest ancestor with a colleague that is a leaf with sources and touches this box.
  FARFIELD_HD BoxId reach() const { return static_cast<BoxId>(open_or_reach); }
};

struct Around {
  std::uint8_t* kind;  ///< bits of Kind, of every box
  Surroundings* of;

  /// Leaves with sources among the colleagues of `ancestor` that touch `box`.
  FARFIELD_HD std::uint32_t leaves_that_touch(const TreeView& tree, BoxId ancestor, const Surroundings& there,
                                              BoxId box, Position at) const {
    const int up = at.level() - there.at.level();
    return up <= most_exact ? there.slots & touching_slots(at, up) : leaves_by_touch(tree, ancestor, there.slots, box);
  }

 private:
  FARFIELD_HD static std::uint32_t leaves_by_touch(const TreeView& tree, BoxId ancestor, std::uint32_t leaves,
                                                   BoxId box) {
    std::uint32_t found = 0;
#pragma unroll 1
    for (int slot = 0; slot < colleagues_per_box; ++slot)
      if (leaves >> slot & 1u)
        found |= touch(tree, tree.colleague[std::int64_t(ancestor) * colleagues_per_box + slot], box) ? 1u << slot : 0u;
    return found;
  }
};

}  // namespace farfield::cuda

// Places: corners of boxes in the order of the tree's points, and the ranges of that order that ranks own.
#pragma once
#include <cstdint>

#include "tree/lattice.hpp"

namespace farfield::distributed {

/// A lattice index (lattice.hpp): the lowest corner of a box of any level.
struct Place {
  std::int64_t at[3] = {};
  bool operator==(const Place&) const = default;
};

/// Does a come before b in Morton order? The axis whose indices differ in the highest bit decides, of several the last
/// one, which is the highest bit of an octant. No key is made, which for 62 levels would take 186 bits.
FARFIELD_HD bool before(const Place& a, const Place& b) {
  int axis = 2;
  auto differing = static_cast<std::uint64_t>(a.at[2] ^ b.at[2]);
  for (int other = 1; other >= 0; --other) {
    const auto bits = static_cast<std::uint64_t>(a.at[other] ^ b.at[other]);
    if (differing < bits && differing < (differing ^ bits)) axis = other, differing = bits;
  }
  return a.at[axis] < b.at[axis];
}

/// Edge of a box of `level`, in lattice indices.
FARFIELD_HD std::int64_t edge_of(const Lattice& lattice, int level) {
  return std::int64_t(1) << (lattice.depth - level);
}

FARFIELD_HD Place child_of(const Place& corner, const Lattice& lattice, int level, int octant) {
  Place child = corner;
  for (int axis = 0; axis < 3; ++axis) child.at[axis] += (octant >> axis & 1) * edge_of(lattice, level + 1);
  return child;
}

/// Which child of its parent is the box of this corner?
FARFIELD_HD int octant_of(const Place& corner, const Lattice& lattice, int level) {
  int octant = 0;
  for (int axis = 0; axis < 3; ++axis)
    octant |= static_cast<int>(corner.at[axis] >> (lattice.depth - level) & 1) << axis;
  return octant;
}

/// What one rank owns: all places from `begin` on and before `end`.
struct Range {
  Place begin, end;
  bool empty = true;
  bool endless = false;  ///< `end` does not count

  FARFIELD_HD bool meets(const Place& corner, std::int64_t edge) const {
    if (empty) return false;
    Place last = corner;
    for (int axis = 0; axis < 3; ++axis) last.at[axis] += edge - 1;
    return (endless || before(corner, end)) && !before(last, begin);
  }
};

/// Does the range meet the box or one of those of its level that touch it?
FARFIELD_HD bool meets_around(const Range& range, const Place& corner, const Lattice& lattice, int level) {
  const std::int64_t edge = edge_of(lattice, level), size = edge_of(lattice, 0);
  for (int z = -1; z <= 1; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x) {
        const Place beside{{corner.at[0] + x * edge, corner.at[1] + y * edge, corner.at[2] + z * edge}};
        bool inside = true;
        for (int axis = 0; axis < 3; ++axis) inside = inside && beside.at[axis] >= 0 && beside.at[axis] < size;
        if (inside && range.meets(beside, edge)) return true;
      }
  return false;
}

}  // namespace farfield::distributed

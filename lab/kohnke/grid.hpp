// The octree of one level as the variants see it: 2^depth boxes along each axis, periodic as in the paper, so that
// every box has its 189 transformations (section 2.3). Host and device.
#pragma once
#include "core/hd.hpp"

namespace farfield::lab {

/// Lengths are counted in sixteenths of a box's edge: with unnormalised moments of eqs. 7 and 8 that keeps all numbers
/// of degrees up to 20 (operators up to 40) inside the range of float, where whole edges overflow (79!! / 2^41).
constexpr double box_edge = 16;

constexpr int operator_count = 343;  ///< 7^3 offsets, eq. 20
constexpr int reference_count = 56;  ///< offsets of one octant that are no neighbours, section 3.3.5
constexpr int interactions = 189;

struct Offset {
  int x, y, z;
};

FARFIELD_HD bool near(Offset o) { return o.x * o.x <= 1 && o.y * o.y <= 1 && o.z * o.z <= 1; }

/// Eq. 20 with one layer of neighbours (delta = 7).
FARFIELD_HD int operator_index(Offset o) { return o.x + 3 + 7 * (o.y + 3) + 49 * (o.z + 3); }

/// Eq. 19 of one level, after the periodic remapping.
FARFIELD_HD int box_index(int x, int y, int z, int width) {
  const int mask = width - 1;
  return ((z & mask) * width + (y & mask)) * width + (x & mask);
}

}  // namespace farfield::lab

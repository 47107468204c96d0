// Acceptance: which boxes a treecode expands for a group of targets.
//
// A box of edge a is accepted where a <= theta R, R the distance from its centre to the nearest point of the cuboid
// around the targets. With theta <= 1 every source lies within sqrt(3)/2 a < R, so that the expansion converges with
// (sqrt(3)/2 theta)^(d+1) in a volume and (theta/sqrt 2)^(d+1) in the plane, at worst. Where the kernel is softened,
// accepted boxes also keep the distance beyond which it is 1/r.
#pragma once
#include "core/hd.hpp"
#include "tree/lists.hpp"

namespace farfield {

struct Acceptance {
  double theta = 0;  ///< in (0, 1]; 0: no treecode
  double reach = 0;  ///< least distance of an accepted box, its sides, from the targets; scaled
  int axes = 3;      ///< of the kernel: 2 in the plane, whose points share the third coordinate
};

/// The cuboid around a group of targets.
struct Cuboid {
  double low[3], high[3];
};

/// The cuboid around points [begin, end), begin < end.
FARFIELD_HD Cuboid cuboid_around(const double* const x[3], std::int64_t begin, std::int64_t end) {
  Cuboid c{};
  for (int axis = 0; axis < 3; ++axis) {
    c.low[axis] = c.high[axis] = x[axis][begin];
    for (std::int64_t i = begin + 1; i < end; ++i) {
      c.low[axis] = x[axis][i] < c.low[axis] ? x[axis][i] : c.low[axis];
      c.high[axis] = x[axis][i] > c.high[axis] ? x[axis][i] : c.high[axis];
    }
  }
  return c;
}

FARFIELD_HD bool accepts(const Acceptance& rule, const TreeView& tree, BoxId source, const Cuboid& targets) {
  const double edge = tree.lattice.edge(tree.level[source]);
  double from_centre = 0, from_sides = 0;
  for (int axis = 0; axis < rule.axes; ++axis) {
    const double below = displacement_from_centre(tree, source, targets.low[axis], axis),
                 above = -displacement_from_centre(tree, source, targets.high[axis], axis);
    const double d = below > above ? below : above, centre = d > 0 ? d : 0, sides = d > edge / 2 ? d - edge / 2 : 0;
    from_centre += centre * centre;
    from_sides += sides * sides;
  }
  return edge * edge <= rule.theta * rule.theta * from_centre && from_sides >= rule.reach * rule.reach;
}

/// Are the targets among the points of the box?
FARFIELD_HD bool holds(const TreeView& tree, BoxId box, BoxId leaf) {
  return tree.target_begin[box] <= tree.target_begin[leaf] && tree.target_end[leaf] <= tree.target_end[box];
}

}  // namespace farfield

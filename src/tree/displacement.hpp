// Displacement: the one difference of two positions. Whatever needs where a box or a point lies as seen from another
// asks here: touching boxes, frames of expansions and of pairs, estimates of errors. So a periodic cell, in which the
// nearest image counts, has one place to be. (Boxes of one level meet by slots and octants instead: far.hpp.)
#pragma once
#include "core/hd.hpp"
#include "tree/tree.hpp"

namespace farfield {

/// Of x from `from` along an axis; x is a coordinate, or a vector of them.
template <class X>
FARFIELD_HD X displacement(X x, double from) {
  return x - from;
}

/// Of the centre of box a from that of box b.
FARFIELD_HD double displacement(const TreeView& tree, BoxId a, BoxId b, int axis) {
  return displacement(tree.coordinate(a, axis), tree.coordinate(b, axis));
}

/// Of a point at coordinate x from the centre of a box.
FARFIELD_HD double displacement_from_centre(const TreeView& tree, BoxId box, double x, int axis) {
  return displacement(x, tree.coordinate(box, axis));
}

/// A box as a frame of points: u = displacement(x, centre) * factor, subtracted in double.
struct BoxFrame {
  double centre[3], factor;  ///< factor: one over the box's edge

  FARFIELD_HD BoxFrame(const TreeView& tree, BoxId box)
      : centre{tree.coordinate(box, 0), tree.coordinate(box, 1), tree.coordinate(box, 2)},
        factor(1 / tree.lattice.edge(tree.level[box])) {}
};

}  // namespace farfield

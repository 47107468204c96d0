// DifferingAxes: of a line one axis, of a plane two: what is counted or sorted along the others is the same for all.
#pragma once
#include "tree/geometry.hpp"

namespace farfield {

/// Axes along which points differ, at least one.
struct DifferingAxes {
  int count = 0, axis[3] = {};
  explicit DifferingAxes(const Geometry& g) {
    for (int d = 0; d < 3; ++d)
      if (g.high[d] > g.low[d]) axis[count++] = d;
    if (count == 0) count = 1;
  }
  bool has(int d) const { return axis[0] == d || (count > 1 && axis[1] == d) || (count > 2 && axis[2] == d); }
};

}  // namespace farfield

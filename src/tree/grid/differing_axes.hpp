// DifferingAxes: of a line one axis, of a plane two: what is counted or sorted along the others is the same for all.
#pragma once
#include <algorithm>

#include "tree/geometry.hpp"

namespace farfield {

/// Axes along which points differ, at least one.
struct DifferingAxes {
  int count = 0, axis[3] = {};
  explicit DifferingAxes(const Geometry& g) {
    for (int d = 0; d < 3; ++d)
      if (g.high[d] > g.low[d]) axis[count++] = d;
    count = std::max(count, 1);
  }
  bool has(int d) const { return std::find(axis, axis + count, d) != axis + count; }
};

}  // namespace farfield

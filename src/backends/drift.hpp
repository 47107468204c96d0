// Drift: how far points may go from where they were when their tree was built while they keep its boxes.
#pragma once
#include <algorithm>
#include <cmath>

#include "core/hd.hpp"
#include "tree/tree.hpp"

namespace farfield {

/// Of the edge of the smallest box: expansions of points that have gone so far out of their boxes lack up to 1.06^n
/// times as much at degree n, which judging sees.
inline constexpr double most_drift = 0.1;

inline double drift_within(double skin, const TreeView& tree) {
  return tree.levels > 0 ? std::min(skin, most_drift * tree.lattice.edge(tree.levels - 1)) : 0;
}

/// Has a point gone farther than `reach` from where it was? One that is no number has.
struct Drift {
  double reach = 0;
  FARFIELD_HD bool beyond(const double now[3], const double then[3]) const {
    const double x = now[0] - then[0], y = now[1] - then[1], z = now[2] - then[2];
    return !(x * x + y * y + z * z <= reach * reach);
  }
};

}  // namespace farfield

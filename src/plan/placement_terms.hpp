// The terms of placement.hpp's sums, for host and device.
#pragma once
#include <cmath>
#include <cstdint>

#include "core/hd.hpp"
#include "plan/placement.hpp"
#include "tree/far.hpp"

namespace farfield {

inline constexpr int corners = 8;
/// Distance from a corner beyond which charges are left out: 3e-4 of its weight; never less than 0.3 edges, since in a
/// crystal there may be no closer ones.
FARFIELD_HD double reach_of(double rate) { return 8 / rate > 0.3 ? 8 / rate : 0.3; }

FARFIELD_HD double centre_distance2(const TreeView& tree, BoxId box, const double x[3]) {
  double r2 = 0;
  for (int a = 0; a < 3; ++a) r2 += (x[a] - tree.coordinate(box, a)) * (x[a] - tree.coordinate(box, a));
  return r2;
}

/// Where point i lies in a box of edge 1 / per_edge: the corner it belongs to, and the sum over axes of its distances
/// from the centre.
struct CornerPlace {
  double distance;
  int octant;
};
FARFIELD_HD CornerPlace corner_place(const TreeView& tree, BoxId box, const PlacedPoints& points, std::int64_t i,
                                     double per_edge) {
  CornerPlace place{0, 0};
  for (int a = 0; a < 3; ++a) {
    const double u = (points.axis[a][i] - tree.coordinate(box, a)) * per_edge;
    place.distance += u < 0 ? -u : u;
    place.octant |= (u > 0) << a;
  }
  return place;
}

/// The box of the same level displaced by d edges (|d| <= 3 reaches the parent's colleagues), or no_box.
FARFIELD_HD BoxId displaced(const TreeView& tree, BoxId box, const int d[3]) {
  int parent_step[3], octant = 0;
  for (int a = 0; a < 3; ++a) {
    const int position = (tree.octant[box] >> a & 1) + d[a];
    parent_step[a] = position >> 1;
    octant |= (position & 1) << a;
  }
  const BoxId parent = tree.colleague[static_cast<std::int64_t>(tree.parent[box]) * colleagues_per_box +
                                      colleague_slot(parent_step[0], parent_step[1], parent_step[2])];
  return parent == no_box ? no_box : tree.child(parent, octant);
}

/// A charge in a corner errs with those of the box with one box between them along an axis: in the corner that faces it
/// and in the one diagonally across that face. Summed exactly (degrees 20 to 46) these pairs err by 0.95 and by 0.4 to
/// 0.8 of e_c, those in all other corners, and in the boxes beside, by less than 0.02. The weights of their occupations
/// follow the squares and add up to 4, to which the factors in error_model.cpp were fitted.
inline constexpr double facing_weight = 2.75, diagonal_weight = 1.25;
/// Weighted occupations of what `corner` of `box` errs with along `axis`.
FARFIELD_HD double facing(const TreeView& tree, BoxId box, int corner, int axis, const float* sources) {
  int d[3] = {0, 0, 0};
  d[axis] = (corner >> axis & 1) ? 2 : -2;
  const BoxId source = displaced(tree, box, d);
  if (source == no_box) return 0;
  const float* occupation = sources + static_cast<std::int64_t>(source) * corners;
  const int opposite = corner ^ (1 << axis), diagonal = corner ^ (corners - 1);
  return facing_weight * static_cast<double>(occupation[opposite]) +
         diagonal_weight * static_cast<double>(occupation[diagonal]);
}

/// Adds up source counts; boxes with two between them err (2/3)^d times less.
struct FarSources {
  const PlacedPoints& sources;
  double further, sum = 0;
  FARFIELD_HD void operator()(BoxId source, int dx, int dy, int dz) {
    const bool near = dx < 3 && dx > -3 && dy < 3 && dy > -3 && dz < 3 && dz > -3;
    sum += static_cast<double>(sources.end[source] - sources.begin[source]) * (near ? 1.0 : further);
  }
};
/// The same over the far list of `box`.
FARFIELD_HD double far_sources(const TreeView& tree, BoxId box, const PlacedPoints& sources, double further) {
  FarSources add{sources, further};
  for_each_far(tree, box, add);
  return add.sum;
}

/// Share of neighbours in sorted coordinates that are closer than a fifth of the mean gap.
FARFIELD_HD bool coincide_on_axis(double x, double next, double range, std::int64_t count) {
  return (next - x) * 5 * static_cast<double>(count) < range;
}

}  // namespace farfield

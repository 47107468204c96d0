// The terms of placement.hpp's sums, for host and device.
#pragma once
#include <cstdint>

#include "core/hd.hpp"
#include "model/placement.hpp"
#include "tree/far.hpp"

namespace farfield {

inline constexpr int corners = 8;
/// Distance from a corner, in edges, beyond which charges are left out: there their weight has fallen to 3e-4 of that
/// in the corner. Never less than 0.3 edges, since in a crystal no charge may be closer.
FARFIELD_HD double reach_of(double rate) { return 8 / rate > 0.3 ? 8 / rate : 0.3; }

FARFIELD_HD double centre_distance2(const TreeView& tree, BoxId box, const double x[3]) {
  double r2 = 0;
  for (int a = 0; a < 3; ++a) {
    const double u = displacement_from_centre(tree, box, x[a], a);
    r2 += u * u;
  }
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
    const double u = displacement_from_centre(tree, box, points.axis[a][i], a) * per_edge;
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

inline constexpr int facing_boxes = 6;  ///< with one box between, along axis which / 2, upwards for odd `which`
/// Facing box number `which` of `box`, or no_box.
FARFIELD_HD BoxId facing_box(const TreeView& tree, BoxId box, int which) {
  int d[3] = {0, 0, 0};
  d[which / 2] = which % 2 ? 2 : -2;
  return displaced(tree, box, d);
}

/// Weighted sum of the occupations of those corners of the target box with which a charge in corner `octant` of the
/// facing box errs most.
/// Summed exactly, degrees 20 to 46, unit charges in corners err by these parts of e_c: 0.95 in corners that face each
/// other, 0.4 to 0.8 in those diagonally across the two faces, 0.2 to 0.37 where one of the two lies behind, on the
/// far side of its box, 0.25 where both do; less than 0.15 in all others, less than 0.02 in boxes that do not lie along
/// an axis. The weights are in proportion to the squares; facing and diagonal ones add up to 4, to which the factors in
/// solid_errors.cpp were fitted. (On a sphere whose box corners lie on it no corners face each other, some lie behind.)
template <class Number>
FARFIELD_HD Number faced_by(const Number* target, int stride, int octant, int which) {
  constexpr Number facing = 2.75, diagonal = 1.25, behind = 0.25, both_behind = 0.1875;
  const int axis = which / 2, upwards = which % 2;
  const bool faces = (octant >> axis & 1) != upwards;
  const Number opposite = target[(octant ^ 1 << axis) * stride], same = target[octant * stride];
  return behind * same +
         (faces ? facing * opposite + diagonal * target[(octant ^ (corners - 1)) * stride] : both_behind * opposite);
}

/// Numbers of sources in a far list: in boxes with one box between, and in the others.
struct FarSources {
  double beside = 0, beyond = 0;
};
FARFIELD_HD FarSources far_sources(const TreeView& tree, BoxId box, const PlacedPoints& sources) {
  FarSources far;
  for_each_far(tree, box, [&](BoxId source, int dx, int dy, int dz) {
    const bool near = dx < 3 && dx > -3 && dy < 3 && dy > -3 && dz < 3 && dz > -3;
    (near ? far.beside : far.beyond) += static_cast<double>(sources.end[source] - sources.begin[source]);
  });
  return far;
}

/// Are two neighbours in sorted coordinates closer than a fifth of the mean gap?
FARFIELD_HD bool coincide_on_axis(double x, double next, double range, std::int64_t count) {
  return (next - x) * 5 * static_cast<double>(count) < range;
}

}  // namespace farfield

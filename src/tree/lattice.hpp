// Lattice: the exact geometry of the root box (edge R = D 2^k / m, docs/mathematics/tree.md) and the keys of points on
// it.
//
// All coordinates here are the caller's times a power of two ("scaled", |extent| <= 1), so that nothing over- or
// underflows for extents from 1e-300 to 1e300 and differences stay those of the caller's own numbers.
// The lattice unit g has at most 12 mantissa bits and box faces are whole multiples of it, counted from zero
// in absolute coordinates: the index of a point is floor(x / g), right to half an ulp of x itself, wherever the
// origin lies and however far away an outlier is.
#pragma once
#include <cstdint>

#include "core/hd.hpp"
#include "tree/item.hpp"

namespace farfield {

inline constexpr int max_levels = 62;  ///< deepest lattice: indices fit a signed 64-bit integer

struct Lattice {
  double unit = 1;              ///< g: edge of a box at level `depth`
  std::int64_t origin[3] = {};  ///< lowest corner of the root in units of g
  int depth = 21;               ///< deepest level; the root's edge is g 2^depth

  /// Edge of a box at `level`.
  FARFIELD_HD double edge(int level) const { return unit * static_cast<double>(std::int64_t(1) << (depth - level)); }
  /// Index of a scaled coordinate along `axis`, clamped into the root (rounding may put a point one unit outside).
  FARFIELD_HD std::int64_t index(double x, int axis) const {
    const double quotient = x / unit;
    std::int64_t i = static_cast<std::int64_t>(quotient);
    i -=
        (quotient < static_cast<double>(i)) + origin[axis];  // floor; without SSE4, std::floor would call the C library
    const std::int64_t last = (std::int64_t(1) << depth) - 1;
    return i < 0 ? 0 : (i > last ? last : i);
  }
  /// Centre of the box at `level` whose lowest corner has lattice index `corner`, exact wherever it fits 53 bits
  /// (2 (corner + origin) + edge in integers would overflow 63 bits where |x| / g comes close to 2^62).
  FARFIELD_HD double centre(std::int64_t corner, int level, int axis) const {
    const std::int64_t edge_units = std::int64_t(1) << (depth - level);
    return (static_cast<double>(corner + origin[axis]) + 0.5 * static_cast<double>(edge_units)) * unit;
  }
  /// The lattice index of a box's lowest corner from its centre, if that is exact.
  FARFIELD_HD std::int64_t corner(double centre, int level, int axis) const {
    const double half_edge = 0.5 * static_cast<double>(std::int64_t(1) << (depth - level));
    return static_cast<std::int64_t>(centre / unit - half_edge) - origin[axis];
  }
};

struct Geometry;

/// What the root follows from: the data's largest side spans m boxes of level k, or the shortest side of the targets'
/// box as many of the size that these then have.
struct RootBoxes {
  int m = 1, k = 0;         ///< 1 <= m <= 2^k
  bool at_targets = false;  ///< where target_side is not 0
};

/// The lattice whose root edge is D 2^k / m, D the largest side of the data. D, inflated by at most 0.4 % of a box and
/// 2^-11 of itself, spans exactly m boxes of level k; m == 2^k is the plain cube. Data farther from zero than 2^30
/// boxes of level k, or of no extent, get a cube whose edge is a power of two instead: the centres of its boxes have
/// bits to spare. `at_targets`: D is the shortest side of the targets' box, or a little more where another side is that
/// much longer than a whole number of boxes. The targets' box begins where boxes of the level above these begin, and
/// the root is as many times larger as all points need. Of a periodic cell boxes divide that side to 2^-32, so that
/// images of boxes are boxes; none is narrower than 2^-20 of its distance from zero then.
Lattice make_lattice(const Geometry& geometry, const RootBoxes& root);

/// Boxes with edges below this times |centre| have centres that need more than 53 bits: 2^-40 for an edge of 12 bits.
double finest_relative_edge(const Lattice& lattice);

/// Are the centres of the children exact in double? If not, the side of the box at `level` is only some thousand ulps
/// of its coordinates. `finest` is finest_relative_edge.
FARFIELD_HD bool resolves_children(const Lattice& lattice, double finest, const std::int64_t corner[3], int level) {
  if (level == lattice.depth) return false;
  double largest = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double c = lattice.centre(corner[axis], level, axis), size = c < 0 ? -c : c;
    largest = size > largest ? size : largest;
  }
  const double child_edge = lattice.edge(level + 1);
  return child_edge > finest * (largest + child_edge);
}

/// The coarsest level whose boxes have children narrower than `least_edge`; beyond all levels where there is none.
int deepest_level(const Lattice& lattice, double least_edge);
/// Throws Error(usage): boxes of `level` have such children, but a uniform tree of depth `depth` was asked for.
[[noreturn]] void refuse_narrow_boxes(int depth, int level);

/// Spreads the low ten bits of v to every third bit.
FARFIELD_HD std::uint32_t spread_bits(std::uint32_t v) {
  v = (v | v << 16) & 0x030000ff;
  v = (v | v << 8) & 0x0300f00f;
  v = (v | v << 4) & 0x030c30c3;
  return (v | v << 2) & 0x09249249;
}

/// Morton key of the levels of layout.levels(level), the finest in bits 0-2; `level` must be the first of them. Levels
/// beyond the lattice's depth are zero.
FARFIELD_HD std::uint64_t morton_key(const Lattice& lattice, const double x[3], int level, KeyLayout layout = {}) {
  const int end = layout.levels(level).end;
  const std::uint32_t kept = (1u << (end - level)) - 1;
  std::uint64_t key = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const std::uint64_t i = static_cast<std::uint64_t>(lattice.index(x[axis], axis));
    const int shift = lattice.depth - end;
    const std::uint32_t at = static_cast<std::uint32_t>(shift >= 0 ? i >> shift : i << -shift) & kept;
    key |= std::uint64_t(spread_bits(at & 1023)) << axis;
    if (end - level > 10) key |= std::uint64_t(spread_bits(at >> 10)) << (30 + axis);
  }
  return key;
}

/// Which child (0-7, x lowest bit) of a box at `level` holds a point, from the point's morton_key of that level.
FARFIELD_HD int child_of_key(std::uint64_t key, int level, KeyLayout layout = {}) {
  return static_cast<int>(key >> (3 * (layout.levels(level).end - 1 - level))) & 7;
}

}  // namespace farfield

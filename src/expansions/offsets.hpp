// Offsets of m2l: which of the 41 canonical operators and which of the 16 symmetries serve a pair of boxes.
//
// Any t = target centre - source centre is g(c) with c canonical (x >= y >= 0, z >= 0) and g = reflect o swap, where
// swap exchanges x and y and reflect flips signs; then m2l(t) = P_g m2l(c) P_g^T with signed permutations P_g (see
// Symmetry). 316 offsets between boxes of one level need 34 operators; the 80 of the reduced stencil (Gumerov &
// Duraiswami 2008, section 2.2.3), from a source box to the target's parent, need 7 more. Offsets here are in half
// child edges, so that both kinds are whole numbers. Independent of the family of expansions.
#pragma once
#include <array>
#include <span>

#include "tree/lists.hpp"

namespace farfield {

struct CanonicalOffset {
  int x, y, z;
};

/// The operator and the symmetry that serve one offset; op: index into canonical_offsets(), -1: no m2l has this offset.
struct FarOffset {
  int op = -1;
  int symmetry = 0;  ///< bits 0, 1, 2: reflect x, y, z; bit 3: swap x and y first
};

inline constexpr int symmetry_count = 16;
inline constexpr int far_operator_count = 34;    ///< operators 0 ... 33: equal boxes
inline constexpr int parent_operator_count = 7;  ///< operators 34 ... 40: child box to parent box
inline constexpr int operator_count = far_operator_count + parent_operator_count;
inline constexpr int far_reach = 3;     ///< largest component of an offset, in box edges
inline constexpr int parent_reach = 5;  ///< the same of offsets to a parent, in half child edges

namespace detail {

constexpr int magnitude(int v) { return v < 0 ? -v : v; }

/// Can two boxes of one level at this offset, in box edges, be far: their parents touch, but they do not?
constexpr bool is_far(int x, int y, int z) {
  const auto within = [&](int reach) {
    return magnitude(x) <= reach && magnitude(y) <= reach && magnitude(z) <= reach;
  };
  return within(far_reach) && !within(1);
}

/// goes_to_parent (tree/lists.hpp) as a constant expression; a test checks that the two agree.
constexpr bool is_parent_offset(int x, int y, int z) {
  const bool odd = (x & 1) && (y & 1) && (z & 1);
  const bool within = magnitude(x) <= parent_reach && magnitude(y) <= parent_reach && magnitude(z) <= parent_reach;
  return odd && within && x * x + y * y + z * z >= 43;
}

constexpr std::array<CanonicalOffset, operator_count> make_canonical_offsets() {
  std::array<CanonicalOffset, operator_count> list{};
  int count = 0;
  for (int z = 0; z <= far_reach; ++z)
    for (int x = 0; x <= far_reach; ++x)
      for (int y = 0; y <= x; ++y)
        if (is_far(x, y, z)) list[count++] = {2 * x, 2 * y, 2 * z};
  for (int z = 1; z <= parent_reach; z += 2)
    for (int x = 1; x <= parent_reach; x += 2)
      for (int y = 1; y <= x; y += 2)
        if (is_parent_offset(x, y, z)) list[count++] = {x, y, z};
  return list;
}

inline constexpr auto canonical_list = make_canonical_offsets();

/// The operator and symmetry of an offset in half child edges.
constexpr FarOffset find_offset(int x, int y, int z) {
  int a = magnitude(x), b = magnitude(y);
  const int c = magnitude(z);
  const int symmetry = (x < 0 ? 1 : 0) | (y < 0 ? 2 : 0) | (z < 0 ? 4 : 0) | (a < b ? 8 : 0);
  if (a < b) {
    const int swapped = a;
    a = b;
    b = swapped;
  }
  for (int op = 0; op < operator_count; ++op)
    if (canonical_list[op].x == a && canonical_list[op].y == b && canonical_list[op].z == c) return {op, symmetry};
  return {};
}

inline constexpr int far_side = 2 * far_reach + 1;
inline constexpr int parent_side = parent_reach + 1;  // odd numbers from -5 to 5

constexpr int far_slot(int x, int y, int z) {
  return (x + far_reach) + far_side * ((y + far_reach) + far_side * (z + far_reach));
}
constexpr int parent_slot(int x, int y, int z) {
  return (x + parent_reach) / 2 + parent_side * ((y + parent_reach) / 2 + parent_side * ((z + parent_reach) / 2));
}

constexpr auto make_far_table() {
  std::array<FarOffset, far_side * far_side * far_side> table{};
  for (int z = -far_reach; z <= far_reach; ++z)
    for (int y = -far_reach; y <= far_reach; ++y)
      for (int x = -far_reach; x <= far_reach; ++x) table[far_slot(x, y, z)] = find_offset(2 * x, 2 * y, 2 * z);
  return table;
}

constexpr auto make_parent_table() {
  std::array<FarOffset, parent_side * parent_side * parent_side> table{};
  for (int z = -parent_reach; z <= parent_reach; z += 2)
    for (int y = -parent_reach; y <= parent_reach; y += 2)
      for (int x = -parent_reach; x <= parent_reach; x += 2) table[parent_slot(x, y, z)] = find_offset(x, y, z);
  return table;
}

inline constexpr auto far_table = make_far_table();
inline constexpr auto parent_table = make_parent_table();
inline constexpr FarOffset no_offset{};

}  // namespace detail

/// All 41 canonical offsets t in half child edges: divide by two for the argument `t` of a basis' m2l; target_edge is
/// 1 for operators below far_operator_count, 2 for the others.
inline std::span<const CanonicalOffset> canonical_offsets() { return detail::canonical_list; }

/// Target edge, in source edges, of an operator.
constexpr double target_edge_of(int op) { return op < far_operator_count ? 1.0 : 2.0; }

/// Offset of an operator, and the edge of its target box, in edges of its source box: what a basis' m2l takes.
struct OperatorOffset {
  explicit OperatorOffset(std::int64_t id) : target_edge(target_edge_of(static_cast<int>(id))) {
    const CanonicalOffset c = canonical_offsets()[static_cast<std::size_t>(id)];
    t[0] = 0.5 * c.x, t[1] = 0.5 * c.y, t[2] = 0.5 * c.z;
  }
  double t[3], target_edge;
};

/// t = target centre - source centre of two boxes of one level, in box edges.
inline const FarOffset& far_offset(int dx, int dy, int dz) {
  return detail::is_far(dx, dy, dz) ? detail::far_table[detail::far_slot(dx, dy, dz)] : detail::no_offset;
}

/// t = centre of the target's parent - source centre, in half child edges: the negative of goes_to_parent's argument.
inline const FarOffset& parent_offset(int dx, int dy, int dz) {
  return detail::is_parent_offset(dx, dy, dz) ? detail::parent_table[detail::parent_slot(dx, dy, dz)]
                                              : detail::no_offset;
}

}  // namespace farfield

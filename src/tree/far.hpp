// The far list of m2l: never stored, it follows from the colleagues of the target's parent and the octants.
//
// Sets of children are 8-bit masks, one bit per octant, so that whole classes of sources are found by a few
// bit operations per colleague and a source outside the list costs nothing. (In a .cu file, a lambda that host code
// hands to these loops is best marked __host__ __device__, or nvcc warns.)
#pragma once
#include "core/hd.hpp"
#include "tree/lists.hpp"
#include "tree/tree.hpp"

namespace farfield {

/// Octants whose bit `axis` is `bit`.
FARFIELD_HD unsigned octants_with(int axis, int bit) {
  const unsigned upper = axis == 0 ? 0xaau : axis == 1 ? 0xccu : 0xf0u;
  return bit ? upper : ~upper & 0xffu;
}

/// Children of the colleague at displacement d along `axis` that touch, along this axis, the box's children whose
/// octant bit there is `bit`.
FARFIELD_HD unsigned touching_children(int axis, int d, int bit) {
  if (d == 0) return 0xffu;
  return (d > 0) == (bit == 1) ? octants_with(axis, d > 0 ? 0 : 1) : 0u;
}

/// Children of the colleague at displacement d that touch the box's child in `octant`.
FARFIELD_HD unsigned touching_children(BoxOffset d, int octant) {
  return touching_children(0, d.x, octant & 1) & touching_children(1, d.y, octant >> 1 & 1) &
         touching_children(2, d.z, octant >> 2);
}

/// Children of the colleague at displacement d along `axis` on the side that faces the box; all of them where d is 0.
FARFIELD_HD unsigned facing_children(int axis, int d) { return d == 0 ? 0xffu : octants_with(axis, d < 0); }

/// Displacement along an axis, in child edges, of a box's child from a child of the box's colleague at displacement d;
/// `place` and `other` are the children's bits of the octant.
FARFIELD_HD int from_cousin(int place, int other, int d) { return place - other - 2 * d; }
/// Along all axes, of the child in octant `place` from the colleague's in octant `other`.
FARFIELD_HD BoxOffset from_cousin(int place, int other, BoxOffset d) {
  return {from_cousin(place & 1, other & 1, d.x), from_cousin(place >> 1 & 1, other >> 1 & 1, d.y),
          from_cousin(place >> 2, other >> 2, d.z)};
}
/// The same of the box itself, in half child edges.
FARFIELD_HD int from_nephew(int other, int d) { return 1 - 2 * other - 4 * d; }

/// Children of the colleague at displacement d for which goes_to_parent holds: those in its outer half
/// (centre 5 half child edges away) along two axes, or along one axis and in its inner half (3) along the other two.
FARFIELD_HD unsigned children_for_parent(BoxOffset d) {
  const unsigned ox = d.x ? octants_with(0, d.x > 0) : 0u, ix = d.x ? ~ox : 0u;
  const unsigned oy = d.y ? octants_with(1, d.y > 0) : 0u, iy = d.y ? ~oy : 0u;
  const unsigned oz = d.z ? octants_with(2, d.z > 0) : 0u, iz = d.z ? ~oz : 0u;
  return ((ox & oy) | (oy & oz) | (ox & oz) | (ox & iy & iz) | (ix & oy & iz) | (ix & iy & oz)) & 0xffu;
}

/// The lowest octant in a set that is not empty.
FARFIELD_HD int first_octant(unsigned mask) { return count_bits((mask & (0u - mask)) - 1u); }

/// Calls f(other, dx, dy, dz) for every box that is far from `box` and a child of the colleague of its parent at
/// displacement d, be there sources, targets or both in it; see for_each_far.
template <bool reduced = false, class F>
FARFIELD_HD void for_each_far_box(const TreeView& tree, BoxId box, BoxOffset d, F&& f) {
  const BoxId c =
      tree.colleague[static_cast<std::int64_t>(tree.parent[box]) * colleagues_per_box + colleague_slot(d.x, d.y, d.z)];
  if (c == no_box) return;
  const int tx = tree.octant[box] & 1, ty = tree.octant[box] >> 1 & 1, tz = tree.octant[box] >> 2;
  unsigned mask = ~(touching_children(0, d.x, tx) & touching_children(1, d.y, ty) & touching_children(2, d.z, tz));
  if (reduced) mask &= ~children_for_parent(d);
  mask &= tree.child_mask[c];
  for (; mask; mask &= mask - 1) {
    const int o = first_octant(mask);
    f(tree.child(c, o), from_cousin(tx, o & 1, d.x), from_cousin(ty, o >> 1 & 1, d.y), from_cousin(tz, o >> 2, d.z));
  }
}

/// The same for the boxes that hold sources: a part of the far list of `target`.
template <bool reduced = false, class F>
FARFIELD_HD void for_each_far_around(const TreeView& tree, BoxId target, BoxOffset d, F&& f) {
  for_each_far_box<reduced>(tree, target, d, [&](BoxId source, int dx, int dy, int dz) {
    if (tree.source_count(source) > 0) f(source, dx, dy, dz);
  });
}

/// Calls f(source, dx, dy, dz) for every box with sources in the far list of `target`; (dx, dy, dz) in -3...3 is the
/// target's centre minus the source's in box edges. With `reduced`, the sources that for_each_far_of_parent finds for
/// the target's parent are left out.
template <bool reduced = false, class F>
FARFIELD_HD void for_each_far(const TreeView& tree, BoxId target, F&& f) {
  if (tree.parent[target] == no_box) return;
  for (int z = -1; z <= 1; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x) for_each_far_around<reduced>(tree, target, {x, y, z}, f);
}

/// The source boxes that the reduced stencil translates to `parent`, a target box that is no leaf. Calls f(source, dx,
/// dy, dz) for each of them that holds sources; they are one level finer. Odd (dx, dy, dz) in -5...5 is the parent's
/// centre minus the source's in half child edges.
template <class F>
FARFIELD_HD void for_each_far_of_parent(const TreeView& tree, BoxId parent, F&& f) {
  if (tree.is_leaf(parent)) return;  // its colleagues' children reach it by m2p or p2p
  const BoxId* colleague = tree.colleague + static_cast<std::int64_t>(parent) * colleagues_per_box;
  for (int z = -1; z <= 1; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x) {
        const BoxId c = colleague[colleague_slot(x, y, z)];
        if (c == no_box) continue;
        for (unsigned mask = children_for_parent({x, y, z}) & tree.child_mask[c]; mask; mask &= mask - 1) {
          const int o = first_octant(mask);
          const BoxId source = tree.child(c, o);
          if (tree.source_count(source) > 0)
            f(source, from_nephew(o & 1, x), from_nephew(o >> 1 & 1, y), from_nephew(o >> 2, z));
        }
      }
}

}  // namespace farfield

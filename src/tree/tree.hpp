// Tree: boxes of all levels in one set of flat arrays, in level order, siblings contiguous, empty boxes absent.
//
// The same arrays serve the CPU and a GPU (see docs/developer/backends.md): `Tree<Array>` owns them in either
// memory, `TreeView` is its plain-pointer form, passed to stages and kernels. One tree holds sources and targets;
// a box exists if it contains either. Points are sorted by box, so every box, leaf or not, owns one contiguous
// range of sources and one of targets.
#pragma once
#include <cstdint>

#include "core/array.hpp"
#include "core/hd.hpp"
#include "tree/lattice.hpp"

namespace farfield {

using BoxId = std::int32_t;
inline constexpr BoxId no_box = -1;

/// Position of a colleague in `TreeView::colleague`: displacement (dx, dy, dz) in {-1, 0, 1}^3 box edges.
FARFIELD_HD int colleague_slot(int dx, int dy, int dz) { return (dx + 1) + 3 * (dy + 1) + 9 * (dz + 1); }
inline constexpr int colleagues_per_box = 27;  // slot 13 is the box itself

/// Displacement of a box from another of its level, in their edges.
struct BoxOffset {
  int x, y, z;
};
/// The inverse of colleague_slot.
FARFIELD_HD BoxOffset colleague_offset(int slot) { return {slot % 3 - 1, slot / 3 % 3 - 1, slot / 9 - 1}; }

struct TreeView {
  BoxId boxes = 0;
  int levels = 0;  ///< number of levels, root = level 0
  const BoxId* level_begin =
      nullptr;  ///< [levels + 1], host memory: boxes of level l are [level_begin[l], level_begin[l+1])
  const std::int8_t* level = nullptr;        ///< [boxes]
  const double* centre = nullptr;            ///< [3][boxes], scaled coordinates, exact
  Lattice lattice;                           ///< edges: lattice.edge(level)
  const BoxId* parent = nullptr;             ///< [boxes], no_box for the root
  const BoxId* first_child = nullptr;        ///< [boxes], no_box for a leaf
  const std::uint8_t* child_mask = nullptr;  ///< [boxes], bit o set if child o (x lowest bit) exists; 0: leaf
  const std::uint8_t* octant = nullptr;      ///< [boxes], which child of its parent this is
  const BoxId* colleague = nullptr;          ///< [boxes][27], same-level boxes that touch this one, no_box where absent
  const std::int64_t* source_begin = nullptr;  ///< [boxes], into the sorted sources
  const std::int64_t* source_end = nullptr;
  const std::int64_t* target_begin = nullptr;  ///< [boxes], into the sorted targets (== source_* when alike)
  const std::int64_t* target_end = nullptr;

  FARFIELD_HD bool is_leaf(BoxId b) const { return child_mask[b] == 0; }
  FARFIELD_HD std::int64_t source_count(BoxId b) const { return source_end[b] - source_begin[b]; }
  FARFIELD_HD std::int64_t target_count(BoxId b) const { return target_end[b] - target_begin[b]; }
  FARFIELD_HD double coordinate(BoxId b, int axis) const { return centre[static_cast<std::int64_t>(axis) * boxes + b]; }
  FARFIELD_HD int child_count(BoxId b) const;
  /// Child `octant` of b, or no_box.
  FARFIELD_HD BoxId child(BoxId b, int octant) const;
};

FARFIELD_HD int count_bits(unsigned mask) {  // masks have 8 bits
  mask -= mask >> 1 & 0x55u;                 // without branches: baseline x86-64 has no popcount
  mask = (mask & 0x33u) + (mask >> 2 & 0x33u);
  return static_cast<int>((mask + (mask >> 4)) & 0x0fu);
}

FARFIELD_HD int TreeView::child_count(BoxId b) const { return count_bits(child_mask[b]); }

FARFIELD_HD BoxId TreeView::child(BoxId b, int o) const {
  const unsigned mask = child_mask[b];
  return (mask >> o & 1u) ? first_child[b] + count_bits(mask & ((1u << o) - 1u)) : no_box;
}

/// Owner of the arrays behind a TreeView; ArrayOf is farfield::Array on the host, cuda::DeviceArray on a device. Where
/// targets are the sources, target_begin and target_end stay empty and the view shows the sources' ranges. No points:
/// no boxes, no levels.
template <template <class> class ArrayOf>
struct Tree {
  Lattice lattice;
  BoxId boxes = 0;
  int levels = 0;
  ArrayOf<std::int8_t> level;
  ArrayOf<double> centre;
  ArrayOf<BoxId> parent, first_child, colleague;
  ArrayOf<std::uint8_t> child_mask, octant;
  ArrayOf<std::int64_t> source_begin, source_end, target_begin, target_end;
  BoxId level_begin[max_levels + 2] = {};

  template <class Memory>
  void use(Memory& memory) {
    use_all(memory, level, centre, parent, first_child, colleague, child_mask, octant);
    use_all(memory, source_begin, source_end, target_begin, target_end);
  }
  /// Sizes all arrays but `colleague`; with one set, targets have no ranges of their own.
  void resize(BoxId count, int sets) {
    boxes = count;
    level.resize(count);
    centre.resize(3 * static_cast<std::int64_t>(count));
    for (auto* array : {&parent, &first_child}) array->resize(count);
    for (auto* array : {&child_mask, &octant}) array->resize(count);
    for (auto* array : {&source_begin, &source_end}) array->resize(count);
    for (auto* array : {&target_begin, &target_end}) array->resize(sets > 1 ? count : 0);
  }

  TreeView view() const {
    const auto& begin = target_begin.empty() ? source_begin : target_begin;
    const auto& end = target_end.empty() ? source_end : target_end;
    return {boxes,
            levels,
            level_begin,
            level.data(),
            centre.data(),
            lattice,
            parent.data(),
            first_child.data(),
            child_mask.data(),
            octant.data(),
            colleague.data(),
            source_begin.data(),
            source_end.data(),
            begin.data(),
            end.data()};
  }
};

}  // namespace farfield

// Cells as stages see them: plain numbers and pointers.
#pragma once
#include <cstdint>

#include "core/hd.hpp"

namespace farfield::cpu {

/// Where cells lie, along the axes in which the points differ. Along axis a a point stands `at` = (x - low) / width,
/// and its cell is the whole part of that divided by 2^shift. Points of a cell are sorted by finer cells, of 2^(shift -
/// sub).
struct CellLattice {
  static constexpr int index_bits = 20;  ///< of a cell along an axis

  int axes = 0;      ///< 0: all points coincide
  int axis[3] = {};  ///< of the points
  double low[3] = {}, inverse = 1;
  int shift = 0, sub = 0;

  FARFIELD_HD double at(double x, int a) const { return (x - low[a]) * inverse; }
  FARFIELD_HD std::int64_t place(double x, int a) const {
    const double t = at(x, a);
    return t > 0 ? static_cast<std::int64_t>(t) : 0;
  }
};

/// A cell's indices along up to three axes in one number, the first axis in the lowest bits: cells that follow one
/// another along it are neighbours in the order of keys.
using CellKey = std::uint64_t;
FARFIELD_HD CellKey cell_key(std::int64_t x, std::int64_t y, std::int64_t z) {
  return static_cast<CellKey>(x) | static_cast<CellKey>(y) << CellLattice::index_bits |
         static_cast<CellKey>(z) << 2 * CellLattice::index_bits;
}
FARFIELD_HD std::int64_t cell_index(CellKey key, int a) {
  return static_cast<std::int64_t>(key >> (a * CellLattice::index_bits)) & ((1 << CellLattice::index_bits) - 1);
}

/// The cells that hold points, in the order of their keys; the points of cell c are [begin[c], begin[c + 1]).
struct CellsView {
  const CellKey* key = nullptr;
  const std::int64_t* begin = nullptr;
  std::int64_t count = 0;

  /// First cell whose key is not less.
  FARFIELD_HD std::int64_t from(CellKey k) const {
    std::int64_t low = 0, high = count;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (key[middle] < k)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

/// What method cutoff looks at: for a target, the cells within `reach`.
struct NearView {
  CellLattice lattice;
  CellsView sources, targets;
  double reach = 0;  ///< scaled, like coordinates
};

}  // namespace farfield::cpu

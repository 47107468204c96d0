// Cells of one uniform lattice as stages see them: plain numbers and pointers. Methods that look only at what lies near
// sort the points by such cells and store those that hold points; there is no tree.
#pragma once
#include <cmath>
#include <cstdint>

#include "core/hd.hpp"
#include "tree/geometry.hpp"

namespace farfield {

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

/// A lattice of that width over the box of all points, whose cells are single places.
inline CellLattice lattice_of(const Geometry& g, double width) {
  CellLattice lattice;
  const Scaling scale(g.exponent);
  for (int axis = 0; axis < 3; ++axis)
    if (g.high[axis] > g.low[axis] || (axis == 2 && lattice.axes == 0)) {
      lattice.axis[lattice.axes] = axis;
      lattice.low[lattice.axes++] = scale(g.low[axis]);
    }
  lattice.inverse = 1 / width;
  return lattice;
}

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
FARFIELD_HD CellKey key_of_cell(const CellLattice& lattice, const double x[3]) {
  std::int64_t index[3] = {};
  for (int a = 0; a < lattice.axes; ++a) index[a] = lattice.place(x[lattice.axis[a]], a) >> lattice.shift;
  return cell_key(index[0], index[1], index[2]);
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

  FARFIELD_HD double width() const { return std::ldexp(1.0, lattice.shift) / lattice.inverse; }
  /// Scaled middle of a cell along axis a of the lattice.
  FARFIELD_HD double middle(CellKey cell, int a) const {
    return lattice.low[a] + (static_cast<double>(cell_index(cell, a)) + 0.5) * width();
  }
  /// Rows of cells on either side of a cell's own that may lie within reach.
  FARFIELD_HD std::int64_t most_rows() const { return static_cast<std::int64_t>(reach / width()) + 1; }

  /// The sources within reach in the row of cells (dy, dz) rows on from a cell's own: none where begin >= end.
  struct Row {
    std::int64_t begin = 0, end = 0;
  };
  FARFIELD_HD Row row(CellKey cell, std::int64_t dy, std::int64_t dz) const {
    const double cells = reach / width(), y_gap = gap(dy), z_gap = gap(dz);
    const double left = cells * cells - y_gap * y_gap - z_gap * z_gap;
    const std::int64_t last = (1 << CellLattice::index_bits) - 1;
    const std::int64_t x = cell_index(cell, 0), y = cell_index(cell, 1) + dy, z = cell_index(cell, 2) + dz;
    if (left < 0 || y < 0 || y > last || z < 0 || z > last) return {};
    const std::int64_t along = static_cast<std::int64_t>(std::sqrt(left)) + 1;
    const std::int64_t first = sources.from(cell_key(x > along ? x - along : 0, y, z)),
                       beyond = sources.from(cell_key(x + along < last ? x + along : last, y, z) + 1);
    if (first >= beyond) return {};
    return {sources.begin[first], sources.begin[beyond]};
  }

 private:
  FARFIELD_HD static double gap(std::int64_t apart) {
    const auto cells = static_cast<double>(apart < 0 ? -apart : apart) - 1;
    return cells > 0 ? cells : 0;
  }
};

}  // namespace farfield

// What points are sorted by into cells: the indices of the cell, z before y before x, and below them those of the finer
// cell.
#pragma once
#include <bit>

#include "tree/grid/cells.hpp"

namespace farfield {

class CellSortKeys {
 public:
  /// Places grow with coordinates, so that the box of all points has the largest indices.
  CellSortKeys(const CellLattice& lattice, const Geometry& g) : lattice_(lattice) {
    const Scaling scale(g.exponent);
    for (int a = 0; a < lattice.axes; ++a)
      bits_[a] = static_cast<int>(std::bit_width(
          static_cast<std::uint64_t>(lattice.place(scale(g.high[lattice.axis[a]]), a)) >> lattice.shift));
    for (int a = 0, at = fine_bits(); a < lattice.axes; at += bits_[a++]) at_[a] = at;
  }

  FARFIELD_HD int all() const { return bits_[0] + bits_[1] + bits_[2] + fine_bits(); }
  /// Where the bits of a cell's index along an axis begin.
  FARFIELD_HD int at(int a) const { return at_[a]; }
  FARFIELD_HD int fine_bits() const { return lattice_.axes * lattice_.sub; }

  FARFIELD_HD std::uint64_t operator()(const double x[3]) const {
    switch (lattice_.axes) {
      case 1:
        return of<1>(x);
      case 2:
        return of<2>(x);
      default:
        return lattice_.axes > 2 ? of<3>(x) : 0;
    }
  }

  /// The cell of a key.
  FARFIELD_HD CellKey cell(std::uint64_t key) const {
    std::int64_t index[3] = {};
    for (int a = 0; a < lattice_.axes; ++a)
      index[a] = static_cast<std::int64_t>(key >> at_[a] & ((std::uint64_t(1) << bits_[a]) - 1));
    return cell_key(index[0], index[1], index[2]);
  }

 private:
  template <int axes>
  FARFIELD_HD std::uint64_t of(const double x[3]) const {
    std::uint64_t key = 0;
    for (int a = 0; a < axes; ++a) {
      const auto place = static_cast<std::uint64_t>(lattice_.place(x[lattice_.axis[a]], a));
      const std::uint64_t fine = place >> (lattice_.shift - lattice_.sub) & ((1u << lattice_.sub) - 1);
      key |= place >> lattice_.shift << at_[a] | fine << a * lattice_.sub;
    }
    return key;
  }

  CellLattice lattice_;
  int bits_[3] = {};  ///< that the indices of the cells take
  int at_[3] = {};    ///< where these begin in a key
};

}  // namespace farfield

// Cells: points sorted by the cells of one uniform lattice, of which only those that hold points are stored. For
// methods that look only at what lies near, without a tree.
#pragma once
#include <cstdint>
#include <vector>

#include "backends/cpu/boxes/sort.hpp"
#include "tree/grid/cells.hpp"

namespace farfield::cpu {

/// Up to here keys are counted, if there are enough points: 4 arrays are written at 2^14 places, lines of 4 MiB in all.
/// A million points of the plane take half the time of a sort.
inline constexpr int counted_bits = 14;

/// Owns what CellsView points to.
struct Cells {
  std::vector<CellKey> key;
  std::vector<std::int64_t> begin;

  CellsView view() const { return {key.data(), begin.data(), static_cast<std::int64_t>(key.size())}; }
};

/// Sorts the points by the cells of the lattice, ties by index. `geometry`: the survey of these points, or of more.
void sort_by_cells(SortedPoints& sorted, Cells& cells, const Points& points, const Geometry& geometry,
                   const CellLattice& lattice, int threads);

}  // namespace farfield::cpu

// Cells: points sorted by the cells of one uniform lattice, of which only those that hold points are stored. For
// methods that look only at what lies near, without a tree.
#pragma once
#include <cstdint>
#include <vector>

#include "backends/cpu/boxes/sort.hpp"
#include "tree/grid/cells.hpp"

namespace farfield::cpu {

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

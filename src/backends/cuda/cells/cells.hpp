// Cells: points sorted by the cells of one uniform lattice, of which only those that hold points are stored.
#pragma once
#include "backends/cuda/boxes/sort.hpp"
#include "tree/grid/cells.hpp"

namespace farfield::cuda {

/// Owns what CellsView points to.
struct Cells {
  DeviceArray<CellKey> key;
  DeviceArray<std::int64_t> begin;  ///< room for a cell per point
  std::int64_t count = 0;

  void use(DeviceMemory& memory) { use_all(memory, key, begin); }
  CellsView view() const { return {key.data(), begin.data(), count}; }
};

/// Sorts the points by the cells of the lattice, ties by index. How many cells hold points is written to `found`, in
/// device memory, and is to be known on the host before name_cells.
void sort_by_cells(SortedPoints& sorted, Cells& cells, const Points& points, const Geometry& geometry,
                   const CellLattice& lattice, std::int64_t* found, DeviceMemory& memory);

/// Writes the keys of cells.count cells.
void name_cells(Cells& cells, const SortedPoints& sorted, const CellLattice& lattice, cudaStream_t stream);

}  // namespace farfield::cuda

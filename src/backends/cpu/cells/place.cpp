#include "backends/cpu/cells/place.hpp"

#include <algorithm>
#include <bit>

#include "model/grid/price.hpp"
#include "tree/grid/sort_keys.hpp"

namespace farfield::cpu {
namespace {

void sort(PlacedCells& cells, CpuTree& tree, const Points& sources, const Points* targets, const Geometry& g,
          int threads) {
  tree.alike = cells.alike = targets == nullptr;
  if (!targets) tree.targets.release();  // of an earlier build
  sort_by_cells(tree.sources, cells.sources, sources, g, cells.lattice, threads);
  if (targets) sort_by_cells(tree.targets, cells.targets, *targets, g, cells.lattice, threads);
}

/// Down to single cells of the grid where that takes no more keys than are counted and many hold several points, whose
/// windows are then summed together; else finer cells of 16 and 4 spacings.
int fineness(CellLattice lattice, const Geometry& g) {
  lattice.sub = lattice.shift;
  const int bits = CellSortKeys(lattice, g).all();
  const std::int64_t fewest = g.alike ? g.sources : std::min(g.sources, g.targets);
  if (bits <= counted_bits && fewest >= std::int64_t(1) << bits >> 2) return lattice.shift;
  return lattice.axes == 1 ? 5 : lattice.axes == 2 ? 3 : 2;
}

bool place_on_grid(PlacedCells& cells, CpuTree& tree, const Points& sources, const Points* targets, const Geometry& g,
                   const Decision& d, int threads) {
  CellLattice& lattice = cells.lattice = lattice_of(g, d.spacing);
  const int side = block_side(lattice.axes);
  lattice.shift = std::countr_zero(static_cast<unsigned>(side));
  lattice.sub = fineness(lattice, g);
  sort(cells, tree, sources, targets, g, threads);
  return cells.blocks.build(cells.sources, targets ? &cells.targets : nullptr, lattice.axes, reach_in_blocks(d, side),
                            most_grid_blocks(g, d));
}

}  // namespace

void place_in_cells(PlacedCells& cells, CpuTree& tree, const Points& sources, const Points* targets, const Geometry& g,
                    Decision& d, int threads) {
  if (d.method == Method::grid && !place_on_grid(cells, tree, sources, targets, g, d, threads)) change_to_cutoff(d);
  if (d.method == Method::grid) return;
  cells.lattice = lattice_of(g, d.cell);
  sort(cells, tree, sources, targets, g, threads);
}

}  // namespace farfield::cpu

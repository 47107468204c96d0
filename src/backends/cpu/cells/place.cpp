#include "backends/cpu/cells/place.hpp"

#include <bit>
#include <farfield/error.hpp>
#include <string>

#include "backends/cpu/grid/window.hpp"
#include "model/grid/price.hpp"

namespace farfield::cpu {
namespace {

CellLattice lattice_of(const Geometry& g, double width) {
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

void sort(PlacedCells& cells, CpuTree& tree, const Points& sources, const Points* targets, const Geometry& g,
          int threads) {
  tree.alike = cells.alike = targets == nullptr;
  if (!targets) tree.targets.release();  // of an earlier build
  sort_by_cells(tree.sources, cells.sources, sources, g, cells.lattice, threads);
  if (targets) sort_by_cells(tree.targets, cells.targets, *targets, g, cells.lattice, threads);
}

/// In bytes of one grid.
std::int64_t most_blocks(const Geometry& g, const Decision& d, int axes) {
  const std::int64_t real = d.precision == Precision::single_ ? 4 : 8;
  return grid_memory(g.sources, g.alike ? 0 : g.targets) / (block_points(axes) * real);
}

bool place_on_grid(PlacedCells& cells, CpuTree& tree, const Points& sources, const Points* targets, const Geometry& g,
                   const Decision& d, int threads) {
  CellLattice& lattice = cells.lattice = lattice_of(g, d.spacing);
  const int side = block_side(lattice.axes);
  lattice.shift = std::countr_zero(static_cast<unsigned>(side));
  lattice.sub = lattice.axes == 1 ? 5 : lattice.axes == 2 ? 3 : 2;  // finer cells of 16 and 4 spacings
  sort(cells, tree, sources, targets, g, threads);
  return cells.blocks.build(cells.sources, targets ? &cells.targets : nullptr, lattice.axes, reach_in_blocks(d, side),
                            most_blocks(g, d, lattice.axes));
}

void change_to_cutoff(Decision& d) {
  if (!d.any_method)
    throw Error(ErrorCode::memory,
                "the blocks of the grid would take more memory than method grid may use; use method cutoff, or auto");
  d.method = Method::cutoff;
  std::erase_if(d.choices, [](const Choice& choice) { return choice.name == "spacing"; });
  for (Choice& choice : d.choices)
    if (choice.name == "method") choice = {"method", "cutoff", "the blocks of a grid would take too much memory"};
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

// PlacedCells: points sorted into the cells of method cutoff, or into the blocks of method grid.
#pragma once
#include "backends/cpu/boxes/tree.hpp"
#include "backends/cpu/cells/cells.hpp"
#include "backends/cpu/grid/blocks.hpp"
#include "model/decision.hpp"

namespace farfield::cpu {

struct PlacedCells {
  CellLattice lattice;
  Cells sources, targets;  ///< `targets` is empty where they are the sources
  bool alike = true;
  GridBlocks blocks;  ///< of method grid

  NearView near(double reach) const {
    return {lattice, sources.view(), alike ? sources.view() : targets.view(), reach};
  }
};

/// Sorts the points as the decision's method needs it. Where the blocks of the grid take more memory than grid_memory,
/// the decision becomes that for method cutoff, or Error(memory) is thrown if the caller asked for the grid.
void place_in_cells(PlacedCells& cells, CpuTree& tree, const Points& sources, const Points* targets,
                    const Geometry& geometry, Decision& decision, int threads);

}  // namespace farfield::cpu

// PlacedCells: points sorted into the cells of methods cutoff and hermite, or into the blocks of grid.
#pragma once
#include "backends/cuda/boxes/tree.hpp"
#include "backends/cuda/cells/cells.hpp"
#include "backends/cuda/cells/stages.hpp"
#include "backends/cuda/grid/blocks.hpp"
#include "expansions/hermite/grid.hpp"
#include "model/decision.hpp"

namespace farfield::cuda {

struct PlacedCells {
  CellLattice lattice;
  Cells sources, targets;  ///< `targets` is empty where they are the sources
  bool alike = true;
  DeviceArray<CellTile> tile;  ///< of method cutoff
  DeviceArray<std::int32_t> first_tile;
  GridBlocks blocks;        ///< of method grid
  hermite::Grid of_series;  ///< of method hermite, whose boxes are the cells

  void use(DeviceMemory& memory) {
    sources.use(memory), targets.use(memory), blocks.use(memory);
    use_all(memory, tile, first_tile);
  }
  const Cells& target_cells() const { return alike ? sources : targets; }
  CutoffView near(double reach) const {
    return {{lattice, sources.view(), target_cells().view(), reach},
            tile.data(),
            first_tile.data() + target_cells().count,
            tile.size()};
  }
};

/// Sorts the points as the decision's method needs it. Waits for the stream, for the number of cells. Where the blocks
/// of the grid take more memory than the grid may, the decision becomes that for method cutoff, or Error(memory) is
/// thrown if the caller asked for the grid.
void place_in_cells(PlacedCells& cells, CudaTree& tree, const Points& sources, const Points* targets,
                    const Geometry& geometry, Decision& decision);

}  // namespace farfield::cuda

// BlockImages: which images of the blocks of a cell are points, and which cells the lattice operator leaves out.
#pragma once
#include <vector>

#include "tree/cell/block_grid.hpp"

namespace farfield {

struct BlockImages {
  explicit BlockImages(const BlockGrid& grid);
  std::vector<std::vector<CellIndex>> points;  ///< per block: the images that are points, itself the first
  std::vector<CellIndex> near;                 ///< cells that the lattice operator leaves out
};

}  // namespace farfield

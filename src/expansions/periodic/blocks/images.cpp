#include "expansions/periodic/blocks/images.hpp"

#include <set>

namespace farfield {

BlockImages::BlockImages(const BlockGrid& grid) {
  for (int block = 0; block < grid.blocks(); ++block) points.push_back(grid.near_images(block));
  const std::vector<CellIndex> cells = near_cells(grid.cell(), grid.root_edge());
  std::set<CellIndex> all(cells.begin(), cells.end());
  for (const auto& one : points) all.insert(one.begin(), one.end());
  near.assign(all.begin(), all.end());
}

}  // namespace farfield

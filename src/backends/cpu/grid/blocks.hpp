// GridBlocks: which blocks of the grid are stored, and who reads and writes them.
#pragma once
#include <cstdint>
#include <vector>

#include "backends/cpu/cells/cells.hpp"
#include "backends/cpu/grid/view.hpp"

namespace farfield::cpu {

class GridBlocks {
 public:
  /// `targets` null: the sources. `reach`: blocks on each side from which the convolution takes; `most`: blocks at one
  /// stage. Returns false, and has nothing, where more would be needed.
  bool build(const Cells& sources, const Cells* targets, int axes, int reach, std::int64_t most);

  /// Numbers of the two grids between which stages go back and forth, in blocks.
  std::int64_t grid_blocks(int which) const { return grid_blocks_[which]; }
  std::int64_t kept_pieces() const { return kept_pieces_; }

  template <class Real>
  void show(GridView<Real>& view) const {
    view.sources = sources_.view();
    view.targets = targets_.view();
    view.coloured = coloured_.data(), view.colour = colour_, view.first_piece = first_piece_.data();
    view.spread_blocks = spread_blocks_;
    for (int a = 0; a < 3; ++a)
      view.pass[a] = {inputs_[a].data(), static_cast<std::int64_t>(inputs_[a].size()) / (2 * view.reach + 1)};
  }

 private:
  struct Side {
    const Cells* cells = nullptr;
    std::vector<std::int32_t> corners;
    std::vector<GridPiece> pieces;
    std::int64_t piece_count() const { return static_cast<std::int64_t>(pieces.size()); }
    BlocksView view() const { return {cells->view(), corners.data(), pieces.data(), piece_count()}; }
  };
  void cut_into_pieces();
  void colour_cells(int axes);

  Side sources_, targets_;
  std::vector<std::int32_t> coloured_, inputs_[3];
  std::vector<std::int64_t> first_piece_;
  std::int64_t colour_[9] = {}, grid_blocks_[2] = {}, spread_blocks_ = 0, kept_pieces_ = 0;
};

}  // namespace farfield::cpu

#include "backends/cpu/grid/blocks.hpp"

#include <utility>

#include "backends/cpu/tuning.hpp"

namespace farfield::cpu {

bool GridBlocks::build(const Cells& sources, const Cells* targets, int axes, int reach, std::int64_t most) {
  sources_.cells = &sources, targets_.cells = targets ? targets : &sources;
  BlockSets sets;
  if (!find_blocks(sets, sources.key, targets_.cells->key, axes, reach, most)) return false;
  for (int which = 0; which < 2; ++which) grid_blocks_[which] = farfield::grid_blocks(sets, axes, which);
  for (int a = 0; a < 3; ++a) inputs_[a] = std::move(sets.inputs[a]);
  spread_blocks_ = sets.count[0];
  sources_.corners = corners_of(sources.key, sets.spread, axes);
  targets_.corners = corners_of(targets_.cells->key, sets.last, axes);
  cut_into_pieces();
  colour_cells(axes);
  return true;
}

void GridBlocks::cut_into_pieces() {
  kept_pieces_ = 0;
  first_piece_.clear();
  for (Side* side : {&sources_, &targets_}) {
    side->pieces.clear();
    const CellsView cells = side->cells->view();
    for (std::int64_t c = 0; c < cells.count; ++c) {
      if (side == &sources_) first_piece_.push_back(side->piece_count());
      const std::int64_t count = cells.begin[c + 1] - cells.begin[c],
                         pieces = 1 + (count - 1) / tuning::gridded_together;
      for (std::int64_t p = 0; p < pieces; ++p) {
        const bool kept = side == &sources_ && pieces > 1;
        side->pieces.push_back({cells.begin[c] + count * p / pieces, cells.begin[c] + count * (p + 1) / pieces, c,
                                kept ? kept_pieces_++ : -1});
      }
    }
  }
  first_piece_.push_back(sources_.piece_count());
}

void GridBlocks::colour_cells(int axes) {
  const CellsView cells = sources_.cells->view();
  coloured_.clear();
  for (int colour = 0; colour < 1 << axes; ++colour) {
    colour_[colour] = static_cast<std::int64_t>(coloured_.size());
    for (std::int64_t c = 0; c < cells.count; ++c) {
      int parity = 0;
      for (int a = 0; a < axes; ++a) parity |= static_cast<int>(cell_index(cells.key[c], a) & 1) << a;
      if (parity == colour) coloured_.push_back(static_cast<std::int32_t>(c));
    }
  }
  colour_[1 << axes] = static_cast<std::int64_t>(coloured_.size());
}

}  // namespace farfield::cpu

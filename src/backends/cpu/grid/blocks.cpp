#include "backends/cpu/grid/blocks.hpp"

#include <algorithm>
#include <iterator>

#include "backends/cpu/tuning.hpp"

namespace farfield::cpu {
namespace {

using Keys = std::vector<CellKey>;  ///< sorted, each once

void sort_once(Keys& keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

/// Is there a cell so many cells on along the axis? Its key.
bool moved(CellKey& key, int axis, int by) {
  if (by < 0 && cell_index(key, axis) < -by) return false;
  const auto step = static_cast<CellKey>(by < 0 ? -by : by) << (axis * CellLattice::index_bits);
  key = by < 0 ? key - step : key + step;
  return true;
}

/// The cells from `below` to `above` cells on from those of the set.
Keys spread_along(const Keys& keys, int axis, int below, int above) {
  Keys all;
  all.reserve(keys.size() * static_cast<std::size_t>(above - below + 1));
  for (const CellKey each : keys)
    for (int by = below; by <= above; ++by)
      if (CellKey key = each; moved(key, axis, by)) all.push_back(key);
  sort_once(all);
  return all;
}

Keys common(const Keys& a, const Keys& b) {
  Keys both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

std::int32_t place_of(const Keys& keys, CellKey key) {
  const auto at = std::lower_bound(keys.begin(), keys.end(), key);
  return at != keys.end() && *at == key ? static_cast<std::int32_t>(at - keys.begin()) : -1;
}

/// The blocks that windows of the cells' points reach.
Keys reached(const Keys& cells, int axes) {
  Keys all = cells;
  for (int a = 0; a < axes; ++a) all = spread_along(all, a, 0, 1);
  return all;
}

std::vector<std::int32_t> corners_of(const Keys& cells, const Keys& blocks, int axes) {
  std::vector<std::int32_t> corners;
  for (const CellKey cell : cells)
    for (int i = 0; i < 8; ++i) {
      CellKey key = cell;
      for (int a = 0; a < axes; ++a) moved(key, a, i >> a & 1);
      corners.push_back(i >> axes ? 0 : place_of(blocks, key));
    }
  return corners;
}

std::vector<std::int32_t> inputs_of(const Keys& result, const Keys& from, int axis, int reach) {
  std::vector<std::int32_t> inputs;
  for (const CellKey block : result)
    for (int by = -reach; by <= reach; ++by) {
      CellKey key = block;
      inputs.push_back(moved(key, axis, by) ? place_of(from, key) : -1);
    }
  return inputs;
}

}  // namespace

bool GridBlocks::build(const Cells& sources, const Cells* targets, int axes, int reach, std::int64_t most) {
  sources_.cells = &sources, targets_.cells = targets ? targets : &sources;
  const auto fits = [&](const Keys& keys) { return static_cast<std::int64_t>(keys.size()) <= most; };
  if (!fits(sources.key) || !fits(targets_.cells->key)) return false;
  Keys stage[4], needed[4];  // before each pass and after the last one
  stage[0] = reached(sources.key, axes);
  for (int a = 0; a < axes; ++a) {
    if (!fits(stage[a])) return false;
    stage[a + 1] = spread_along(stage[a], a, -reach, reach);
  }
  needed[axes] = reached(targets_.cells->key, axes);
  for (int a = axes - 1; a >= 0; --a) {
    needed[a] = a == 0 ? stage[0] : common(stage[a], spread_along(needed[a + 1], a, -reach, reach));
    inputs_[a] = inputs_of(needed[a + 1], needed[a], a, reach);
  }
  for (int a = axes; a < 3; ++a) inputs_[a].clear();
  grid_blocks_[0] = grid_blocks_[1] = 0;
  for (int a = 0; a <= axes; ++a)
    grid_blocks_[a % 2] = std::max(grid_blocks_[a % 2], static_cast<std::int64_t>(needed[a].size()));
  if (grid_blocks_[0] + grid_blocks_[1] > most) return false;
  spread_blocks_ = static_cast<std::int64_t>(stage[0].size());
  sources_.corners = corners_of(sources.key, stage[0], axes);
  targets_.corners = corners_of(targets_.cells->key, needed[axes], axes);
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

#include "tree/grid/blocks.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace farfield {
namespace {

using Keys = CellKeys;

/// Is there a cell so many cells on along the axis? Its key.
bool moved(CellKey& key, int axis, int by) {
  if (by < 0 && cell_index(key, axis) < -by) return false;
  const auto step = static_cast<CellKey>(by < 0 ? -by : by) << (axis * CellLattice::index_bits);
  key = by < 0 ? key - step : key + step;
  return true;
}

/// The cells from `below` to `above` cells on from those of the set. Sets that are moved stay in order, so that they
/// are merged, not sorted.
Keys spread_along(const Keys& keys, int axis, int below, int above) {
  Keys all, more, both;
  for (int by = below; by <= above; ++by) {
    more.clear(), both.clear();
    for (const CellKey each : keys)
      if (CellKey key = each; moved(key, axis, by)) more.push_back(key);
    std::set_union(all.begin(), all.end(), more.begin(), more.end(), std::back_inserter(both));
    std::swap(all, both);
  }
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

bool find_blocks(BlockSets& sets, const Keys& sources, const Keys& targets, int axes, int reach, std::int64_t most) {
  const auto fits = [&](const Keys& keys) { return static_cast<std::int64_t>(keys.size()) <= most; };
  if (!fits(sources) || !fits(targets)) return false;
  Keys stage[4], needed[4];  // before each pass and after the last one
  stage[0] = reached(sources, axes);
  for (int a = 0; a < axes; ++a) {
    if (!fits(stage[a])) return false;
    stage[a + 1] = spread_along(stage[a], a, -reach, reach);
  }
  needed[axes] = reached(targets, axes);
  for (int a = axes - 1; a >= 0; --a) {
    needed[a] = a == 0 ? stage[0] : common(stage[a], spread_along(needed[a + 1], a, -reach, reach));
    sets.inputs[a] = inputs_of(needed[a + 1], needed[a], a, reach);
  }
  for (int a = axes; a < 3; ++a) sets.inputs[a].clear();
  for (int a = 0; a <= axes; ++a) sets.count[a] = static_cast<std::int64_t>(needed[a].size());
  sets.spread = std::move(stage[0]), sets.last = std::move(needed[axes]);
  return grid_blocks(sets, axes, 0) + grid_blocks(sets, axes, 1) <= most;
}

std::int64_t grid_blocks(const BlockSets& sets, int axes, int which) {
  std::int64_t most = 0;
  for (int a = which; a <= axes; a += 2) most = std::max(most, sets.count[a]);
  return most;
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

std::vector<std::int32_t> feeders_of(const Keys& blocks, const Keys& cells, int axes) {
  std::vector<std::int32_t> feeders;
  for (const CellKey block : blocks)
    for (int i = 0; i < 8; ++i) {
      CellKey key = block;
      bool exists = i >> axes == 0;
      for (int a = 0; a < axes; ++a)
        if (i >> a & 1) exists = exists && moved(key, a, -1);
      feeders.push_back(exists ? place_of(cells, key) : -1);
    }
  return feeders;
}

}  // namespace farfield

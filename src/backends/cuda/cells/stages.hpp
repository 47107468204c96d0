// The stage of method cutoff on a device: an asynchronous launch in the order of NearWork::stream.
#pragma once
#include "backends/cuda/work.hpp"
#include "tree/grid/cells.hpp"

namespace farfield::cuda {

/// A block's share of the targets, all of one cell.
struct CellTile {
  std::int64_t first;
  std::int32_t count, cell;
};

inline constexpr int cell_tile = 128;  ///< most targets of a tile: what two warps hold in registers in double

struct CutoffView {
  NearView near;
  const CellTile* tile = nullptr;
  const std::int32_t* tiles = nullptr;  ///< device memory: how many there are
  std::int64_t most_tiles = 0;          ///< upper bound
};

/// Each target with the sources within reach; overwrites the results.
template <class Kernel, class Real>
void cutoff(const NearWork<Real>& work, const CutoffView& view);

}  // namespace farfield::cuda

// Which blocks of a grid are stored: those that windows of points reach, and those that a convolution fills from them
// on its way to targets. Found on the host, whatever backend works with them.
#pragma once
#include <cstdint>
#include <vector>

#include "tree/grid/cells.hpp"

namespace farfield {

/// Points of a block along its axes, all a whole number of the widest vectors and at least as wide as any window.
FARFIELD_HD constexpr int block_side(int axes) { return axes == 1 ? 512 : axes == 2 ? 32 : 16; }
FARFIELD_HD constexpr std::int64_t block_points(int axes) {
  return axes == 1 ? 512 : axes == 2 ? 32 * 32 : 16 * 16 * 16;
}

using CellKeys = std::vector<CellKey>;  ///< sorted, each once

/// Cells are blocks. Blocks are numbered in the order of their keys, anew between any two passes.
struct BlockSets {
  CellKeys spread;             ///< that windows of sources reach
  CellKeys last;               ///< that windows of targets reach, after all passes
  std::int64_t count[4] = {};  ///< of blocks before each pass and after the last
  /// One pass of the convolution: block b of the result is made of 2 reach + 1 blocks along the axis, from inputs[b (2
  /// reach + 1)] on; -1 where a block holds nothing.
  std::vector<std::int32_t> inputs[3];
};

/// `reach`: blocks on each side from which the convolution takes; `most`: blocks of the two grids between which it goes
/// back and forth. Returns false where more would be needed.
bool find_blocks(BlockSets& sets, const CellKeys& sources, const CellKeys& targets, int axes, int reach,
                 std::int64_t most);

/// Blocks of the two grids.
std::int64_t grid_blocks(const BlockSets& sets, int axes, int which);

/// The windows of a cell's points reach into that block and the next one along each axis: corners[8 c + i], the bits of
/// i for the axes.
std::vector<std::int32_t> corners_of(const CellKeys& cells, const CellKeys& blocks, int axes);

/// The same seen from a block: the cells whose points reach it, feeders[8 b + i] the one before it along the axes of
/// the bits of i; -1 where that holds no points.
std::vector<std::int32_t> feeders_of(const CellKeys& blocks, const CellKeys& cells, int axes);

}  // namespace farfield

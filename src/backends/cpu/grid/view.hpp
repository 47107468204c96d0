// The grid as its stages see it: blocks of grid points, of which only those near points are stored.
#pragma once
#include "tree/grid/blocks.hpp"

namespace farfield::cpu {

inline constexpr int window_padding = 16;  ///< zeros on both sides of the coefficients: these are read from any lane on
inline constexpr int window_pitch = 3 * window_padding;
inline constexpr int terms_pitch = 32;  ///< of the coefficients of one point of the grid side by side

/// Points that are spread or interpolated by one thread at a time, all of one block.
struct GridPiece {
  std::int64_t begin, end;  ///< points
  std::int64_t block;       ///< in the order of cells
  std::int64_t kept;        ///< where the piece's own sums are kept; -1: nowhere
};

/// Cells are blocks. The windows of a cell's points reach into that block and the next one along each axis:
/// corners[8 c + i], the bits of i for the axes.
struct BlocksView {
  CellsView cells;
  const std::int32_t* corners = nullptr;
  const GridPiece* pieces = nullptr;
  std::int64_t piece_count = 0;
};

/// One pass of the convolution: block b of the result is made of 2 reach + 1 blocks along the axis, from
/// inputs[b (2 reach + 1)] on; -1 where a block holds nothing.
struct PassView {
  const std::int32_t* inputs = nullptr;
  std::int64_t blocks = 0;
};

template <class Real>
struct GridView {
  CellLattice lattice;  ///< points of the grid are its places, blocks its cells
  int width = 0, degree = 0, taps = 0, reach = 0;
  const Real *value = nullptr, *slope = nullptr;              ///< [degree + 1][window_pitch], of WindowPolynomials
  const Real *value_terms = nullptr, *slope_terms = nullptr;  ///< the same, [width][terms_pitch], zeros behind them
  const Real* tap = nullptr;                                  ///< [taps + 1]
  BlocksView sources, targets;
  /// Of sources: which share no block of the grid, by the parity of their indices; colour[i] to colour[i + 1].
  const std::int32_t* coloured = nullptr;
  const std::int64_t* colour = nullptr;       ///< [2^axes + 1]
  const std::int64_t* first_piece = nullptr;  ///< [cells + 1] of sources
  std::int64_t spread_blocks = 0;
  PassView pass[3];
  Real *from = nullptr, *to = nullptr;  ///< grids of the current stage
  Real* kept = nullptr;                 ///< sums of pieces
};

/// Numbers of a block with the margin that windows reach: rows are padded to whole vectors.
FARFIELD_HD constexpr std::int64_t local_points(int axes, int width) {
  const std::int64_t side = block_side(axes), wide = side + width;
  return (side + window_padding) * (axes > 1 ? wide : 1) * (axes > 2 ? wide : 1);
}

}  // namespace farfield::cpu

// The grid as its stages see it: blocks of grid points, of which only those near points are stored, and the stages.
#pragma once
#include "backends/cuda/work.hpp"
#include "tree/grid/blocks.hpp"

namespace farfield::cuda {

/// A share of the sources that reach a block, summed by one block of threads: part `part` of `parts`.
struct GridPiece {
  std::int32_t block, part, parts;
  std::int32_t kept;  ///< where the sums are kept; -1: in the block itself, which has no other piece
};

/// A block whose kept pieces first ... first + count are yet to be added up.
struct KeptBlock {
  std::int32_t block, first, count;
};

/// See BlockSets::inputs.
struct PassView {
  const std::int32_t* inputs = nullptr;
  std::int64_t blocks = 0;
};

template <class Real>
struct GridView {
  CellLattice lattice;  ///< points of the grid are its places, blocks its cells
  int width = 0, degree = 0, taps = 0, reach = 0;
  const Real *value = nullptr, *slope = nullptr;  ///< [degree + 1][width], of WindowPolynomials
  const Real* tap = nullptr;                      ///< [taps + 1]
  // spread
  CellsView sources;
  const CellKey* block = nullptr;         ///< keys of the blocks that are spread to
  const std::int32_t* feeders = nullptr;  ///< [blocks][8], feeders_of
  const GridPiece* piece = nullptr;
  const KeptBlock* kept_block = nullptr;
  std::int64_t pieces = 0, kept_blocks = 0;
  Real* kept = nullptr;  ///< [pieces that are kept][block_points]
  // convolve
  PassView pass[3];
  // interpolate
  const std::int32_t* corners = nullptr;      ///< [cells of targets][8], corners_of
  const std::int32_t* target_cell = nullptr;  ///< [targets]
  Real *from = nullptr, *to = nullptr;        ///< grids of the current stage
};

template <class Real>
void spread(const NearWork<Real>& work, const GridView<Real>& grid);
template <class Real>
void convolve(const GridView<Real>& grid, int axis, cudaStream_t stream);
/// Overwrites the results.
template <class Real>
void interpolate(const NearWork<Real>& work, const GridView<Real>& grid);

/// Calls f(std::integral_constant<int, axes>).
template <class F>
decltype(auto) with_axes(int axes, const F& f) {
  if (axes == 1) return f(std::integral_constant<int, 1>{});
  if (axes == 2) return f(std::integral_constant<int, 2>{});
  return f(std::integral_constant<int, 3>{});
}

}  // namespace farfield::cuda

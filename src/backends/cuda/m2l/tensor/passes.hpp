// The passes of m2l on tensor cores: how many terms, rows, columns and blocks their products have.
//
// Which degrees need three terms was found on whole far fields with every rounding of the tensor cores modelled, for
// nine kinds of strengths (9 decades, neutral boxes, clusters). Three terms below half the degree keep rounding under a
// third of the truncation, in potential and gradient, wherever three terms at all degrees do. Up to degree 3 one term
// suffices; up to degree 5, three terms below degree 2 (rounding of 7e-7 of the potential, strengths of one sign, where
// truncation is 4e-6).
#pragma once
#include <cstdint>

#include "backends/cuda/m2l/tensor/tensor_m2l.hpp"

namespace farfield::cuda {

inline constexpr float operator_scale = 8192;  ///< elements are at most 1/2 at any degree

/// Degrees below the returned one are summed in three terms. 16 coefficients cost as much as 9, 4 half as much.
int graded_degrees(int degree);

/// The same where results may err by `tolerance` (0: as little as suits the degree): the fewest whose rounding stays
/// below 0.35 of it. It is that of the first degrees in one term, whatever the highest. Of uniform points with charges
/// of one sign, of both, a Plummer model and close pairs (N = 2^18, degrees 6 to 14, relative to potential or gradient)
/// it came to at most 4.3e-7, 1.8e-6, 2.6e-5 and 2.5e-4 with three terms below degrees 5, 4, 2 and 0. One H200, 1.1e6
/// atoms of water at degree 12: 2.53 ms a step below 4, 2.61 below 5, 2.67 below 6.
int graded_degrees(int degree, double tolerance);

/// Children whose columns, `width` each, fill a tile. One, if it is wide enough not to copy its rows too often, where
/// operators are fitted to distances: of several children some are near to most sources, and all coefficients count.
int group_of(int width, int terms, TensorEngine engine, Fit fit = Fit::none);

/// Columns of the steps of locals with fewer degrees (laplace::target_degree) in tiles of one child with so many: those
/// of degree 8 at 9 and 10, 9 at 11 and 12, 10 at 13 and 14, 11 at 15.
constexpr int narrow_columns(int columns) {
  return columns > 232 ? 144 : columns > 176 ? 128 : columns > 128 ? 104 : 88;
}

/// Rows of a tile: 256 where the engine has such tiles for `columns` and enough per multiprocessor remain, else 128.
int tile_rows_of(std::int64_t parents, int columns, int group, TensorEngine engine, bool large);

/// Tiles of 128 rows that boxes with targets fill: rows of `group` siblings, of 8 / group classes, each of which ends a
/// tile early. Trees with larger tiles have more of them than are ever shared.
std::int64_t tiles_of(double boxes, int group);

/// Blocks for a tile: so many that they take least time, each having its share of the 27 slots of colleagues. There
/// may be up to half as many tiles again, since classes differ. The device is one of 132 multiprocessors, whichever it
/// is: the order of sums follows. What parts cost, to be written and added up, is a slot's time for as many of them as
/// tiles are wide. One H100, degree 14, 81,000 atoms of water in a cell: a step takes 0.52 ms, with 3
/// blocks for a tile 0.59.
int splits_for(std::int64_t tiles, int width);

}  // namespace farfield::cuda

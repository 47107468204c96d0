// Prices of the methods for kernels that fall off: direct, cutoff and grid (docs/mathematics/gauss.md).
#pragma once
#include <vector>

#include "model/cost_model.hpp"
#include "model/decision.hpp"
#include "tree/geometry.hpp"

namespace farfield {

/// Sets reach and cell width of method cutoff, and returns its nanoseconds on one core.
double choose_cutoff(Decision& decision, const Options& options, const Geometry& geometry, const CostConstants& costs);

/// Sets window and spacing of method grid, and returns its nanoseconds; infinite where the method is not possible.
double choose_grid(Decision& decision, const Options& options, const Geometry& geometry);

/// Nanoseconds of method exponentials on one core; infinite where it is not possible.
double exponentials_cost(const Decision& decision, const Geometry& geometry);

/// Taps of a decision for method grid.
std::vector<double> taps_of(const Decision& decision);

/// The window's polynomials of a decision for method grid.
WindowPolynomials polynomials_of(const Decision& decision);

/// The blocks on each side that its taps reach.
int reach_in_blocks(const Decision& decision, int side);

/// Bytes that the grid of a plan may take, and how many blocks of it that are.
std::int64_t grid_memory(std::int64_t sources, std::int64_t targets);
std::int64_t most_grid_blocks(const Geometry& geometry, const Decision& decision);

/// Would all blocks of the box of the points be few enough?
bool whole_grid_fits(const Decision& decision, const Geometry& geometry);

/// For a grid whose blocks would be more: the decision becomes that for method cutoff, or Error(memory) is thrown if
/// the caller asked for the grid.
void change_to_cutoff(Decision& decision);

/// Along how many axes the points differ, at least 1.
int axes_of(const Geometry& geometry);
/// The axis along which points on a line differ.
int line_axis(const Geometry& geometry);

}  // namespace farfield

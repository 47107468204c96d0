// What options may be: one sentence for each that is wrong by itself, beside others, for the points or on the backend.
#pragma once
#include <farfield/options.hpp>

#include "tree/geometry.hpp"

namespace farfield {

/// Scaled. The cells of method cutoff are no narrower than 1e-6 of the extent, and in single places in a cell are
/// rounded to 2^-24 of it.
inline constexpr double least_single_bandwidth = 1e-6;

inline constexpr int most_densities = 1'000'000;  ///< of the option, not of an evaluation

/// Throws Error(usage), or Error(input) where the points do not suit the kernel. What precision reaches is not looked
/// at.
void validate(const Options& options, const Geometry& geometry);

/// Longest softening of points that have lengths of their own, over the points' extent: its square and the cube of its
/// inverse are numbers of single.
inline constexpr double most_length = 0x1p30;

/// Of vortex particles, as kernels/cores/cores.hpp has it?
bool is_core(SofteningKind kind);

}  // namespace farfield

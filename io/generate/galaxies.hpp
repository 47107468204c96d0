// Two disc galaxies on a collision course, called by `generate` alone.
#pragma once
#include <cstdint>

#include "io/bodies.hpp"

namespace farfield::io {

/// Fills positions, strengths (masses, sum 1) and the columns vx, vy, vz, type (1 halo, 2 disc, 3 bulge, as in GADGET).
/// Units: G = 1, total mass 1, the larger disc's scale length 1.
void make_galaxies(std::int64_t n, std::uint64_t seed, Bodies& bodies);

}  // namespace farfield::io

// Pairs so near that 1/r^3, or the square of the distance, leaves the range of Real.
#pragma once

namespace farfield {

/// Squares of distances from this on are safe: the cube of the inverse distance, 1e36 and 1e300, is a number of Real.
template <class Real>
inline constexpr Real least_square = sizeof(Real) == 4 ? Real(1e-24) : Real(1e-200);

}  // namespace farfield

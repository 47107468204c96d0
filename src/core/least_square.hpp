// The limit below which pairs are so near that 1/r^3, or the square of the distance, may leave the range of Real.
#pragma once

namespace farfield {

/// Squared distances from this on are safe: the cube of the inverse distance, at most 1e36 (float) or 1e300 (double),
/// is a number of Real.
template <class Real>
inline constexpr Real least_square = sizeof(Real) == 4 ? Real(1e-24) : Real(1e-200);

}  // namespace farfield

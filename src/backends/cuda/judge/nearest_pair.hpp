// Pairs so near that 1/r^3, or the square of the distance, leaves the range of double: sums of estimates and checks.
#pragma once

namespace farfield::cuda {

/// Such a pair's terms of potential and gradient, q/r and q/r^2; 0 where the points coincide.
__device__ inline double2 nearest_terms(double r, double q) {
  if (!(r > 0)) return {0, 0};
  const double w = q / r;
  return {w, w / r};
}

}  // namespace farfield::cuda

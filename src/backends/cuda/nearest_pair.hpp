// Pairs so near that 1/r^3, or the square of the distance, leaves the range of double: sums of estimates and checks.
#pragma once

namespace farfield::cuda {

inline constexpr double least_square_in_double = 1e-200;

/// What such a pair adds to the potential, the gradient and the sums of absolute values of both (DirectSum, in its
/// order); nothing where the points coincide. Returns {|q|/r, |q|/r^2}.
__device__ inline double2 add_nearest_pair(double dx, double dy, double dz, double q, double* sum) {
  const double r = norm3d(dx, dy, dz);
  if (!(r > 0)) return {0, 0};
  const double w = q / r, g = w / r;
  sum[0] += w;
  sum[1] -= g * (dx / r), sum[2] -= g * (dy / r), sum[3] -= g * (dz / r);
  sum[4] += fabs(w), sum[5] += fabs(g);
  return {fabs(w), fabs(g)};
}

}  // namespace farfield::cuda

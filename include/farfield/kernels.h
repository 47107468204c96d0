/* The registry of kernels, a line each. From it are made options.hpp, farfield.h, reports, the command line and
 * src/kernels.
 *
 * KERNEL(name, NAME, Type, value, formula)
 *   name, NAME: the word in options, reports and on the command line, and the same in capitals for C
 *   Type:       the kernel's struct, in src/kernels/<name>.hpp
 *   value:      its number in both interfaces; from 0 without gaps, and never changed
 *   formula:    K(x, y), which farfield_options.scale multiplies
 * How to add a kernel: docs/developer/adding-a-kernel.md.
 */
#ifndef FARFIELD_KERNELS_H
#define FARFIELD_KERNELS_H

#define FARFIELD_KERNELS(KERNEL)                          \
  KERNEL(laplace3d, LAPLACE3D, Laplace3d, 0, "1/|x - y|") \
  KERNEL(count, COUNT, Count, 1, "1 for every pair, a point with itself included: a diagnostic") \
  KERNEL(laplace2d, LAPLACE2D, Laplace2d, 2, "-log |x - y| in the plane") \
  KERNEL(gauss, GAUSS, Gauss, 3, "exp(-|x - y|^2 / (2 bandwidth^2)) for every pair, a point with itself included") \
  KERNEL(vortex, VORTEX, Vortex, 4, "velocity of point vortices, 1/(2 pi i (z - z_j)) = u - iv") \
  KERNEL(cauchy, CAUCHY, Cauchy, 5, "1/(z - z_j), z = x + iy: real and imaginary part") \
  KERNEL(yukawa3d, YUKAWA3D, Yukawa3d, 6, "exp(-kappa |x - y|)/|x - y|")

#endif

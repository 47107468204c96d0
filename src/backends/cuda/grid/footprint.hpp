// Windows of a batch of points: where each begins in its block, and its values at the points of the grid, in shared
// memory.
#pragma once
#include "backends/cuda/grid/view.hpp"

namespace farfield::cuda {

/// Where the window of a point begins along one axis, counted in places of the lattice, and the argument of the
/// polynomials.
template <class Real>
struct Footprint {
  std::int64_t place;
  Real u;
  __device__ Footprint(const CellLattice& lattice, double x, int a) {
    const double t = lattice.at(x, a);
    place = t > 0 ? static_cast<std::int64_t>(t) : 0;
    u = static_cast<Real>(1 - 2 * (t - static_cast<double>(place)));
  }
};

/// Element `a` of an array that is an argument of the kernel: an index that varies would copy the array to local
/// memory.
template <class T>
__device__ T chosen(const T (&of)[3], int a) {
  return a == 0 ? of[0] : a == 1 ? of[1] : of[2];
}

/// Rows of shared memory with an odd number of elements: threads that write a row each meet in no bank.
__host__ __device__ constexpr int window_pitch(int width) { return width | 1; }

/// Horner's rule at all points of a window; coefficients [degree + 1][width].
template <class Real>
__device__ void evaluate_window(const Real* coefficients, int degree, int width, Real u, Real factor, Real* out) {
  for (int k = 0; k < width; ++k) {
    Real sum = coefficients[degree * width + k];
    for (int d = degree - 1; d >= 0; --d) sum = sum * u + coefficients[d * width + k];
    out[k] = factor * sum;
  }
}

}  // namespace farfield::cuda

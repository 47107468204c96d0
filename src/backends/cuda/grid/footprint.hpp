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

/// Calls f(std::integral_constant<int, room>) for windows of at most that many points: 8 or 16.
template <class F>
decltype(auto) with_room(int width, const F& f) {
  if (width <= 8) return f(std::integral_constant<int, 8>{});
  return f(std::integral_constant<int, 16>{});
}

/// Rows of shared memory with an odd number of elements: threads that write a row each meet in no bank.
template <int room>
inline constexpr int window_pitch = room + 1;

/// From [degree + 1][width] to [degree + 1][room], zeros beyond the width; by `threads` threads.
template <int room, int threads, class Real>
__device__ void load_coefficients(const Real* from, int degree, int width, Real* to) {
  for (int i = static_cast<int>(threadIdx.x); i < (degree + 1) * room; i += threads)
    to[i] = i % room < width ? from[i / room * width + i % room] : Real(0);
}

/// Horner's rule at all points of a window at once, which hides the latency of each.
template <int room, class Real>
__device__ void evaluate_window(const Real* coefficients, int degree, Real u, Real (&out)[room]) {
  const Real* row = coefficients + degree * room;
#pragma unroll
  for (int k = 0; k < room; ++k) out[k] = row[k];
#pragma unroll 1
  for (int d = degree - 1; d >= 0; --d) {
    row -= room;
#pragma unroll
    for (int k = 0; k < room; ++k) out[k] = out[k] * u + row[k];
  }
}

}  // namespace farfield::cuda

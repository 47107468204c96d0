// The window of one point: its values, and slopes, at the points of the grid around it.
#pragma once
#include "backends/cpu/grid/view.hpp"
#include "backends/cpu/runtime/simd.hpp"
#include "backends/cpu/work.hpp"

namespace farfield::cpu::FARFIELD_ISA {

template <class Real>
inline constexpr int most_window_vectors = (window_padding + 2 * lanes<Real> - 2) / lanes<Real>;

/// Horner's rule for `vectors` vectors of points of the grid, the first of which is `skip` points before the window.
template <int vectors, class Real>
FARFIELD_INLINE void evaluate_window(const Real* coefficients, int degree, int skip, Real u, Vec<Real>* out) {
  const Real* c = coefficients + window_padding - skip + degree * window_pitch;
  for (int v = 0; v < vectors; ++v) out[v] = load(c + v * lanes<Real>);
  for (int d = degree - 1; d >= 0; --d) {
    c -= window_pitch;
    for (int v = 0; v < vectors; ++v) out[v] = out[v] * u + load(c + v * lanes<Real>);
  }
}

/// Where the window of a point begins in its block, and the argument of the polynomials.
template <class Real, int axes>
struct Footprint {
  int first[axes];
  Real u[axes];

  FARFIELD_INLINE Footprint(const CellLattice& lattice, const double* const (&points)[3], std::int64_t i) {
    for (int a = 0; a < axes; ++a) {
      const double t = lattice.at(points[lattice.axis[a]][i], a);
      const std::int64_t place = t > 0 ? static_cast<std::int64_t>(t) : 0;
      first[a] = static_cast<int>(place & (block_side(axes) - 1));
      u[a] = static_cast<Real>(1 - 2 * (t - static_cast<double>(place)));
    }
  }
  /// Points of the grid between the last multiple of `step` and the window along the first axis.
  FARFIELD_INLINE int skip(int step) const { return first[0] & (step - 1); }
};

/// Where vectors lie under a window along the first axis. In double they are aligned, and there are as many as the
/// window's place needs. In single they begin at multiples of `step`, as few as suffice wherever the window begins: a
/// number that changes from point to point costs mispredicted branches, more than vectors across lines of the cache.
/// 1e5 points at 1e-6, a core with AVX-512: in the plane spread takes 1.31 ms and not 2.05; in space interpolate 3.9
/// and not 5.7.
template <class Real>
struct WindowVectors {
  int width, step = lanes<Real>, fixed = 0;

  explicit WindowVectors(int points) : width(points) {
    constexpr int least_step = 4;  // with less, loads find what was just stored by halves
    if (sizeof(Real) == sizeof(double)) return;
    fixed = (width + least_step - 1 + lanes<Real> - 1) / lanes<Real>;
    while (step - 1 + width > fixed * lanes<Real>) step /= 2;
  }
  FARFIELD_INLINE int needed(int skip) const {
    return fixed > 0 ? fixed : (skip + width + lanes<Real> - 1) / lanes<Real>;
  }
};

/// Calls f(std::integral_constant<int, vectors>) for the vectors that a window takes.
template <class Real, int vectors = 1, class F>
FARFIELD_INLINE void with_vectors(int needed, const F& f) {
  if constexpr (vectors < most_window_vectors<Real>) {
    if (needed > vectors) return with_vectors<Real, vectors + 1>(needed, f);
  }
  f(std::integral_constant<int, vectors>{});
}

/// Values of the window along an axis other than the first.
template <class Real>
FARFIELD_INLINE void window_along(const Real* coefficients, int degree, int width, Real u, Real* out) {
  for (int k = 0; k < width; k += lanes<Real>) {
    Vec<Real> v;
    evaluate_window<1>(coefficients + k, degree, 0, u, &v);
    store(out + k, v);
  }
}

template <int axes>
struct LocalRows {
  static constexpr std::int64_t pitch = block_side(axes) + window_padding;
  int width;
  FARFIELD_INLINE std::int64_t row(int y, int z) const {
    return (static_cast<std::int64_t>(z) * (axes > 2 ? block_side(axes) + width : 1) + y) * pitch;
  }
};

/// Calls f(std::integral_constant<int, axes>).
template <class F>
FARFIELD_INLINE void with_axes(int axes, const F& f) {
  if (axes == 1) return f(std::integral_constant<int, 1>{});
  if (axes == 2) return f(std::integral_constant<int, 2>{});
  f(std::integral_constant<int, 3>{});
}

}  // namespace farfield::cpu::FARFIELD_ISA

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
  /// Points of the grid between the last whole vector and the window along the first axis.
  FARFIELD_INLINE int skip() const { return first[0] & (lanes<Real> - 1); }
};

/// Calls f(std::integral_constant<int, vectors>) for the vectors that a window takes.
template <class Real, int vectors = 1, class F>
FARFIELD_INLINE void with_vectors(int needed, const F& f) {
  if constexpr (vectors < most_window_vectors<Real>) {
    if (needed > vectors) return with_vectors<Real, vectors + 1>(needed, f);
  }
  f(std::integral_constant<int, vectors>{});
}

template <class Real>
FARFIELD_INLINE int vectors_needed(int skip, int width) {
  return (skip + width + lanes<Real> - 1) / lanes<Real>;
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

// The correction of a hardware seed of 1/sqrt(x) that pair sums need, stopped where the tolerance allows
// (pair_terms.hpp).
#pragma once
#include "backends/cpu/runtime/simd.hpp"

namespace farfield::cpu::FARFIELD_ISA {

/// s t (1 - e)^(-3/2) and s (1 - e)^(-1/2), t = s^2, e = 1 - x t, as series up to e^terms but for a factor, by which
/// whole sums are scaled back. Two terms are a completed square, one instruction less than Horner's rule.
template <int terms>
struct Correction {
  static constexpr double cube_scale = terms == 1 ? 1.5 : terms == 2 ? 1.875 : 1;
  static constexpr double root_scale = terms == 1 ? 0.5 : terms == 2 ? 0.375 : 1;

  template <class V, class Real>
  static FARFIELD_INLINE V cube(V x, V s, V t, Real) {
    const V cube = s * t;
    if constexpr (terms == 0) return cube;
    return cube * cube_series(x, t, Real{});
  }
  /// The factor of `cube` that does not depend on s.
  template <class V, class Real>
  static FARFIELD_INLINE V cube_series(V x, V t, Real) {
    if constexpr (terms == 0) return V{} + Real(1);
    if constexpr (terms == 1) return Real(5.0 / 3) - x * t;
    if constexpr (terms == 2) return square(V(x * t - Real(1.4)), Real(28.0 / 75));
    const V e = Real(1) - x * t;
    if constexpr (terms == 3) return Real(1) + e * (Real(1.5) + e * (Real(1.875) + e * Real(2.1875)));
    return Real(1) + e * (Real(1.5) + e * (Real(1.875) + e * (Real(2.1875) + e * Real(2.4609375))));
  }
  template <class V, class Real>
  static FARFIELD_INLINE V root(V x, V s, V t, Real) {
    if constexpr (terms == 0) return s;
    if constexpr (terms == 1) return s * (Real(3) - x * t);
    if constexpr (terms == 2) return s * square(V(x * t - Real(5.0 / 3)), Real(20.0 / 9));
    const V e = Real(1) - x * t;
    if constexpr (terms == 3) return s * (Real(1) + e * (Real(0.5) + e * (Real(0.375) + e * Real(0.3125))));
    return s * (Real(1) + e * (Real(0.5) + e * (Real(0.375) + e * (Real(0.3125) + e * Real(0.2734375)))));
  }

 private:
  template <class V, class Real>
  static FARFIELD_INLINE V square(V v, Real rest) {
    return v * v + rest;
  }
};

}  // namespace farfield::cpu::FARFIELD_ISA

// Expansions of the plane (concept InPlane) on the device, as plain pointers: coefficients are complex numbers, M_n =
// factor_n sum q z^n, at [2 n] and [2 n + 1]; in place of the imaginary part of M_0 stands M_unit, that of the unit of
// length.
#pragma once
#include <cstdint>

#include "core/hd.hpp"

namespace farfield::cuda {

/// Offsets of m2l: those of the far list by places in a square of 7 x 7, then the four of the reduced stencil's
/// parents.
inline constexpr int planar_offsets = 49 + 4;
/// Where the factors of the offset (x, y) stand, target minus source in box edges.
FARFIELD_HD constexpr int planar_offset(int x, int y) { return (y + 3) * 7 + x + 3; }
/// The same of the parent's offset from a child of its colleague in the diagonal direction (-x, -y).
FARFIELD_HD constexpr int planar_parent_offset(int x, int y) { return 49 + (x > 0) + 2 * (y > 0); }

template <class Real>
struct PlanarView {
  bool ready = false;
  int size = 0;                        ///< complex coefficients: degree + 1
  int padded = 0;                      ///< size rounded up to a multiple of 4, at least 8
  const Real* power = nullptr;         ///< [padded]: the factors of the functions
  const Real* pascal = nullptr;        ///< [padded][padded], P of m2l at [k][n], zeros beyond the degree
  const Real* host_pascal = nullptr;   ///< the same in host memory
  const Real* factors = nullptr;       ///< [planar_offsets][factor_numbers(padded)]: C, D as complex numbers, -log |t|
  const Real* shift = nullptr;         ///< [size][size] complex: m2m of octant 3 at [k][n]
  const Real* shift_by_row = nullptr;  ///< at [n][k]
};
FARFIELD_HD constexpr int factor_numbers(int padded) { return 4 * padded + 4; }

}  // namespace farfield::cuda

// Dual: a number and its slope along one direction, for functions that are written for any type of number. With the
// slopes of coordinates a vector p, f becomes f and p . grad f: what a dipole needs of a function, to rounding.
#pragma once
#include <cmath>

#include "core/hd.hpp"

namespace farfield {

template <class Real>
struct Dual {
  Real value = 0, slope = 0;
  Dual() = default;
  FARFIELD_HD constexpr Dual(Real v, Real s = 0) : value(v), slope(s) {}

  friend FARFIELD_HD Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.slope + b.slope}; }
  friend FARFIELD_HD Dual operator-(Dual a, Dual b) { return {a.value - b.value, a.slope - b.slope}; }
  friend FARFIELD_HD Dual operator*(Dual a, Dual b) {
    return {a.value * b.value, a.value * b.slope + a.slope * b.value};
  }
  friend FARFIELD_HD Dual operator*(Dual a, Real b) { return {a.value * b, a.slope * b}; }
};

/// The type of a constant that a V is multiplied by.
template <class V>
struct ConstantOf {
  using type = V;
};
template <class Real>
struct ConstantOf<Dual<Real>> {
  using type = Real;
};

}  // namespace farfield

// Strained: a number and its six derivatives with respect to a strain of the lattice, for sums that are written for any
// type of number.
//
// A strain e moves what belongs to the lattice from v to (1 + e) v; the six are e_xx, e_yy, e_zz and, of both elements
// e_ab = e_ba together by a half each, e_xy, e_xz and e_yz.
#pragma once
#include <array>
#include <cmath>

namespace farfield {

struct Strained {
  static constexpr int strains = 6;
  static constexpr int place[strains][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

  double value = 0;
  double slope[strains] = {};
  Strained() = default;
  Strained(double v) : value(v) {}

  /// f(value) with the derivative f' there.
  Strained chain(double f, double derivative) const {
    Strained out(f);
    for (int s = 0; s < strains; ++s) out.slope[s] = derivative * slope[s];
    return out;
  }
  /// a u + b v, of the slopes.
  static Strained joined(double value, double a, const Strained& u, double b, const Strained& v) {
    Strained out(value);
    for (int s = 0; s < strains; ++s) out.slope[s] = a * u.slope[s] + b * v.slope[s];
    return out;
  }
  friend Strained operator+(const Strained& a, const Strained& b) { return joined(a.value + b.value, 1, a, 1, b); }
  friend Strained operator-(const Strained& a, const Strained& b) { return joined(a.value - b.value, 1, a, -1, b); }
  friend Strained operator*(const Strained& a, const Strained& b) {
    return joined(a.value * b.value, b.value, a, a.value, b);
  }
  friend Strained operator/(const Strained& a, const Strained& b) {
    const double quotient = a.value / b.value;
    return joined(quotient, 1 / b.value, a, -quotient / b.value, b);
  }
  friend Strained operator*(const Strained& a, double b) { return a.chain(a.value * b, b); }
  friend Strained operator*(double a, const Strained& b) { return b.chain(a * b.value, a); }
  friend Strained operator/(const Strained& a, double b) { return a.chain(a.value / b, 1 / b); }
  friend Strained operator-(const Strained& a) { return a.chain(-a.value, -1); }
  Strained& operator+=(const Strained& b) { return *this = *this + b; }
  Strained& operator-=(const Strained& b) { return *this = *this - b; }
  template <class Factor>
  Strained& operator*=(const Factor& b) {
    return *this = *this * b;
  }

  // Of this class alone: beside functions of the namespace, sqrt of a double would be one of these.
  friend Strained sqrt(const Strained& x) {
    const double root = std::sqrt(x.value);
    return x.chain(root, 0.5 / root);
  }
  friend Strained exp(const Strained& x) {
    const double power = std::exp(x.value);
    return x.chain(power, power);
  }
  friend Strained erfc(const Strained& x) {
    constexpr double over_root_of_pi = 1.1283791670955126;  // 2 / sqrt(pi)
    return x.chain(std::erfc(x.value), -over_root_of_pi * std::exp(-x.value * x.value));
  }
};

inline double value_of(double x) { return x; }
inline double value_of(const Strained& x) { return x.value; }

/// A point of the lattice.
using StrainedVector = std::array<Strained, 3>;

inline StrainedVector strained(const std::array<double, 3>& v) {
  StrainedVector out{v[0], v[1], v[2]};
  for (int s = 0; s < Strained::strains; ++s) {
    const auto [a, b] = Strained::place[s];
    out[a].slope[s] += 0.5 * v[b], out[b].slope[s] += 0.5 * v[a];
  }
  return out;
}
inline Strained dot(const StrainedVector& a, const StrainedVector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline StrainedVector cross(const StrainedVector& a, const StrainedVector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline StrainedVector scaled(const StrainedVector& a, const Strained& factor) {
  return {a[0] * factor, a[1] * factor, a[2] * factor};
}

}  // namespace farfield

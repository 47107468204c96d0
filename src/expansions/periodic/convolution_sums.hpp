// One coefficient of each of SolidConvolution's translations, for loops of the host and threads of a device. Complex
// numbers stand as real and imaginary part, one after the other, [2 SolidShape::index(n, m)] for m = -n ... n.
#pragma once
#include <cmath>

#include "core/hd.hpp"
#include "expansions/solid_shape.hpp"

namespace farfield::convolution {

struct alignas(16) Complex {  // a device reads it at once
  double real = 0, imaginary = 0;
};
inline constexpr double half_root = 0.70710678118654752440, root_of_two = 1.41421356237309504880;

/// Coefficients of m >= 0 are counted n (n + 1) / 2 + m: how many there are, and which one stands at i.
FARFIELD_HD constexpr int orders(int degree) { return (degree + 1) * (degree + 2) / 2; }
struct Order {
  int n, m;
  FARFIELD_HD explicit Order(int i) : n(static_cast<int>((sqrtf(8.0f * static_cast<float>(i) + 1) - 1) / 2)) {
    while (orders(n - 1) > i) --n;
    while (orders(n) <= i) ++n;
    m = i - orders(n - 1);
  }
};

FARFIELD_HD Complex at(const double* numbers, int n, int m) {
  const double* const number = numbers + 2 * SolidShape::index(n, m);
  return {number[0], number[1]};
}
FARFIELD_HD void add_product(Complex& sum, const Complex& a, const Complex& b) {
  sum.real += a.real * b.real - a.imaginary * b.imaginary;
  sum.imaginary += a.real * b.imaginary + a.imaginary * b.real;
}
FARFIELD_HD Complex conjugate(const Complex& a) { return {a.real, -a.imaginary}; }

/// Sets (n, m) and (n, -m), which is (-1)^m times the conjugate.
FARFIELD_HD void set_both(double* numbers, int n, int m, const Complex& value) {
  double *const there = numbers + 2 * SolidShape::index(n, m), *const back = numbers + 2 * SolidShape::index(n, -m);
  there[0] = value.real, there[1] = value.imaginary;
  if (m > 0) back[0] = m & 1 ? -value.real : value.real, back[1] = m & 1 ? value.imaginary : -value.imaginary;
}

/// Of a multipole, m >= 0; `root`: sqrt((n-m)! (n+m)!) at index(n, m).
FARFIELD_HD Complex scaled(const double* multipole, const double* root, int n, int m) {
  const double size = root[SolidShape::index(n, m)];
  if (m == 0) return {multipole[SolidShape::index(n, 0)] / size, 0};
  return {multipole[SolidShape::index(n, m)] * half_root / size,
          -multipole[SolidShape::index(n, -m)] * half_root / size};
}
/// Of a scaled multipole, m >= 0.
FARFIELD_HD void set_real_multipole(const double* root, int n, int m, const Complex& scaled, double* multipole) {
  const double size = root[SolidShape::index(n, m)], factor = m > 0 ? root_of_two : 1.0;
  multipole[SolidShape::index(n, m)] = scaled.real * size * factor;
  if (m > 0) multipole[SolidShape::index(n, -m)] = -(scaled.imaginary * size * factor);
}
/// Of a local expansion: y with sum L R = sum over n and all m of y_n^m x_n^m.
FARFIELD_HD Complex of_local(const double* local, const double* root, int n, int m) {
  const double size = root[SolidShape::index(n, m)];
  if (m == 0) return {local[SolidShape::index(n, 0)] * size, 0};
  return {local[SolidShape::index(n, m)] * half_root * size, -local[SolidShape::index(n, -m)] * half_root * size};
}
/// The coefficients (n, m) and (n, -m) of the local expansion whose of_local is y.
FARFIELD_HD Complex real_local(const double* root, int n, int m, const Complex& y) {
  const double factor = (m > 0 ? root_of_two : 1.0) / root[SolidShape::index(n, m)];
  return {factor * y.real, -factor * y.imaginary};
}
FARFIELD_HD void add_real_local(const double* root, int n, int m, const Complex& y, double* local) {
  const Complex real = real_local(root, n, m, y);
  local[SolidShape::index(n, m)] += real.real;
  if (m > 0) local[SolidShape::index(n, -m)] += real.imaginary;
}

/// m2l: what a local expansion has at (k, l) of a scaled multipole, by the table of the function between them. `even`:
/// its odd degrees are 0.
FARFIELD_HD Complex m2l(int degree, const double* scaled, const double* table, bool even, int k, int l) {
  Complex all;
  for (int n = even ? k & 1 : 0; n <= degree; n += even ? 2 : 1) {
    Complex part;
    for (int m = -n; m <= n; ++m) add_product(part, at(scaled, n, m), at(table, n + k, l + m));
    all.real += n & 1 ? -part.real : part.real, all.imaginary += n & 1 ? -part.imaginary : part.imaginary;
  }
  return all;
}

/// Adds to m2m's number at (n, m) what the orders `first` to `last` of degree k give, without the ratio's power.
FARFIELD_HD void add_m2m(Complex& part, const double* from, const double* unit, int n, int m, int k, int first,
                         int last) {
  const int low = m - n + k > first ? m - n + k : first, high = m + n - k < last ? m + n - k : last;
  for (int l = low; l <= high; ++l) add_product(part, at(from, k, l), at(unit, n - k, m - l));
}

/// m2m: what another centre's scaled multipole gets at (n, m). `unit`: that of a unit charge at the first centre,
/// `power`: of the ratio of units.
FARFIELD_HD Complex m2m(const double* from, const double* unit, const double* power, int n, int m) {
  Complex all;
  for (int k = 0; k <= n; ++k) {
    Complex part;
    add_m2m(part, from, unit, n, m, k, -k, k);
    all.real += power[k] * part.real, all.imaginary += power[k] * part.imaginary;
  }
  return all;
}

/// Adds to l2l's number at (k, l) what the orders `first` to `last` of degree n give, without the ratio's power.
FARFIELD_HD void add_l2l(Complex& sum, const double* y, const double* unit, int k, int l, int n, int first, int last) {
  const int low = l - n + k > first ? l - n + k : first, high = l + n - k < last ? l + n - k : last;
  for (int m = low; m <= high; ++m) add_product(sum, at(y, n, m), conjugate(at(unit, n - k, m - l)));
}

/// l2l: what another centre's local expansion gets at (k, l); `y`: of_local.
FARFIELD_HD Complex l2l(int degree, const double* y, const double* unit, const double* power, int k, int l) {
  Complex all;
  for (int n = k; n <= degree; ++n) add_l2l(all, y, unit, k, l, n, -n, n);
  return {power[k] * all.real, power[k] * all.imaginary};
}

/// Of a local expansion's derivative along an axis the coefficient (k, l), k below the degree:
/// d/dz x_n^m = x_{n-1}^m, (d/dx - i d/dy) x_n^m = x_{n-1}^{m-1}, (d/dx + i d/dy) x_n^m = -x_{n-1}^{m+1}.
FARFIELD_HD Complex derivative(const double* y, int axis, int k, int l) {
  if (axis == 2) return at(y, k + 1, l);
  const Complex up = at(y, k + 1, l + 1), down = at(y, k + 1, l - 1);
  if (axis == 0) return {0.5 * (up.real - down.real), 0.5 * (up.imaginary - down.imaginary)};
  return {-0.5 * (up.imaginary + down.imaginary), 0.5 * (up.real + down.real)};
}

}  // namespace farfield::convolution

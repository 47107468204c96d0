// Multipoles of degree 2 about a centre of mass, of positive strengths, as mass and quadrupole tensor:
//   u(x) = m / r + x B x / (2 r^5), B symmetric, without trace.
// All potential and gradient from 36 multiply-adds and additions; the harmonics take some 90 (laplace_fixed.hpp).
#pragma once
#include "expansions/laplace_basis.hpp"

namespace farfield::laplace {

/// B by elements, in squares of the box's edge.
template <class V>
struct Quadrupole {
  V mass, xx, yy, zz, xy, xz, yz;
};

/// From a multipole's nine numbers (laplace_harmonics.hpp): R_{2,m} are sqrt(3) xy, sqrt(3) yz, (3 z^2 - r^2) / 2,
/// sqrt(3) xz and sqrt(3)/2 (x^2 - y^2).
template <class V>
FARFIELD_HD Quadrupole<V> quadrupole(const V* c) {
  constexpr V root3 = V(1.7320508075688772);
  return {c[0], root3 * c[8] - c[6], -root3 * c[8] - c[6], V(2) * c[6], root3 * c[4], root3 * c[7], root3 * c[5]};
}

/// Adds potential and, with 4 parts, gradient at (x, y, z) from the centre of mass, 1/r = `inverse`, of a box whose
/// edge has the square `edge2`. No step leaves the range of V where the sum does not.
template <int parts, class V>
FARFIELD_HD void add_quadrupole(const Quadrupole<V>& q, V edge2, V x, V y, V z, V inverse, V sum[4]) {
  const V nx = x * inverse, ny = y * inverse, nz = z * inverse, inverse2 = inverse * inverse, h2 = edge2 * inverse2;
  const V bx = q.xx * nx + q.xy * ny + q.xz * nz, by = q.xy * nx + q.yy * ny + q.yz * nz,
          bz = q.xz * nx + q.yz * ny + q.zz * nz, t = h2 * (bx * nx + by * ny + bz * nz);
  sum[0] += inverse * (q.mass + V(0.5) * t);
  if constexpr (parts > 1) {
    const V along = inverse2 * h2, inward = inverse2 * (q.mass + V(2.5) * t);
    sum[1] += along * bx - inward * nx;
    sum[2] += along * by - inward * ny;
    sum[3] += along * bz - inward * nz;
  }
}

/// The same for the mass alone.
template <int parts, class V>
FARFIELD_HD void add_mass(V mass, V x, V y, V z, V inverse, V sum[4]) {
  const V u = mass * inverse;
  sum[0] += u;
  if constexpr (parts > 1) {
    const V inward = u * (inverse * inverse);
    sum[1] -= inward * x;
    sum[2] -= inward * y;
    sum[3] -= inward * z;
  }
}

}  // namespace farfield::laplace

namespace farfield {

/// Does `laplace::Quadrupole` hold this basis' multipoles of degree 2?
template <class Basis>
inline constexpr bool has_quadrupoles = false;
template <>
inline constexpr bool has_quadrupoles<LaplaceBasis> = true;

}  // namespace farfield

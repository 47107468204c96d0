// Laplace in space: K(x, y) = 1 / |x - y|, no constant in front (Options::scale multiplies the result).
#pragma once
#include "core/math.hpp"
#include "expansions/laplace_basis.hpp"
#include "kernels/concept.hpp"

namespace farfield {

struct Laplace3d {
  using Basis = LaplaceBasis;
  static constexpr int homogeneity = -1;
  static constexpr bool singular = true;
  static constexpr bool softens = true;

  template <int parts, class V>
  FARFIELD_HD static void pair(V r2, V dx, V dy, V dz, V q, V* out) {
    of_inverse<parts>(Math<V>::inverse_sqrt(r2), q, dx, dy, dz, out);
  }

  /// Adds one pair: d = target - source, inverse_r = 1/|d| or 0 for coincident points.
  template <int parts, class V>
  FARFIELD_HD static void of_inverse(V inverse_r, V q, V dx, V dy, V dz, V* out) {
    const V w = q * inverse_r, w3 = w * (inverse_r * inverse_r);
    out[0] += w;
    if constexpr (parts == 1) return;
    out[1] -= w3 * dx;
    out[2] -= w3 * dy;
    out[3] -= w3 * dz;
  }
  /// All parts from c = q/r^3 and r^2, for pairs that are known not to coincide: three operations less.
  template <class V>
  FARFIELD_HD static void of_cube(V c, V r2, V dx, V dy, V dz, V* out) {
    out[0] += c * r2;
    out[1] -= c * dx;
    out[2] -= c * dy;
    out[3] -= c * dz;
  }

  /// Adds one pair of a source that carries a charge and, with 4 moments, a dipole p = (px, py, pz): q/r + p . d / r^3,
  /// d and inverse_r as above, or Plummer's softened inverse.
  template <int parts, int moments, class V>
  FARFIELD_HD static void of_moments(V inverse_r, V q, V px, V py, V pz, V dx, V dy, V dz, V* out) {
    const V n[4] = {Math<V>::constant(1), Math<V>::constant(1), Math<V>::constant(3), Math<V>::constant(15)};
    of_orders<parts, moments>(n, inverse_r, q, px, py, pz, dx, dy, dz, out);
  }

  /// The same for many pairs that are not softened, in sums of which `settle_moments` makes results. 1/r has no
  /// Laplacian, so the diagonal of the Hessian needs no sum of its own (docs/mathematics/p2p.md).
  template <int parts, int moments, class V>
  FARFIELD_HD static void sum_moments(V s, V q, V px, V py, V pz, V dx, V dy, V dz, V* out) {
    const V s2 = s * s, d[3] = {dx, dy, dz}, p[3] = {px, py, pz};
    if constexpr (moments == with_dipole) {
      const V s3 = s2 * s, along = (px * dx + py * dy + pz * dz) * s2, level = q + along, w = level + (along + along);
      out[0] += level * s;
      if constexpr (parts == 1) return;
      for (int a = 0; a < 3; ++a) out[1 + a] += s3 * (p[a] - w * d[a]);
      if constexpr (parts < with_hessian) return;
      const V s5 = s3 * s2, half = w * Math<V>::constant(0.5) + along;
      V b[3];
      for (int a = 0; a < 3; ++a) b[a] = s5 * (half * d[a] - p[a]), out[4 + a] += b[a] * d[a];
      for (int k = 3; k < 6; ++k) {
        const int i = hessian_axis(k, 0), j = hessian_axis(k, 1);
        out[4 + k] += b[i] * d[j];
        out[4 + k] += b[j] * d[i];
      }
    } else {
      const V w = q * s, w3 = w * s2, w5 = w3 * s2;
      out[0] += w;
      for (int a = 0; a < 3; ++a) out[1 + a] -= w3 * d[a];
      const V b[3] = {w5 * dx, w5 * dy, w5 * dz};
      for (int k = 0; k < 6; ++k) out[4 + k] += b[hessian_axis(k, 0)] * d[hessian_axis(k, 1)];
    }
  }
  template <int parts, int moments, class V>
  FARFIELD_HD static void settle_moments(V* out) {
    if constexpr (parts == with_hessian) {
      const V three = Math<V>::constant(3), twice = Math<V>::constant(moments == with_dipole ? 2 : 1);
      const V trace = out[4] + out[5] + out[6];
      for (int k = 0; k < 3; ++k) out[4 + k] = twice * (three * out[4 + k] - trace);
      for (int k = 3; k < 6; ++k) out[4 + k] *= three;
    }
  }

  /// Adds one pair softened by the cubic spline (docs/mathematics/p2p.md): reach h, r2 = r^2, inverse_r = 1/r or 0
  /// where r = 0. With u = r/h, t = 1 - u: r K = 1 - t^5 (16/5 - 32/15 t) from u = 1/2 on, written so that nothing
  /// cancels, and exactly 1 from u = 1 on; the derivative follows from (r K)' = t^4 (16 - 64/5 t).
  template <int parts, class V>
  FARFIELD_HD static void of_spline(V inverse_r, V r2, V inverse_h, V q, V dx, V dy, V dz, V* out) {
    const auto number = [](double x) { return Math<V>::constant(x); };
    const V ratio = r2 * inverse_r * inverse_h, one = number(1), u = ratio < one ? ratio : one, u2 = u * u;
    const V t = one - u, t4 = (t * t) * (t * t), carried = one - t4 * t * (number(3.2) - number(32.0 / 15) * t);
    const auto inside = u < number(0.5);
    const V core = number(2.8) - u2 * (number(16.0 / 3) - u2 * (number(9.6) - number(6.4) * u));
    out[0] += q * (inside ? core * inverse_h : carried * inverse_r);
    if constexpr (parts == 1) return;
    const V scale = inside ? inverse_h : inverse_r, slope = number(32.0 / 3) - u2 * (number(38.4) - number(32) * u);
    const V w = q * (inside ? slope : carried - u * t4 * (number(16) - number(12.8) * t)),
            w3 = w * scale * scale * scale;
    out[1] -= w3 * dx;
    out[2] -= w3 * dy;
    out[3] -= w3 * dz;
  }

  /// Adds one softened pair with moments. The derivatives follow from (r K)'' = -64 u t^3 / h^2; inside,
  /// K = n[0] / h and the next ones are those of its polynomial.
  template <int parts, int moments, class V>
  FARFIELD_HD static void of_spline_moments(V inverse_r, V r2, V inverse_h, V q, V px, V py, V pz, V dx, V dy, V dz,
                                            V* out) {
    const auto number = [](double x) { return Math<V>::constant(x); };
    const V ratio = r2 * inverse_r * inverse_h, one = number(1), u = ratio < one ? ratio : one, u2 = u * u;
    const V t = one - u, t2 = t * t, t4 = t2 * t2, carried = one - t4 * t * (number(3.2) - number(32.0 / 15) * t);
    const V first = carried - u * t4 * (number(16) - number(12.8) * t), bend = number(64) * (u2 * u) * (t2 * t);
    const V second = number(3) * first - bend, third = number(5) * second - number(192) * (u2 * u2) * t2;
    const auto inside = u < number(0.5);
    const V reach = u > V{} ? one / (u > V{} ? u : one) : V{};
    const V n[4] = {inside ? number(2.8) - u2 * (number(16.0 / 3) - u2 * (number(9.6) - number(6.4) * u)) : carried,
                    inside ? number(32.0 / 3) - u2 * (number(38.4) - number(32) * u) : first,
                    inside ? number(76.8) - number(96) * u : second, inside ? number(96) * reach : third};
    of_orders<parts, moments>(n, inside ? inverse_h : inverse_r, q, px, py, pz, dx, dy, dz, out);
  }

  /// Adds one pair of any function of r, of which n says how it differs from 1/r: with s = 1/r, or another length's
  /// inverse, and D = (1/r) d/dr, K = n[0] s, D K = -n[1] s^3, D^2 K = n[2] s^5, D^3 K = -n[3] s^7. A dipole adds
  /// -p . d D K, the gradient is d D K for a charge, and so on. No power of s above the fifth is formed.
  template <int parts, int moments, class V>
  FARFIELD_HD static void of_orders(const V (&n)[4], V s, V q, V px, V py, V pz, V dx, V dy, V dz, V* out) {
    const V s2 = s * s, s3 = s2 * s, d[3] = {dx, dy, dz}, p[3] = {px, py, pz};
    const bool dipole = moments == with_dipole;
    const V along = dipole ? (px * dx + py * dy + pz * dz) * s2 : V{};
    out[0] += (n[0] * q + n[1] * along) * s;
    if constexpr (parts == 1) return;
    const V w = n[1] * q + n[2] * along;
    for (int a = 0; a < 3; ++a) out[1 + a] += dipole ? s3 * (n[1] * p[a] - w * d[a]) : -(s3 * w) * d[a];
    if constexpr (parts < with_hessian) return;
    const V s5 = s3 * s2, half = Math<V>::constant(0.5) * (n[2] * q + n[3] * along);
    V b[3];
    for (int a = 0; a < 3; ++a) b[a] = s5 * (dipole ? half * d[a] - n[2] * p[a] : half * d[a]);
    for (int k = 0; k < 6; ++k) {
      const int i = hessian_axis(k, 0), j = hessian_axis(k, 1);
      out[4 + k] += b[i] * d[j] + b[j] * d[i];
      if (i == j) out[4 + k] -= w * s3;
    }
  }
};

static_assert(Softens<Laplace3d> && Differentiates<Laplace3d>);

}  // namespace farfield

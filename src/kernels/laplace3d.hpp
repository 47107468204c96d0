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

  /// Adds one pair of a source that carries a charge and, with 4 moments, a dipole (px, py, pz): q/r + p . d / r^3, d
  /// and inverse_r as above. With w = (q r^2 + 3 p . d) / r^5 the gradient is p/r^3 - w d, and the Hessian
  /// (3 q r^2 + 15 p . d) / r^7 d d^T - 3 (p d^T + d p^T) / r^5 - w.
  template <int parts, int moments, class V>
  FARFIELD_HD static void of_moments(V inverse_r, V q, V px, V py, V pz, V dx, V dy, V dz, V* out) {
    const V s2 = inverse_r * inverse_r, s3 = s2 * inverse_r;
    const V along = moments == with_dipole ? px * dx + py * dy + pz * dz : V{};
    out[0] += q * inverse_r;
    if constexpr (moments == with_dipole) out[0] += along * s3;
    if constexpr (parts == 1) return;
    const V three = Math<V>::constant(3), steep = moments == with_dipole ? q + three * (along * s2) : q, w = steep * s3;
    out[1] -= w * dx;
    out[2] -= w * dy;
    out[3] -= w * dz;
    if constexpr (moments == with_dipole) out[1] += s3 * px, out[2] += s3 * py, out[3] += s3 * pz;
    if constexpr (parts < with_hessian) return;
    const V s5 = s3 * s2, five = Math<V>::constant(5);
    const V v = moments == with_dipole ? three * s5 * (q + five * (along * s2)) : three * s5 * q;
    const V d[3] = {dx, dy, dz}, p[3] = {px, py, pz};
    for (int k = 0; k < 6; ++k) {
      const int a = hessian_axes[k][0], b = hessian_axes[k][1];
      out[4 + k] += v * d[a] * d[b];
      if (a == b) out[4 + k] -= w;
      if constexpr (moments == with_dipole) out[4 + k] -= three * s5 * (p[a] * d[b] + p[b] * d[a]);
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
};

static_assert(Softens<Laplace3d> && Differentiates<Laplace3d>);

}  // namespace farfield

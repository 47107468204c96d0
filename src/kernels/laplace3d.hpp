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
    const V inverse_r = Math<V>::inverse_sqrt(r2);
    if constexpr (parts == 1)
      potential(inverse_r, q, out[0]);
    else
      gradient(inverse_r, q, dx, dy, dz, out[0], out[1], out[2], out[3]);
  }

  /// Adds one pair: d = target - source, inverse_r = 1/|d| or 0 for coincident points.
  template <class V>
  FARFIELD_HD static void potential(V inverse_r, V q, V& u) {
    u += q * inverse_r;
  }
  template <class V>
  FARFIELD_HD static void gradient(V inverse_r, V q, V dx, V dy, V dz, V& u, V& gx, V& gy, V& gz) {
    const V w = q * inverse_r;
    const V w3 = w * (inverse_r * inverse_r);
    u += w;
    gx -= w3 * dx;
    gy -= w3 * dy;
    gz -= w3 * dz;
  }
  /// The same from c = q/r^3 and r^2, for pairs that are known not to coincide: three operations less.
  template <class V>
  FARFIELD_HD static void gradient_of_cube(V c, V r2, V dx, V dy, V dz, V& u, V& gx, V& gy, V& gz) {
    u += c * r2;
    gx -= c * dx;
    gy -= c * dy;
    gz -= c * dz;
  }
};

static_assert(OfInverseDistance<Laplace3d>);

}  // namespace farfield

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
};

static_assert(OfInverseDistance<Laplace3d>);

}  // namespace farfield

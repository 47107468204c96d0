// Laplace in space: K(x, y) = 1 / |x - y|, no constant in front (Options::scale multiplies the result).
#pragma once
#include "core/hd.hpp"
#include "expansions/laplace_basis.hpp"

namespace farfield {

struct Laplace3d {
  using Basis = LaplaceBasis;
  static constexpr const char* name = "laplace3d";
  static constexpr const char* formula = "1/r";
  static constexpr bool softens = true;     ///< Options::softening: inverse_r = 1/sqrt(|d|^2 + softening^2)
  static constexpr double pair_flops = 20;  ///< with gradient, counting a reciprocal square root as one

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

}  // namespace farfield

// Cauchy's kernel: K = 1 / (z - z_j) = (x - x_j - i (y - y_j)) / r^2 with z = x + iy; no constant in front. Its real
// and imaginary parts are those of the gradient of -log r with other signs. Where points coincide they contribute
// nothing to each other.
#pragma once
#include "core/math.hpp"
#include "expansions/planar/basis.hpp"
#include "kernels/inverse_square.hpp"

namespace farfield {

struct Cauchy {
  using Basis = PlanarBasis;
  static constexpr int homogeneity = 0;  ///< of the logarithm whose gradient is summed
  static constexpr bool singular = true, softens = false;
  static constexpr VectorResult vector = {"cauchy", {"re", "im", nullptr}, {1, 2, 3}, {-1, 1, 1}, 1, true, false};

  template <class V>
  FARFIELD_HD static V over_square(V r2) {
    return Math<V>::inverse(r2);
  }

  template <int parts, class V>
  FARFIELD_HD static void pair(V r2, V dx, V dy, V /*dz*/, V q, V* out) {
    if constexpr (parts == 1) return;
    const V g = q * over_square(r2);
    out[1] -= g * dx;
    out[2] -= g * dy;
  }
};

static_assert(OfInverseSquare<Cauchy>);

}  // namespace farfield

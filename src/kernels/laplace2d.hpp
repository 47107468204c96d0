// Laplace in the plane: K(x, y) = -log |x - y|, of points with the same third coordinate; no constant in front. Where
// two points coincide they contribute nothing to each other.
#pragma once
#include "core/math.hpp"
#include "expansions/planar/basis.hpp"
#include "kernels/inverse_square.hpp"

namespace farfield {

struct Laplace2d {
  using Basis = PlanarBasis;
  static constexpr int homogeneity = 0;
  static constexpr bool singular = true, softens = false;
  static constexpr double pair_cost = 3;  ///< of one pair, over that of 1/r

  KernelParameters own;  ///< log_unit
  static KernelParameters parameters(const Options& /*options*/) { return {}; }
  template <class V>
  FARFIELD_HD V of_sums(V log_sum, V charge) const {
    return Math<V>::constant(own.log_unit) * charge - log_sum;
  }

  template <class V>
  FARFIELD_HD static V over_square(V r2) {
    return Math<V>::inverse(r2);
  }

  template <int parts, class V>
  FARFIELD_HD void pair(V r2, V dx, V dy, V /*dz*/, V q, V* out) const {
    out[0] += q * (Math<V>::constant(own.log_unit) - Math<V>::constant(0.5) * Math<V>::log(r2));
    if constexpr (parts == 1) return;
    const V g = q * over_square(r2);
    out[1] -= g * dx;
    out[2] -= g * dy;
  }
};

static_assert(OfInverseSquare<Laplace2d> && OfLogarithm<Laplace2d>);

}  // namespace farfield

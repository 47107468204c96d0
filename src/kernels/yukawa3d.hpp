// Screened Coulomb: K(x, y) = exp(-kappa |x - y|) / |x - y|, no constant in front (Options::scale multiplies the
// result).
#pragma once
#include <farfield/options.hpp>

#include "core/math.hpp"
#include "expansions/bessel/basis.hpp"
#include "kernels/concept.hpp"

namespace farfield {

struct Yukawa3d {
  using Basis = BesselBasis;
  static constexpr int homogeneity = -1;
  static constexpr bool singular = true, softens = false;
  static constexpr double pair_cost = 2.2;  ///< of one pair, over that of 1/r
  static constexpr bool on_device = false;
  static constexpr bool screens = true;  ///< Options::kappa is offered

  KernelParameters own;  ///< screening
  static KernelParameters parameters(const Options& options) { return {{}, 0, options.kappa}; }

  template <int parts, class V>
  FARFIELD_HD void pair(V r2, V dx, V dy, V dz, V q, V* out) const {
    const V inverse_r = Math<V>::inverse_sqrt(r2), kappa_r = Math<V>::constant(own.screening) * (r2 * inverse_r);
    const V zero_from = Math<V>::constant(2000), x = kappa_r < zero_from ? kappa_r : zero_from;  // it may be infinite
    const V w = q * inverse_r * Math<V>::exp(-x);
    out[0] += w;
    if constexpr (parts == 1) return;
    const V w3 = (w + w * x) * (inverse_r * inverse_r);
    out[1] -= w3 * dx;
    out[2] -= w3 * dy;
    out[3] -= w3 * dz;
  }
};

static_assert(PairKernel<Yukawa3d> && HasParameters<Yukawa3d>);

}  // namespace farfield

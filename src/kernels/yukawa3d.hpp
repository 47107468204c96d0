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
  static constexpr double pair_cost = 3.5;  ///< of one pair, over that of 1/r
  static constexpr bool screens = true;  ///< Options::kappa is offered

  /// kappa, no larger than leaves kappa r finite for all pairs that are not left to nearest_pair: those are so near
  /// that with a larger kappa all others are 0.
  double kappa = 0;
  float single_kappa = 0;
  Yukawa3d() = default;
  FARFIELD_HD explicit Yukawa3d(const KernelParameters& own)
      : kappa(fmin(own.screening, 1e110)), single_kappa(static_cast<float>(fmin(own.screening, 1e19))) {}
  static KernelParameters parameters(const Options& options) { return {{}, 0, options.kappa}; }

  template <int parts, class V>
  FARFIELD_HD void pair(V r2, V dx, V dy, V dz, V q, V* out) const {
    const V inverse_r = Math<V>::inverse_sqrt(r2), x = times_kappa(r2 * inverse_r);
    of_decay<parts>(inverse_r * Math<V>::exp(-x), inverse_r, Math<V>::constant(1) + x, q, dx, dy, dz, out);
  }
  /// Adds one pair: value = exp(-kappa r)/r, fall = 1 + kappa r.
  template <int parts, class V>
  FARFIELD_HD static void of_decay(V value, V inverse_r, V fall, V q, V dx, V dy, V dz, V* out) {
    const V w = q * value;
    out[0] += w;
    if constexpr (parts == 1) return;
    const V w3 = w * (fall * (inverse_r * inverse_r));
    out[1] -= w3 * dx;
    out[2] -= w3 * dy;
    out[3] -= w3 * dz;
  }
  double rate() const { return kappa; }

 private:
  /// In the precision of V without a conversion, which loops would repeat.
  template <class V>
  FARFIELD_HD V times_kappa(V r) const {
    if constexpr (requires { r[0]; }) {
      if constexpr (sizeof(r[0]) == 4)
        return r * single_kappa;
      else
        return r * kappa;
    } else {
      return r * static_cast<V>(sizeof(V) == 4 ? single_kappa : kappa);
    }
  }
};

static_assert(OfDecay<Yukawa3d>);

}  // namespace farfield

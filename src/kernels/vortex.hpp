// Point vortices: velocity u - iv = 1/(2 pi i) sum q_j / (z - z_j), q_j the circulations; with the stream function
// -1/(2 pi) sum q_j log |z - z_j| if asked. Constant in front: 1/(2 pi), applied to the results. Cores:
// q (1 - exp(-r^2/s^2)) (Gaussian: length[0] = s) and q / max(r^2, e^2) r^2 (Rankine: length[1] = e); for the stream
// function VortexBlob.
#pragma once
#include <cmath>
#include <farfield/options.hpp>

#include "core/exponential_integral.hpp"
#include "core/math.hpp"
#include "expansions/planar/basis.hpp"
#include "kernels/inverse_square.hpp"

namespace farfield {

/// The core that pairs have: the one that the parameters say, or a certain one, for which pairs do not look.
enum class PairCore { any, none, gauss, rankine };

struct VortexBlob;

template <PairCore core>
struct VortexOf {
  using Blob = VortexBlob;
  static constexpr bool cored = core != PairCore::none;
  using Basis = PlanarBasis;
  static constexpr int homogeneity = 0;
  static constexpr bool singular = true, softens = false;
  static constexpr double pair_cost = 1;  ///< of one pair of velocities, over that of 1/r
  /// u = d psi / dy, v = -d psi / dx
  static constexpr VectorResult vector = {
      "velocity", {"u", "v", nullptr}, {2, 1, 3}, {1, -1, 1}, 0.15915494309189533577, true, true};

  KernelParameters own;
  static KernelParameters parameters(const Options& o) {
    return {{o.core == Core::gauss ? o.core_radius : 0, o.core == Core::rankine ? o.core_radius : 0}};
  }
  /// Without core.
  FARFIELD_HD KernelParameters bare() const requires cored { return {{}, own.log_unit}; }
  /// Distance from which a pair with core differs from one without by that relative error at most.
  static double core_reach(const Options& o, double error) requires cored {
    return o.core_radius * (o.core == Core::gauss ? std::sqrt(-std::log(error)) : o.core == Core::rankine ? 1 : 0);
  }

  /// Calls f(std::type_identity<K>{}) for the kernel that has the core of these parameters, or none.
  template <class F>
  static decltype(auto) with_core(const KernelParameters& p, F&& f) requires cored {
    if (p.length[1] > 0) return f(std::type_identity<VortexOf<PairCore::rankine>>{});
    if (p.length[0] > 0) return f(std::type_identity<VortexOf<PairCore::gauss>>{});
    return f(std::type_identity<VortexOf<PairCore::none>>{});
  }

  template <class V>
  FARFIELD_HD V of_sums(V log_sum, V charge) const {
    return Math<V>::constant(own.log_unit) * charge - log_sum;
  }

  template <int parts, class V>
  FARFIELD_HD void pair(V r2, V dx, V dy, V /*dz*/, V q, V* out) const {
    if constexpr (parts != gradient_alone)
      out[0] += q * (Math<V>::constant(own.log_unit) - Math<V>::constant(0.5) * Math<V>::log(r2));
    if constexpr (parts == 1) return;
    const V g = q * over_square(r2);
    out[1] -= g * dx;
    out[2] -= g * dy;
  }

  /// 1/r^2 with the core.
  template <class V>
  FARFIELD_HD V over_square(V r2) const {
    if (core == PairCore::rankine || (core == PairCore::any && own.length[1] > 0)) {
      // beside nearest_pair's unit the length may be infinite, and a GPU's 1/infinity is no number
      const V least = Math<V>::constant(fmin(own.length[1] * own.length[1], 1e300));
      return Math<V>::inverse(r2 > least ? r2 : least);
    }
    if (core == PairCore::none || (core == PairCore::any && !(own.length[0] > 0))) return Math<V>::inverse(r2);
    const V inverse_square = Math<V>::constant(1 / (own.length[0] * own.length[0]));
    return Math<V>::inverse(r2) * Math<V>::one_minus_exp(r2 * inverse_square);
  }
};

using Vortex = VortexOf<PairCore::any>;

/// Vortices with a core, for their stream function, too: log r gives way to log r + E1(r^2/s^2)/2, of a Gaussian core,
/// and, within one of Rankine, to log e - (1 - r^2/e^2)/2.
struct VortexBlob : Vortex {
  FARFIELD_HD double core_length() const { return fmax(own.length[0], own.length[1]); }
  FARFIELD_HD double at_no_distance() const {
    return own.log_unit - log(core_length()) + (own.length[1] > 0 ? 0.5 : 0.5 * 0.57721566490153286061);
  }

  template <int parts, class V>
  FARFIELD_HD void pair(V r2, V dx, V dy, V /*dz*/, V q, V* out) const {
    if constexpr (parts != gradient_alone)
      out[0] += q * (Math<V>::constant(own.log_unit) - Math<V>::constant(0.5) * twice_log(r2));
    if constexpr (parts == 1) return;
    const V g = q * over_square(r2);
    out[1] -= g * dx;
    out[2] -= g * dy;
  }

 private:
  template <class V>
  FARFIELD_HD V twice_log(V r2) const {
    const double length = core_length(), square = length * length;
    const V least = Math<V>::constant(square), x = r2 * Math<V>::constant(1 / square), one = Math<V>::constant(1);
    const V log = Math<V>::log(r2 > least ? r2 : least);
    if (!(length > 0)) return log;
    return own.length[1] > 0 ? log + (x < one ? x - one : V{}) : log + exponential_integral(x);
  }
};

static_assert(CountsCoincident<VortexBlob> && !CountsCoincident<Vortex>);
static_assert(HasCore<Vortex> && OfInverseSquare<Vortex> && OfLogarithm<Vortex>);
static_assert(!HasCore<VortexOf<PairCore::none>> && OfInverseSquare<VortexOf<PairCore::none>>);

}  // namespace farfield

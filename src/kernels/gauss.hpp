// The Gaussian: K(x, y) = exp(-|x - y|^2 / (2 sigma^2)), sigma = Options::bandwidth; no constant in front. All pairs
// count, a point with itself included.
#pragma once
#include <algorithm>
#include <cmath>
#include <farfield/options.hpp>
#include <numbers>

#include "core/exp.hpp"
#include "expansions/ones_basis.hpp"
#include "kernels/concept.hpp"

namespace farfield {

class Gauss {
 public:
  using Basis = OnesBasis;                ///< of which no stage is compiled, since
  static constexpr bool expands = false;  ///< it has no expansions
  static constexpr int homogeneity = 0;
  static constexpr bool singular = false, softens = false;
  static constexpr double pair_cost = 1.6;  ///< of one pair, over that of 1/r
  static constexpr bool bounded = true;     ///< errors are relative to the sum of |strengths|
  static constexpr bool has_bandwidth = true;
  static constexpr int least_axes = 1;  ///< coordinates that a point must have

  static KernelParameters parameters(const Options& options) { return {{options.bandwidth}}; }

  /// exp(-t^2/2) = tolerance, or t exp(-t^2/2), which is larger from t = 1 on.
  static double reach(double tolerance, bool gradient) {
    double t = std::sqrt(-2 * std::log(tolerance));
    for (int i = 0; gradient && i < 40; ++i) t = std::max(1.0, std::sqrt(2 * std::log(std::max(1.0, t) / tolerance)));
    return t;
  }
  static double transform(double theta) { return std::sqrt(2 * std::numbers::pi) * std::exp(-0.5 * theta * theta); }

  Gauss() = default;
  /// A bandwidth whose square is no number is so long that all pairs are alike.
  FARFIELD_HD explicit Gauss(const KernelParameters& own)
      : inverse_square_(own.length[0] < 0x1p500 ? 1 / (own.length[0] * own.length[0]) : 0) {}

  template <int parts, class V>
  FARFIELD_HD void pair(V r2, V dx, V dy, V dz, V q, V* out) const {
    const V w = q * exp_of_product(r2, -0.5 * inverse_square_);
    out[0] += w;
    if constexpr (parts == 1) return;
    const V g = w * Math<V>::constant(inverse_square_);
    out[1] -= g * dx;
    out[2] -= g * dy;
    out[3] -= g * dz;
  }

 private:
  double inverse_square_ = 0;
};

static_assert(PairKernel<Gauss> && FallsOff<Gauss>);

}  // namespace farfield

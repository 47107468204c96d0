// PairKernel: what a kernel's struct offers. How to add a kernel, step by step: docs/developer/adding-a-kernel.md.
#pragma once
#include <cmath>
#include <concepts>

#include "core/hd.hpp"
#include "expansions/basis.hpp"
#include "kernels/parameters.hpp"
#include "kernels/vector_result.hpp"

namespace farfield {

/// `parts` of a result (core/results.hpp): 1, the potential; 4, the potential and its gradient with respect to the
/// target; 3, the gradient alone, asked of kernels whose result is a vector (`vector`, vector_result.hpp).
template <class K>
concept PairKernel = ExpansionBasis<typename K::Basis> &&
    requires(const K& kernel, double r2, double d, double q, double* out) {
  { K::homogeneity } -> std::convertible_to<int>;  ///< K(s x, s y) = s^homogeneity K(x, y), with its lengths times s
  { K::singular } -> std::convertible_to<bool>;    ///< infinite at distance 0: coincident pairs contribute nothing
  { K::softens } -> std::convertible_to<bool>;     ///< Options::softening is offered (Softens)
  /// Adds one pair, d = target - source and r2 = |d|^2, r2 > 0 where the kernel is singular: out[0] += q K and, with 4
  /// parts, the next three += q grad K.
  kernel.template pair<1>(r2, d, d, d, q, out);
  kernel.template pair<4>(r2, d, d, d, q, out);
};

/// Has the CUDA backend stages for the kernel? Unless it says `on_device = false`, which src/CMakeLists.txt reads.
template <class K>
constexpr bool runs_on_device() {
  if constexpr (requires { K::on_device; })
    return K::on_device;
  else
    return true;
}

/// Has the kernel expansions? Unless it says `expands = false`, which src/CMakeLists.txt reads: then no stage of its
/// basis is compiled, and method fmm is refused.
template <class K>
constexpr bool has_expansions() {
  if constexpr (requires { K::expands; })
    return K::expands;
  else
    return true;
}

/// A kernel that is a product of one smooth function along each axis, and vanishes beyond a few bandwidths, its first
/// length: methods cutoff and grid sum it.
template <class K>
concept FallsOff = HasParameters<K> && requires(double tolerance, bool gradient, double theta) {
  /// Bandwidths beyond which |K|, or with `gradient` also |grad K| times the bandwidth, is below the tolerance.
  { K::reach(tolerance, gradient) } -> std::same_as<double>;
  { K::transform(theta) } -> std::same_as<double>;  ///< Fourier transform along one axis, bandwidth 1
};

/// A kernel of 1/r and q/r^3 alone. For such a kernel backends have shorter ways than `pair`, which refine the
/// hardware's reciprocal square root only as far as the tolerance needs.
template <class K>
concept OfInverseDistance = PairKernel<K> && requires(double v, double* out) {
  K::template of_inverse<1>(v, v, v, v, v, out);
  K::template of_inverse<4>(v, v, v, v, v, out);
  K::of_cube(v, v, v, v, v, out);
};

/// A kernel of 1/r and exp(-rate r) alone. Where distances are bounded a backend may fit the exponential to them, as
/// accurately as the tolerance needs.
template <class K>
concept OfDecay = PairKernel<K> && HasParameters<K> && requires(const K& kernel, double v, double* out) {
  { kernel.rate() } -> std::same_as<double>;  ///< in the units of its parameters
  K::template of_decay<1>(v, v, v, v, v, v, v, out);
  K::template of_decay<4>(v, v, v, v, v, v, v, out);
};

/// A logarithm in the plane: from sums of q log r, in the units of its parameters, and of q it makes the potential; the
/// gradient of a pair is -q d / r^2.
template <class K>
concept OfLogarithm = PairKernel<K> && HasParameters<K> && requires(const K& kernel, double v) {
  { kernel.of_sums(v, v) } -> std::same_as<double>;
};

/// A kernel of 1/r that is softened: of_inverse at Plummer's distance, or of_spline.
template <class K>
concept Softens = K::softens && OfInverseDistance<K> && requires(double v, double* out) {
  K::template of_spline<1>(v, v, v, v, v, v, v, out);
  K::template of_spline<4>(v, v, v, v, v, v, v, out);
};

/// A kernel whose near pairs may have a core (Options::core), for its gradient alone: then points that coincide still
/// contribute nothing to each other.
template <class K>
concept HasCore = HasParameters<K> && requires(const K& kernel, const Options& options, double error) {
  { kernel.bare() } -> std::same_as<KernelParameters>;               ///< its parameters without the core
  { K::core_reach(options, error) } -> std::convertible_to<double>;  ///< KernelTraits::core_reach
};

/// A kernel with a core whose potential, too, is finite everywhere: then points that coincide contribute to it, also a
/// point to itself.
template <class K>
concept CountsCoincident = HasCore<K> && requires(const K& kernel) {
  { kernel.core_length() } -> std::same_as<double>;
  { kernel.at_no_distance() } -> std::same_as<double>;
};

/// Adds a pair of a singular kernel whose 1/r^3, or the square of whose distance, leaves the range of double: computed
/// with about its distance as the unit of length. Adds nothing where the points coincide. In that unit lengths of the
/// kernel may be infinite.
template <class K, int parts>
FARFIELD_HD void nearest_pair(const KernelParameters& parameters, double x, double y, double z, double q, double* out) {
  const double largest = fmax(fabs(x), fmax(fabs(y), fabs(z)));
  if constexpr (CountsCoincident<K>)
    if (const K kernel = kernel_of<K>(parameters); !(largest > 1e-100 * kernel.core_length())) {
      out[0] += q * kernel.at_no_distance();  // the gradient is below 1e-100 of its largest
      return;
    }
  if (!(largest > 0)) return;
  const double unit = scalbn(1.0, ilogb(largest));
  x /= unit, y /= unit, z /= unit;
  double own[4] = {0, 0, 0, 0};
  kernel_of<K>(parameters.measured_in(unit)).template pair<parts>(x * x + y * y + z * z, x, y, z, q, own);
  // divide by one power of unit at a time: unit^2 may leave the range of double where the result does not
  for (int h = K::homogeneity; h < 0; ++h)
    for (int part = 0; part < parts; ++part) own[part] /= unit;
  out[0] += own[0];
  for (int part = 1; part < parts; ++part) out[part] += own[part] / unit;
}

}  // namespace farfield

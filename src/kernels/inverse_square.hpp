// Kernels of the plane whose gradient is -q d / r^2, that of -q log r, or less of it where pairs have a core.
#pragma once
#include <type_traits>

#include "kernels/concept.hpp"

namespace farfield {

/// The gradient of a pair is -q d over_square(r2): backends sum it in registers of their own. Where the kernel has a
/// potential it is OfLogarithm.
template <class K>
concept OfInverseSquare = PairKernel<K> && K::Basis::decay.axes == 2 && requires(const K& kernel, double v) {
  { kernel.over_square(v) } -> std::same_as<double>;
};

/// Calls f(std::type_identity<K>{}) for the kernel, or, where it may have cores, for the kernel of the core that these
/// parameters have, or of none: its pairs do not look for one.
template <class Kernel, class F>
decltype(auto) with_core([[maybe_unused]] const KernelParameters& parameters, F&& f) {
  if constexpr (HasCore<Kernel> && !CountsCoincident<Kernel>)
    return Kernel::with_core(parameters, f);
  else
    return f(std::type_identity<Kernel>{});
}

/// Calls f(std::type_identity<K>{}) for the kernel, or, where these parameters have a core and the potential is summed,
/// for its kernel that is finite everywhere (CountsCoincident).
template <class Kernel, class F>
decltype(auto) with_blobs([[maybe_unused]] const KernelParameters& p, [[maybe_unused]] bool potential, F&& f) {
  if constexpr (HasCore<Kernel>)
    if (potential && (p.length[0] > 0 || p.length[1] > 0)) return f(std::type_identity<typename Kernel::Blob>{});
  return f(std::type_identity<Kernel>{});
}

/// with_parts_of for pairs of kernel K: with_blobs says whether those with a core are summed with the potential.
template <class K, class F>
decltype(auto) with_pair_parts_of(int parts, F&& f) {
  if constexpr (CountsCoincident<K>)
    return f(std::integral_constant<int, with_gradient>{});
  else if constexpr (HasCore<K>)
    return f(std::integral_constant<int, gradient_alone>{});
  else
    return with_parts_of<K>(parts, f);
}

}  // namespace farfield

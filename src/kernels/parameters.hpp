// Parameters of a kernel: lengths in its formula, as the radius of a core, or the inverse of one, taken from the
// options.
#pragma once
#include <cmath>
#include <concepts>

#include "core/hd.hpp"

namespace farfield {

struct Options;

/// In the units of the coordinates beside which they are used: scaled ones (core/units.hpp), or those of a frame.
struct KernelParameters {
  double length[2] = {};
  double log_unit = 0;   ///< logarithm of the caller's unit of length, for kernels that have a logarithm
  double screening = 0;  ///< the inverse of a length, which may itself be infinite

  /// Divides, since an infinite 1/unit would make nan of 0.
  FARFIELD_HD KernelParameters measured_in(double unit) const {
    return {{length[0] / unit, length[1] / unit}, log_unit - log(unit), screening * unit};
  }
};

template <class K>
concept HasParameters = requires(const Options& options, const KernelParameters& parameters) {
  { K::parameters(options) } -> std::same_as<KernelParameters>;  ///< in the caller's units; no length is negative
  K{parameters};  ///< the kernel as an object, whose `pair` is no static function
};

/// Parameters beside coordinates that are `factor` times as large. Untouched for a kernel that has none.
template <class K>
FARFIELD_HD constexpr decltype(auto) in_frame(const KernelParameters& parameters, [[maybe_unused]] double factor) {
  if constexpr (HasParameters<K>)
    return parameters.measured_in(1 / factor);
  else
    return (parameters);
}

/// The kernel as an object: `kernel_of<K>(parameters).template pair<parts>(...)`. Made outside of loops.
template <class K>
FARFIELD_HD constexpr K kernel_of([[maybe_unused]] const KernelParameters& parameters) {
  if constexpr (HasParameters<K>)
    return K{parameters};
  else
    return {};
}

}  // namespace farfield

// 1/|x - y| by its formula alone, without the shorter ways of OfInverseDistance, and inside a core the potential of a
// homogeneous ball: the kernel of docs/developer/adding-a-kernel.md, which tests/kernel adds to a copy of the sources
// by the steps of that page.
#pragma once
#include <farfield/options.hpp>

#include "core/math.hpp"
#include "expansions/laplace_basis.hpp"
#include "kernels/concept.hpp"

namespace farfield {

struct Plain {
  using Basis = LaplaceBasis;
  static constexpr int homogeneity = -1;
  static constexpr bool singular = true, softens = false;

  KernelParameters own;  ///< length[0]: radius of the core
  static KernelParameters parameters(const Options& options) { return {{options.plain_core}}; }

  /// With s = max(r, core): K = (3 - r^2/s^2) / (2 s) inside, 1/s outside, and grad K = -d/s^3. The square of the core
  /// may be infinite here, but not the core by which K is divided.
  template <int parts, class V>
  FARFIELD_HD void pair(V r2, V dx, V dy, V dz, V q, V* out) const {
    const V core = Math<V>::constant(own.length[0]), square = core * core;
    const V inverse = r2 < square ? Math<V>::constant(1 / own.length[0]) : Math<V>::inverse_sqrt(r2);
    const V inside = r2 < square ? Math<V>::constant(0.5) - Math<V>::constant(0.5) * (r2 * (inverse * inverse)) : V{};
    const V u = q * inverse;
    out[0] += u + u * inside;
    if constexpr (parts == 1) return;
    const V g = u * (inverse * inverse);
    out[1] -= g * dx;
    out[2] -= g * dy;
    out[3] -= g * dz;
  }
};

static_assert(PairKernel<Plain> && HasParameters<Plain>);

}  // namespace farfield

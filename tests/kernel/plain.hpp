// 1/|x - y| by its formula alone, without the shorter ways of OfInverseDistance: the kernel of
// docs/developer/adding-a-kernel.md, which tests/kernel adds to a copy of the sources by the steps of that page.
#pragma once
#include "core/math.hpp"
#include "expansions/laplace_basis.hpp"
#include "kernels/concept.hpp"

namespace farfield {

struct Plain {
  using Basis = LaplaceBasis;
  static constexpr int homogeneity = -1;
  static constexpr bool singular = true, softens = false;

  template <int parts, class V>
  FARFIELD_HD static void pair(V r2, V dx, V dy, V dz, V q, V* out) {
    const V inverse = Math<V>::inverse_sqrt(r2), u = q * inverse;
    out[0] += u;
    if constexpr (parts == 1) return;
    const V g = u * (inverse * inverse);
    out[1] -= g * dx;
    out[2] -= g * dy;
    out[3] -= g * dz;
  }
};

static_assert(PairKernel<Plain>);

}  // namespace farfield

// Counting: K(x, y) = 1 for every pair, a point with itself included. Its expansions hold one number, the sum of
// strengths, so with unit strengths every target must find exactly the number of sources: a proof, free of rounding,
// that tree, lists and stages carry each source to each target once.
#pragma once
#include "core/hd.hpp"
#include "expansions/ones_basis.hpp"
#include "kernels/concept.hpp"

namespace farfield {

struct Count {
  using Basis = OnesBasis;
  static constexpr int homogeneity = 0;
  static constexpr bool singular = false;
  static constexpr bool softens = false;

  template <int parts, class V>
  FARFIELD_HD static void pair(V /*r2*/, V, V, V, V q, V* out) {
    out[0] += q;
  }
};

static_assert(PairKernel<Count>);

}  // namespace farfield

// Counting: K(x, y) = 1 for every pair, a point with itself included. Its expansions hold one number, the sum of
// strengths, so with unit strengths every target must find exactly the number of sources: a proof, free of rounding,
// that tree, lists and stages carry each source to each target once.
#pragma once
#include "core/hd.hpp"
#include "expansions/ones_basis.hpp"

namespace farfield {

struct Count {
  using Basis = OnesBasis;
  static constexpr const char* name = "count";
  static constexpr const char* formula = "1";
  static constexpr bool softens = false;
  static constexpr double pair_flops = 1;

  template <class V>
  FARFIELD_HD static void potential(V, V q, V& u) {
    u += q;
  }
  template <class V>
  FARFIELD_HD static void gradient(V, V q, V, V, V, V& u, V&, V&, V&) {
    u += q;
  }
};

}  // namespace farfield

// Hermite and Taylor expansions of exp(-|x - y|^2) in lengths of sqrt(2) times the bandwidth (Greengard & Strain 1991),
// normalised so that no function grows with its degree. Along one axis, with h_n(t) = exp(-t^2) H_n(t),
//   psi_n(t) = h_n(t) / sqrt(2^n n!),   chi_n(t) = 2^(n/2) t^n / sqrt(n!),   |psi_n(t)| <= 1.09 exp(-t^2 / 2)
//   exp(-(s - t)^2) = sum_n chi_n(t) psi_n(s)                                                                    (1)
// In space functions are products over the axes. The four interactions of a box of sources and a box of targets (Cruz,
// Layton & Barba 2011, section 2.2), c and d their centres, all from (1):
//   direct             u = sum_j q_j exp(-|x - y_j|^2)
//   Hermite series     A_a = sum_j q_j chi_a(y_j - c)     u = sum_a A_a psi_a(x - c)
//   Taylor series      B_b = sum_j q_j psi_b(y_j - d)     u = sum_b B_b chi_b(x - d)
//   Hermite to Taylor  B_b = (-1)^b sum_a sqrt(C(a + b, a)) psi_(a+b)(d - c) A_a      one matrix per axis
#pragma once
#include "core/hd.hpp"
#include "core/math.hpp"

namespace farfield::hermite {

/// Factors of the recurrences, so that loops do not take roots.
template <class Real, int most>
struct Roots {
  Real up[most] = {};    ///< sqrt(2 / (n+1)): psi_(n+1) = up t psi_n - down psi_(n-1), chi_(n+1) = up t chi_n
  Real down[most] = {};  ///< sqrt(n / (n+1))
};

template <class Real, int most>
inline Roots<Real, most> make_roots() {
  Roots<Real, most> roots;
  for (int n = 0; n < most; ++n) {
    roots.up[n] = static_cast<Real>(std::sqrt(2.0L / (n + 1)));
    roots.down[n] = static_cast<Real>(std::sqrt(static_cast<long double>(n) / (n + 1)));
  }
  return roots;
}

/// psi_0(t) ... psi_(p-1)(t) times `first`, which holds exp(-t^2).
template <class V, class Roots>
FARFIELD_HD void fill_hermite(int p, const Roots& roots, V t, V first, V* to) {
  V before = V{}, now = first;
  for (int n = 0; n < p; ++n) {
    to[n] = now;
    const V next = roots.up[n] * t * now - roots.down[n] * before;
    before = now, now = next;
  }
}

/// chi_0(t) ... chi_(p-1)(t).
template <class V, class Roots>
FARFIELD_HD void fill_taylor(int p, const Roots& roots, V t, V* to) {
  V now = V{} + 1;
  for (int n = 0; n < p; ++n) {
    to[n] = now;
    now = roots.up[n] * t * now;
  }
}

/// d psi_n / dt = -sqrt(2 (n+1)) psi_(n+1), d chi_n / dt = sqrt(2 n) chi_(n-1): these factors.
template <class Roots>
FARFIELD_HD auto hermite_slope(const Roots& roots, int n) {
  return -(n + 1) * roots.up[n];
}
template <class Roots>
FARFIELD_HD auto taylor_slope(const Roots& roots, int n) {
  return n * roots.up[n - 1];
}

}  // namespace farfield::hermite

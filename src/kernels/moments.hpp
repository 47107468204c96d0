// Pairs of sources that carry charges and dipoles, and their Hessians, of kernels that are Differentiates: formed
// slowly and carefully, with any softening.
#pragma once
#include <cmath>

#include "kernels/cores/cores.hpp"

namespace farfield {

/// How small squared distances may be whose 1/r^5, times a dipole, is a number of Real. In single that is also where
/// differences of coordinates end.
template <class Real>
inline constexpr Real least_square_of_moments = sizeof(Real) == 4 ? Real(1e-12) : Real(1e-100);

/// Adds one pair, d = target - source, at a distance whose 1/r^5 is a number. `softening`: what Plummer's kernel adds
/// and the algebraic core add to r2; of those that reach so far only, the inverse of the reach.
template <class K, int parts, int moments, Softened softened, class V>
FARFIELD_HD void moments_pair(V r2, V softening, V q, const V (&p)[3], V dx, V dy, V dz, V* out) {
  const V x = has_reach(softened) || softened == Softened::no ? r2 : r2 + softening, one = Math<V>::constant(1);
  const V inverse = x > V{} ? Math<V>::inverse_sqrt(x > V{} ? x : one) : V{};
  if constexpr (is_core(softened)) {
    const CoreOrders<V> core = core_orders<softened>(inverse, r2, softening);
    K::template of_orders<parts, moments>(core.n, core.s, q, p[0], p[1], p[2], dx, dy, dz, out);
  } else if constexpr (is_spline(softened))
    K::template of_spline_moments<parts, moments>(inverse, r2, softening, q, p[0], p[1], p[2], dx, dy, dz, out);
  else
    K::template of_moments<parts, moments>(inverse, q, p[0], p[1], p[2], dx, dy, dz, out);
}

/// Adds one pair at any distance, computed with about the larger of distance and softening `length` as the unit.
/// Nothing where both are 0. Charge and dipole apart, as their results are of different powers of the unit.
template <class K, int parts, int moments, Softened softened>
FARFIELD_HD void nearest_moments_pair(double length, const double (&d)[3], double q, const double (&p)[3],
                                      double* out) {
  const double distance = fmax(fabs(d[0]), fmax(fabs(d[1]), fabs(d[2])));
  const double largest = softened == Softened::no ? distance : fmax(distance, length);
  if (!(largest > 0)) return;
  const double unit = scalbn(1.0, ilogb(largest)), x = d[0] / unit, y = d[1] / unit, z = d[2] / unit;
  const double r2 = x * x + y * y + z * z, soft = length / unit;
  double charge[parts] = {}, dipole[parts] = {};
  const auto add = [&](auto kind) {
    constexpr Softened as = decltype(kind)::value;
    const double softening = has_reach(as) ? 1 / soft : soft * soft;
    moments_pair<K, parts, 1, as>(r2, softening, q, p, x, y, z, charge);
    if constexpr (moments == with_dipole) moments_pair<K, parts, moments, as>(r2, softening, 0.0, p, x, y, z, dipole);
  };
  if (is_spline(softened) && !(length > 0))
    add(std::integral_constant<Softened, Softened::no>{});
  else
    add(std::integral_constant<Softened, softened>{});
  // divide by one power of unit at a time: its cube may leave the range of double where the result does not
  for (int part = 0; part < parts; ++part) {
    for (int power = 0; power <= order_of(part); ++power) charge[part] /= unit, dipole[part] /= unit;
    out[part] += charge[part] + (moments == with_dipole ? dipole[part] / unit : 0);
  }
}

}  // namespace farfield

// Second derivatives of an expansion of a degree that is known when compiling, of the coefficients and the recurrence
// of laplace_fixed.hpp: for Hessians in single precision on a GPU.
#pragma once
#include "expansions/laplace_fixed.hpp"

namespace farfield::laplace {

/// Sums of one column m over n of A_{n+2,+-k} Q_n for k = m - 2 ... m + 2.
template <class V>
struct SecondSums {
  V cosine[5] = {}, sine[5] = {};
};

template <int degree, int m, class V, class Coefficient>
FARFIELD_HD SecondSums<V> sum_second_column(V z, V r2, Coefficient&& a) {
  SecondSums<V> sum;
  V q = 1, before = 0;
  for_each_constant<m, degree - 1>([&](auto row) {
    constexpr int n = decltype(row)::value, i = SolidShape::index(n + 2, 0);
    if constexpr (n > m) {
      const V now = next_function<Rho, n, m>(z, r2, q, before);
      before = q;
      q = now;
    }
    for_each_constant<(m < 2 ? 2 - m : 0), 5>([&](auto shift) {
      constexpr int s = decltype(shift)::value, k = m + s - 2;
      sum.cosine[s] += a(Constant<i + k>{}) * q;
      if constexpr (k > 0) sum.sine[s] += a(Constant<i - k>{}) * q;
    });
  });
  return sum;
}

/// Sums over the columns of products with (x + iy)^m: of rho's second derivatives.
template <class V>
struct SecondProducts {
  V zz = 0, xz = 0, yz = 0, difference = 0, xy = 0;  ///< difference: xx - yy

  /// With (d/dx - i d/dy) rho_n^m = rho_{n-1}^{m-1} and (d/dx + i d/dy) rho_n^m = -rho_{n-1}^{m+1} for all m, where
  /// rho_n^-m = (-1)^m conj(rho_n^m): terms whose m changes sign are those of columns 1 and 2.
  template <int m>
  FARFIELD_HD void add(const SecondSums<V>& s, V cosine, V sine) {
    zz += s.cosine[2] * cosine + s.sine[2] * sine;
    xz += s.cosine[3] * cosine + s.sine[3] * sine;
    yz += s.sine[3] * cosine - s.cosine[3] * sine;
    difference += s.cosine[4] * cosine + s.sine[4] * sine;
    xy += s.sine[4] * cosine - s.cosine[4] * sine;
    if constexpr (m > 0) {
      constexpr V once = V(m == 1 ? 2 : 1);
      xz -= once * (s.cosine[1] * cosine + s.sine[1] * sine);
      yz -= once * (s.cosine[1] * sine - s.sine[1] * cosine);
    }
    if constexpr (m == 1) {
      difference -= s.cosine[2] * cosine - s.sine[2] * sine;
      xy -= s.cosine[2] * sine + s.sine[2] * cosine;
    }
    if constexpr (m > 1) {
      constexpr V once = V(m == 2 ? 2 : 1);
      difference += once * (s.cosine[0] * cosine + s.sine[0] * sine);
      xy += once * (s.cosine[0] * sine - s.sine[0] * cosine);
    }
  }
};

/// out[0 ... 5]: the second derivatives xx yy zz xy xz yz of what rho_sum sums. From 1/r's having no Laplacian
/// xx + yy = -zz. Ten multiply-adds per pair (n, m >= 0) of a degree that is two lower.
template <int degree, class V, class Coefficient>
FARFIELD_HD void rho_hessian(V x, V y, V z, Coefficient&& a, V out[6]) {
  const V r2 = x * x + y * y + z * z;
  V cosine = 1, sine = 0;
  SecondProducts<V> sum;
  for_each_constant<0, degree - 1>([&](auto column) {
    constexpr int m = decltype(column)::value;
    if constexpr (m > 0) turn<Rho, m>(x, y, cosine, sine);
    sum.template add<m>(sum_second_column<degree, m>(z, r2, a), cosine, sine);
  });
  out[0] = V(0.25) * sum.difference - V(0.5) * sum.zz;
  out[1] = V(-0.25) * sum.difference - V(0.5) * sum.zz;
  out[2] = sum.zz;
  out[3] = V(0.25) * sum.xy;
  out[4] = V(0.5) * sum.xz;
  out[5] = V(0.5) * sum.yz;
}

}  // namespace farfield::laplace

// Expansions of a degree that is known when compiling: the recurrence unrolls, every coefficient can stay in a
// register, and the factors are immediate operands. For the low degrees of single precision on a GPU; `columns` serves
// any degree.
//
// Gumerov & Duraiswami 2008, eq. 15, in two other normalisations, both written as Q_n^m(z, r^2) times powers of x + iy:
//   monic: the leading coefficient of Q and (x + iy)^m have no factor; R_{n,m} = monic_factors * monic function
//   rho:   rho_n^m of laplace_harmonics.hpp;                           R_{n,m} = rho_factors * Re or Im rho
// Derivatives of rho have no factors (section 2.3 there): d/dz rho_n^m = rho_{n-1}^m, dQ_n^m/d(r^2) = -Q_{n-1}^{m+1}
// up to the factors of the powers of x + iy. So potential and gradient share one recurrence and one set of
// coefficients: 10 multiply-adds per pair (n, m >= 0) instead of 14 with a separate expansion for every derivative.
#pragma once
#include <cmath>
#include <type_traits>
#include <vector>

#include "core/dual.hpp"
#include "core/hd.hpp"
#include "expansions/solid_shape.hpp"

namespace farfield::laplace {

template <int value>
using Constant = std::integral_constant<int, value>;

/// f(Constant<first>) ... f(Constant<last - 1>)
template <int first, int last, class F>
FARFIELD_HD void for_each_constant(F&& f) {
  if constexpr (first < last) {
    f(Constant<first>{});
    for_each_constant<first + 1, last>(f);
  }
}

/// Factors of the recurrence Q_n = next z Q_{n-1} - past r^2 Q_{n-2}; every further power of x + iy has the factor
/// `turn`.
struct Monic {
  template <int n, int m>
  static constexpr double next = 1;
  template <int n, int m>
  static constexpr double past = double((n - 1) * (n - 1) - m * m) / double((2 * n - 1) * (2 * n - 3));
  template <int m>
  static constexpr double turn = 1;
};
struct Rho {
  template <int n, int m>
  static constexpr double next = double(2 * n - 1) / double((n + m) * (n - m));
  template <int n, int m>
  static constexpr double past = 1 / double((n + m) * (n - m));
  template <int m>
  static constexpr double turn = 0.5 / m;
};

/// Q_n^m from Q_{n-1}^m (`q`) and Q_{n-2}^m (`before`).
template <class Family, int n, int m, class V>
FARFIELD_HD V next_function(V z, V r2, V q, V before) {
  using Factor = typename ConstantOf<V>::type;
  constexpr Factor next = Factor(Family::template next<n, m>);
  if constexpr (n == m + 1) {
    return z * next;
  } else {
    constexpr Factor past = Factor(Family::template past<n, m>);
    return (z * next) * q - (r2 * past) * before;
  }
}

/// Turns (cosine, sine), the parts of (x + iy)^(m-1) with their factor, into those of (x + iy)^m.
template <class Family, int m, class V>
FARFIELD_HD void turn(V x, V y, V& cosine, V& sine) {
  using Factor = typename ConstantOf<V>::type;
  constexpr Factor factor = Factor(Family::template turn<m>);
  const V c = (x * cosine - y * sine) * factor;
  sine = (x * sine + y * cosine) * factor;
  cosine = c;
}

/// Calls add(Constant<n^2+n+m>, weight times the monic function) for all n <= degree and m.
template <int degree, class V, class Add>
FARFIELD_HD void monic_terms(V weight, V x, V y, V z, Add&& add) {
  const V r2 = x * x + y * y + z * z;
  V cosine = weight, sine = 0;
  for_each_constant<0, degree + 1>([&](auto column) {
    constexpr int m = decltype(column)::value;
    if constexpr (m > 0) turn<Monic, m>(x, y, cosine, sine);
    V q = 1, before = 0;
    for_each_constant<m, degree + 1>([&](auto row) {
      constexpr int n = decltype(row)::value, i = SolidShape::index(n, 0);
      if constexpr (n > m) {
        const V now = next_function<Monic, n, m>(z, r2, q, before);
        before = q;
        q = now;
      }
      add(Constant<i + m>{}, cosine * q);
      if constexpr (m > 0) add(Constant<i - m>{}, sine * q);
    });
  });
}

/// Sums of one column m over n: of A_{n,+-m} Q_n, A_{n+1,+-m} Q_n and A_{n+1,+-(m-1)} Q_n.
template <class V>
struct ColumnSums {
  V value[2] = {0, 0}, along_z[2] = {0, 0}, inward[2] = {0, 0};
};

template <int degree, int parts, int m, class V, class Coefficient>
FARFIELD_HD ColumnSums<V> sum_column(V z, V r2, Coefficient&& a) {
  ColumnSums<V> sum;
  V q = 1, before = 0;
  for_each_constant<m, degree + 1>([&](auto row) {
    constexpr int n = decltype(row)::value, i = SolidShape::index(n, 0), next = SolidShape::index(n + 1, 0);
    if constexpr (n > m) {
      const V now = next_function<Rho, n, m>(z, r2, q, before);
      before = q;
      q = now;
    }
    sum.value[0] += a(Constant<i + m>{}) * q;
    if constexpr (m > 0) sum.value[1] += a(Constant<i - m>{}) * q;
    if constexpr (parts > 1 && n < degree) {
      sum.along_z[0] += a(Constant<next + m>{}) * q;
      if constexpr (m > 0) {
        sum.along_z[1] += a(Constant<next - m>{}) * q;
        sum.inward[0] += a(Constant<next + m - 1>{}) * q;
      }
      if constexpr (m > 1) sum.inward[1] += a(Constant<next - m + 1>{}) * q;
    }
  });
  return sum;
}

/// out[0] = sum over n, m of A_{n,m} Re rho_n^m and A_{n,-m} Im rho_n^m at (x, y, z), `a(Constant<n^2+n+m>)` being A;
/// with 4 parts out[1 ... 3] are its derivatives.
template <int degree, int parts, class V, class Coefficient>
FARFIELD_HD void rho_sum(V x, V y, V z, Coefficient&& a, V out[4]) {
  const V r2 = x * x + y * y + z * z;
  V cosine = 1, sine = 0, u = 0, dx = 0, dy = 0, dz = 0, radial = 0;
  for_each_constant<0, degree + 1>([&](auto column) {
    constexpr int m = decltype(column)::value;
    [[maybe_unused]] const V inner_cosine = cosine, inner_sine = sine;  // of m - 1
    if constexpr (m > 0) turn<Rho, m>(x, y, cosine, sine);
    const ColumnSums<V> sum = sum_column<degree, parts, m>(z, r2, a);
    u += sum.value[0] * cosine;
    if constexpr (m > 0) u += sum.value[1] * sine;
    if constexpr (parts > 1) {
      dz += sum.along_z[0] * cosine;
      if constexpr (m > 0) {
        constexpr V factor = V(Rho::turn<m>);
        dz += sum.along_z[1] * sine;
        radial += (sum.inward[0] * factor) * inner_cosine;
        dx += sum.value[0] * inner_cosine;
        dy += sum.value[1] * inner_cosine;
        if constexpr (m > 1) {
          radial += (sum.inward[1] * factor) * inner_sine;
          dx += sum.value[1] * inner_sine;
          dy -= sum.value[0] * inner_sine;
        }
      }
    }
  });
  out[0] = u;
  if constexpr (parts > 1) {
    out[1] = V(0.5) * dx - x * radial;
    out[2] = V(0.5) * dy - y * radial;
    out[3] = dz;
  }
}

/// The same for sum A_i S_i(u), S_i(u) = R_i(v) / |u| with v = u / |u|^2; derivatives by the chain rule through v.
template <int degree, int parts, class V, class Coefficient>
FARFIELD_HD void rho_outer_sum(V x, V y, V z, V inverse_r, Coefficient&& a, V out[4]) {
  const V square = inverse_r * inverse_r, vx = x * square, vy = y * square, vz = z * square;
  rho_sum<degree, parts>(vx, vy, vz, a, out);
  if constexpr (parts > 1) {
    const V along = out[0] + V(2) * (vx * out[1] + vy * out[2] + vz * out[3]), cube = square * inverse_r;
    out[1] = (out[1] - x * along) * cube;
    out[2] = (out[2] - y * along) * cube;
    out[3] = (out[3] - z * along) * cube;
  }
  out[0] *= inverse_r;
}

inline double factorial(int n) {
  double product = 1;
  for (int i = 2; i <= n; ++i) product *= i;
  return product;
}

/// R_{n,m} over Re or Im rho_n^m: sqrt((2 - delta_m0)(n-m)!(n+m)!), at n^2 + n + m.
inline std::vector<double> rho_factors(int degree) {
  std::vector<double> factors;
  for (int n = 0; n <= degree; ++n)
    for (int m = -n; m <= n; ++m)
      factors.push_back(std::sqrt((m == 0 ? 1 : 2) * factorial(n - m)) * std::sqrt(factorial(n + m)));
  return factors;
}

/// R_{n,m} over the monic function.
inline std::vector<double> monic_factors(int degree) {
  std::vector<double> factors = rho_factors(degree);
  for (int m = 0; m <= degree; ++m) {
    double leading = std::ldexp(1 / factorial(m), -m);
    for (int n = m; n <= degree; ++n) {
      if (n > m) leading *= double(2 * n - 1) / double((n + m) * (n - m));
      factors[static_cast<std::size_t>(SolidShape::index(n, m))] *= leading;
      if (m > 0) factors[static_cast<std::size_t>(SolidShape::index(n, -m))] *= leading;
    }
  }
  return factors;
}

}  // namespace farfield::laplace

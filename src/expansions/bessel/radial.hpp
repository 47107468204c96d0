// The radial parts of the expansions of exp(-kappa r)/r: modified spherical Bessel functions over their behaviour at 0,
//   I_n(x) = (2n+1)!! i_n(x) / x^n,   K_n(x) = x^(n+1) k_n(x) / (2n-1)!!,   i_0 = sinh(x)/x, k_0 = exp(-x)/x,
// both 1 at x = 0 and, of x, positive. With the solid harmonics R and S of 1/r (laplace_harmonics.hpp), lambda = kappa
// a and a the box's edge, the functions of this family are
//   R_i(u) = exp(-h lambda) I_n(lambda |u|) R_i(u),   S_i(u) = exp(h lambda) K_n(lambda |u|) S_i(u),
// where h = sqrt(3)/2 is the distance of a corner from the centre. So |R_i| <= |u|^n in the box, nothing overflows, and
// with lambda = 0 they are those of 1/r. Their sum is the addition theorem (Abramowitz & Stegun 10.2.35), for |v| <
// |u|:
//   exp(-kappa a |u - v|) / |u - v| = sum_i R_i(v) S_i(u).
//
// All recurrences here add positive terms:
//   I_{n-1} = I_n + x^2 I_{n+1} / ((2n+1)(2n+3))      downwards from the series of the two highest degrees
//   K_{n+1} = K_n + x^2 K_{n-1} / ((2n-1)(2n+1))      upwards from K_0 = exp(-x), K_1 = (1 + x) exp(-x)
#pragma once
#include <cmath>
#include <vector>

#include "core/hd.hpp"
#include "core/math.hpp"
#include "expansions/solid_shape.hpp"

namespace farfield::bessel {

inline constexpr long double half_diagonal = 0.866025403784438646763723170752936183L;
/// Beyond this lambda exp(-h lambda) is no normal number of the precision, and expansions are left out: R = S = 0. What
/// is lost by it, of pairs an edge apart at least, is below exp(-lambda).
template <class Real>
inline constexpr double largest_scale = sizeof(Real) == 4 ? 98 : 800;
inline constexpr int most_radial = 64;  ///< degrees

/// Where the numbers of a radial table stand.
struct RadialTable {
  enum Place { present, exponent, scale, corner, terms, series };  ///< exponent: h lambda; corner: exp(-h lambda)
};

/// Appends the factors of `regular` and `singular` for that lambda to a table.
template <class Real>
void append_radial_table(int degree, double lambda, std::vector<Real>& table) {
  const bool present = lambda <= largest_scale<double>;
  const long double l = present ? lambda : 0, square = l * l, largest = square * 0.75L;
  int terms = 1;  // until the next one is below 2^-60 of the sum, which is not less than their largest
  for (long double term = 1, most = 1; term > most * 0x1p-60L; ++terms) {
    term *= largest / (2.0L * terms * (2 * degree + 2 * terms + 1));
    most = std::fmax(most, term);
  }
  const auto add = [&](long double x) { table.push_back(static_cast<Real>(x)); };
  add(present), add(half_diagonal * l), add(l), add(present ? std::exp(-half_diagonal * l) : 0), add(terms);
  for (int k = terms; k >= 1; --k)
    for (const int n : {degree, degree + 1}) add(square / (2.0L * k * (2 * n + 2 * k + 1)));
  for (int n = degree; n >= 1; --n) add(square / ((2.0L * n + 1) * (2 * n + 3)));
  for (int n = 1; n < degree; ++n) add(square / ((2.0L * n - 1) * (2 * n + 1)));
}

/// f[n] = exp(-h lambda) I_n(lambda r) for n = 0 ... degree.
template <class V, class Real>
FARFIELD_HD void regular(int degree, const Real* table, V r2, V* f) {
  const V one = V{} + Real(1);
  const int terms = static_cast<int>(table[RadialTable::terms]);
  const Real corner = table[RadialTable::corner];
  table += RadialTable::series;
  V here = one, above = one;
  for (int k = 0; k < terms; ++k, table += 2) {
    here = one + (r2 * table[0]) * here;
    above = one + (r2 * table[1]) * above;
  }
  here = here * corner;
  above = above * corner;
  f[degree] = here;
  for (int n = degree; n >= 1; --n) {
    const V below = here + (r2 * *table++) * above;
    above = here;
    here = below;
    f[n - 1] = here;
  }
}

/// f[n] = exp(h lambda) K_n(lambda r) for n = 0 ... degree.
template <class V, class Real>
FARFIELD_HD void singular(int degree, const Real* table, V r2, V r, V* f) {
  const int terms = static_cast<int>(table[RadialTable::terms]);
  const V x = r * table[RadialTable::scale];
  f[0] = Math<V>::exp(table[RadialTable::exponent] - x) * table[RadialTable::present];
  if (degree == 0) return;
  f[1] = f[0] + f[0] * x;
  table += RadialTable::series + 2 * terms + degree;
  for (int n = 1; n < degree; ++n) f[n + 1] = f[n] + (r2 * *table++) * f[n - 1];
}

/// Passes Q_n f[n] on where Q_n comes in.
template <class V, class Visitor>
struct TimesRadial {
  const V* f;
  Visitor& visit;
  FARFIELD_HD void begin(int m, const V& c, const V& s) { visit.begin(m, c, s); }
  FARFIELD_HD void term(int n, const V& q) { visit.term(n, V(q * f[n])); }
  FARFIELD_HD void end(int m) { visit.end(m); }
};

}  // namespace farfield::bessel

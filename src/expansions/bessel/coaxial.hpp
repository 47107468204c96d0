// Translations along z of the screened functions (bessel/radial.hpp): functions about one centre as sums of regular
// functions about another one on the z axis. Only equal m couple, with the same factor for cosines and sines.
//
// The factors are projections: with R_{k,m} orthogonal on a sphere about the new centre, of square norm 4 pi / (2k+1)
// times that of the radial part, factor (k, n) is the mean of F_n R_k over the sphere times (2k+1) over that square.
// Quadrature in cos(theta) (GaussRule) is exact to rounding, for any lambda; the sphere is that of the box's corners,
// on which the terms of an expansion are largest, so that rounding is small beside what any point of the box receives.
#pragma once
#include <cmath>
#include <cstddef>
#include <vector>

#include "expansions/bessel/radial.hpp"
#include "expansions/fitted/gauss_rule.hpp"
#include "expansions/laplace_harmonics.hpp"

namespace farfield::bessel {

/// Factors of `columns` and `singular_columns` of bessel/basis.hpp: those of the solid harmonics, then the radial ones.
template <class Real>
std::vector<Real> recurrence_table(int degree, double lambda) {
  std::vector<Real> table;
  for (const long double x : laplace::recurrence_table<long double>(degree)) table.push_back(static_cast<Real>(x));
  append_radial_table(degree, lambda, table);
  return table;
}

/// Visits all R_i(x, y, z).
template <class V, class Real, class Visitor>
FARFIELD_HD void columns(int degree, const Real* table, V x, V y, V z, Visitor&& visit) {
  V f[most_radial];
  regular(degree, table + SolidShape::count(degree), V(x * x + y * y + z * z), f);
  laplace::columns(degree, table, x, y, z, TimesRadial<V, std::remove_reference_t<Visitor>>{f, visit});
}

/// Visits all S_i(x, y, z). At no distance 1/r counts as 0.
template <class V, class Real, class Visitor>
FARFIELD_HD void singular_columns(int degree, const Real* table, V x, V y, V z, V inverse_r, Visitor&& visit) {
  V f[most_radial];
  const V r2 = x * x + y * y + z * z, inverse_square = inverse_r * inverse_r;
  singular(degree, table + SolidShape::count(degree), r2, V(r2 * inverse_r), f);
  for (int n = 0; n <= degree; ++n) f[n] = f[n] * inverse_r;
  laplace::columns(degree, table, V(x * inverse_square), V(y * inverse_square), V(z * inverse_square),
                   TimesRadial<V, std::remove_reference_t<Visitor>>{f, visit});
}

/// Projections onto the regular functions of a box of that lambda. A shift is [m][k - m][n - m], as in
/// RotationOperator.
class Projection {
 public:
  /// `nodes`: of the quadrature; twice as many lie above `degree` and the highest degree that matters in a function F.
  Projection(int degree, double lambda, int nodes)
      : degree_(degree),
        rule_(nodes),
        weight_(rule_.x.size() * functions()),
        present_(lambda <= largest_scale<double>) {
    if (!present_) return;
    const std::vector<long double> table = recurrence_table<long double>(degree, lambda);
    std::vector<long double> radial(most_radial), own(functions());
    regular(degree, table.data() + functions(), half_diagonal * half_diagonal, radial.data());
    for (std::size_t j = 0; j < rule_.x.size(); ++j) {
      laplace::columns(degree, table.data(), x(j), 0.0L, z(j), laplace::StoreFunctions<long double>{own.data()});
      for (int k = 0; k <= degree; ++k)
        for (int m = 0; m <= k; ++m)
          weight_[at(j, k, m)] = static_cast<double>(
              own[place(k, m)] * rule_.weight[j] * (2 * k + 1) /
              ((m > 0 ? 4 : 2) * std::pow(half_diagonal, 2 * k) * radial[static_cast<std::size_t>(k)]));
    }
  }

  /// functions_at(x, z, value): the functions F_{n,m} at the point with these coordinates in units of the box, y = 0.
  template <class Functions>
  std::vector<double> shift(const Functions& functions_at, long double factor) const {
    std::vector<double> out(static_cast<std::size_t>((degree_ + 1) * (degree_ + 2) * (2 * degree_ + 3) / 6), 0);
    std::vector<long double> own(functions());
    std::vector<double> value(static_cast<std::size_t>(degree_) + 1);
    for (std::size_t j = 0; j < rule_.x.size() && present_; ++j) {
      functions_at(x(j), z(j), own.data());
      double* row = out.data();
      for (int m = 0; m <= degree_; ++m) {
        const int size = degree_ + 1 - m;
        for (int n = 0; n < size; ++n)
          value[static_cast<std::size_t>(n)] = static_cast<double>(factor * own[place(n + m, m)]);
        for (int k = m; k <= degree_; ++k, row += size) {
          const double weight = weight_[at(j, k, m)];
          for (int n = 0; n < size; ++n) row[n] += weight * value[static_cast<std::size_t>(n)];
        }
      }
    }
    return out;
  }

 private:
  std::size_t functions() const { return static_cast<std::size_t>(SolidShape::count(degree_)); }
  static std::size_t place(int n, int m) { return static_cast<std::size_t>(SolidShape::index(n, m)); }
  std::size_t at(std::size_t j, int n, int m) const { return j * functions() + place(n, m); }
  long double x(std::size_t j) const { return half_diagonal * std::sqrt(1 - rule_.x[j] * rule_.x[j]); }
  long double z(std::size_t j) const { return half_diagonal * rule_.x[j]; }

  int degree_;
  GaussRule rule_;
  std::vector<double> weight_;  ///< [node][function]
  bool present_;
};

}  // namespace farfield::bessel

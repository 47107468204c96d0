// Expansions of -log |x - y| in the plane (Greengard & Rokhlin 1987, theorem 2.1; Carrier, Greengard & Rokhlin 1988),
// in real functions of box units. With z = x + iy and its image 1/conj(z) under inversion in the unit circle:
//   R_n = z^n / sqrt(n) (Re, Im),  S_n(z) = R_n(1/conj z),  n >= 1;   R_0 = 1, S_0 = -log |z|
// so that |R_n| <= r^n and -log |x - y| = sum_i R_i(y) S_i(x) for |y| < |x|.
//
// The logarithm has no scale of its own: with u = (x - centre) / a, -log |x - y| = -log |u - v| - log a. So a multipole
// carries one coefficient more, PlanarShape::unit, of the pair R = -log a, S = 1, where a is the edge of its own box in
// the caller's unit of length. It goes through the translations like any other, which are then the same at all levels,
// and no level adds a constant of its own:
//   m2m  M_unit' = M_unit - log 2 M_0      m2l  L_0 = M_unit - log |t| M_0 + ...
// In a local it stays 0. (L_unit = M_0 with -log a at the end would do as well, but at the leaves it is the difference
// of large numbers: in single 1.5e-6 on a disk of 3,000 points of one sign.) Coordinates along the third axis are the
// same for all points and play no part.
#pragma once
#include <cmath>
#include <complex>
#include <vector>

#include "core/hd.hpp"
#include "expansions/planar/shape.hpp"

namespace farfield::planar {

using Complex = std::complex<long double>;

/// Factors of `columns`: from R_{n-1} to R_n, n = 0 ... degree.
inline std::vector<double> recurrence_table(int degree) {
  std::vector<double> table;
  for (int n = 0; n <= degree; ++n)
    table.push_back(n < 2 ? 1 : static_cast<double>(std::sqrt((n - 1.0L) / static_cast<long double>(n))));
  return table;
}

/// Visits R_n, column by column of one function each: begin(n, Re, Im), term(n, 1), end(n).
template <class V, class Real, class Visitor>
FARFIELD_HD void columns(int degree, const Real* table, V x, V y, Visitor&& visit) {
  const V one = V{} + Real(1);
  V real = one, imaginary = V{};
  for (int n = 0; n <= degree; ++n) {
    if (n > 0) {
      const V previous = real;
      real = (x * real - y * imaginary) * table[n];
      imaginary = (x * imaginary + y * previous) * table[n];
    }
    visit.begin(n, real, imaginary);
    visit.term(n, one);
    visit.end(n);
  }
}

/// sqrt(n), and 1 for n = 0: z^n = root(n) R_n.
inline long double root(int n) { return n == 0 ? 1.0L : std::sqrt(static_cast<long double>(n)); }

/// Binomial coefficients (n over k) up to `largest`, by Pascal's rule.
class Binomials {
 public:
  explicit Binomials(int largest) : side_(largest + 1), value_(static_cast<std::size_t>(side_) * side_, 0) {
    for (int n = 0; n <= largest; ++n) {
      at(n, 0) = 1;
      for (int k = 1; k <= n; ++k) at(n, k) = at(n - 1, k - 1) + (k < n ? at(n - 1, k) : 0);
    }
  }
  long double operator()(int n, int k) const { return value_[static_cast<std::size_t>(n) * side_ + k]; }

 private:
  long double& at(int n, int k) { return value_[static_cast<std::size_t>(n) * side_ + k]; }
  int side_;
  std::vector<long double> value_;
};

}  // namespace farfield::planar

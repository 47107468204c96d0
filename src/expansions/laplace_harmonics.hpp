// The real solid harmonics of 1/r: the one recurrence behind p2m, l2p, m2p, p2l and every table of this family.
//
// Gumerov & Duraiswami 2008, eqs. 11-15, in another normalisation. With rho_n^m = r^n P_n^m(cos theta) e^{i m phi} /
// (n+m)! (no Condon-Shortley phase) and N = sqrt((2 - delta_m0)(n-m)!(n+m)!):
//   R_{n,m} = N Re rho_n^m (m >= 0),  R_{n,-m} = N Im rho_n^m (m > 0),  S_{n,m}(u) = R_{n,m}(u) / |u|^(2n+1).
// So |R_{n,m}| <= r^n at any degree, and 1/|x-y| = sum R_{n,m}(y) S_{n,m}(x) for |y| < |x|, without further factors.
// Coefficient (n, m) stands where SolidShape says.
#pragma once
#include <cmath>
#include <complex>
#include <cstddef>
#include <vector>

#include "core/hd.hpp"
#include "expansions/solid_shape.hpp"

namespace farfield::laplace {

FARFIELD_HD int index(int n, int m) { return SolidShape::index(n, m); }
FARFIELD_HD int count(int degree) { return SolidShape::count(degree); }

/// Factors of `columns` in the order in which it reads them: for m = 0 ... degree the diagonal factor that leads from
/// m - 1 to m, then (a, b) for n = m+1 ... degree. count(degree) numbers in all.
template <class Real>
std::vector<Real> recurrence_table(int degree) {
  std::vector<Real> table;
  table.reserve(static_cast<std::size_t>(count(degree)));
  for (int m = 0; m <= degree; ++m) {
    // R_{m,m} = N_mm (2m-1)!!/(2m)! Re (x+iy)^m; the factor sqrt(2 - delta_m0) enters on the step from 0 to 1.
    table.push_back(m < 2 ? Real(1) : std::sqrt((2 * Real(m) - 1) / (2 * Real(m))));
    for (int n = m + 1; n <= degree; ++n) {
      const Real square = Real(n) * Real(n) - Real(m) * Real(m);
      table.push_back((2 * Real(n) - 1) / std::sqrt(square));
      table.push_back(std::sqrt(((Real(n) - 1) * (Real(n) - 1) - Real(m) * Real(m)) / square));
    }
  }
  return table;
}

/// Visits all R_{n,+-m}(x, y, z) as Q_n(z, r^2) times (C_m, S_m) = c_m (Re, Im) (x + iy)^m, column by column.
/// Eq. 15 in this normalisation; only the last two Q are kept, so a GPU thread needs no array. V: float, double or
/// a SIMD vector of Real that can be multiplied by a Real.
template <class V, class Real, class Visitor>
FARFIELD_HD void columns(int degree, const Real* table, V x, V y, V z, Visitor&& visit) {
  const V one = V{} + Real(1), r2 = x * x + y * y + z * z;
  V cosine = one, sine = V{};
  for (int m = 0; m <= degree; ++m) {
    const Real diagonal = *table++;
    if (m > 0) {
      const V previous = cosine;
      cosine = (x * cosine - y * sine) * diagonal;
      sine = (x * sine + y * previous) * diagonal;
    }
    visit.begin(m, cosine, sine);
    V q = one, before = V{};
    visit.term(m, q);
    for (int n = m + 1; n <= degree; ++n, table += 2) {
      const V next = (z * table[0]) * q - (r2 * table[1]) * before;
      before = q;
      q = next;
      visit.term(n, q);
    }
    visit.end(m);
  }
}

using Complex = std::complex<long double>;

/// sqrt(2 - delta_m0), which relates the real functions to the complex ones below.
inline long double real_factor(int m) { return m == 0 ? 1.0L : std::sqrt(2.0L); }

/// Visitor of `columns` that stores every function. Compiled for the device, too, only so that nvcc sees no call of a
/// host function in `columns`.
template <class Real>
struct StoreFunctions {
  Real* value;
  Real cosine = 0, sine = 0;
  int order = 0;

  FARFIELD_HD void begin(int m, Real c, Real s) {
    order = m;
    cosine = c;
    sine = s;
  }
  FARFIELD_HD void term(int n, Real q) {
    value[index(n, -order)] = q * sine;  // m = 0: overwritten by the next line
    value[index(n, order)] = q * cosine;
  }
  FARFIELD_HD void end(int) {}
};

/// h_n^m = sqrt((n-m)!(n+m)!) rho_n^m for m = -n ... n: R_{n,m} + i R_{n,-m} = sqrt(2 - delta_m0) h_n^m and
/// h_n^{-m} = (-1)^m conj h_n^m. The generators work with these functions, in which no factorial ever appears.
/// `table`: recurrence_table<long double>(degree), which many points share.
inline std::vector<Complex> regular_harmonics(int degree, const std::vector<long double>& table, const double u[3]) {
  std::vector<long double> value(static_cast<std::size_t>(count(degree)));
  columns(degree, table.data(), static_cast<long double>(u[0]), static_cast<long double>(u[1]),
          static_cast<long double>(u[2]), StoreFunctions<long double>{value.data()});
  std::vector<Complex> h(value.size());
  const long double factor = real_factor(1);
  for (int n = 0; n <= degree; ++n) {
    h[index(n, 0)] = value[index(n, 0)];
    for (int m = 1; m <= n; ++m) {
      h[index(n, m)] = Complex(value[index(n, m)], value[index(n, -m)]) / factor;
      h[index(n, -m)] = std::conj(h[index(n, m)]) * ((m & 1) ? -1.0L : 1.0L);
    }
  }
  return h;
}

/// g_n^m = h_n^m / r^(2n+1)
inline std::vector<Complex> singular_harmonics(int degree, const std::vector<long double>& table, const double u[3]) {
  std::vector<Complex> g = regular_harmonics(degree, table, u);
  const long double r =
      std::hypot(static_cast<long double>(u[0]), static_cast<long double>(u[1]), static_cast<long double>(u[2]));
  for (int n = 0; n <= degree; ++n) {
    const long double power = std::pow(r, 2 * n + 1);
    for (int m = -n; m <= n; ++m) g[index(n, m)] /= power;
  }
  return g;
}

/// sqrt of the binomial coefficient (a + b over a), a, b <= largest: all the factorials of the translations, in a
/// form that stays below 2^(2 largest).
class BinomialRoots {
 public:
  explicit BinomialRoots(int largest) : side_(largest + 1), root_(static_cast<std::size_t>(side_) * side_, 1) {
    for (int a = 1; a <= largest; ++a)
      for (int b = 1; b <= largest; ++b) at(a, b) = at(a - 1, b) + at(a, b - 1);
    for (long double& value : root_) value = std::sqrt(value);
  }
  long double operator()(int a, int b) const { return root_[static_cast<std::size_t>(a) * side_ + b]; }

 private:
  long double& at(int a, int b) { return root_[static_cast<std::size_t>(a) * side_ + b]; }
  int side_;
  std::vector<long double> root_;
};

}  // namespace farfield::laplace

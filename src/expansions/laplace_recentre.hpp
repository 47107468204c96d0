// A multipole about another centre, for any offset: what tables hold for the eight octants alone.
//
// With rho_n^m of laplace_harmonics.hpp, rho_n^{-m} = (-1)^m conj rho_n^m, the addition theorem is a plain convolution,
//   rho_n^m(u - t) = sum over k <= n, l of rho_k^l(u) rho_{n-k}^{m-l}(-t),
// and so the sums of q rho go over into each other exactly, degree by degree. For low degrees: (d+1)^4 / 2 steps.
#pragma once
#include <cmath>

#include "core/hd.hpp"
#include "expansions/laplace_basis.hpp"

namespace farfield::laplace {

inline constexpr int highest_recentred = 7;

/// Complex numbers rho_n^m, m >= 0, of degrees up to highest_recentred, at SolidShape::index(n, m) and (n, -m).
template <class Real>
struct RhoNumbers {
  Real part[SolidShape::count(highest_recentred)];
  FARFIELD_HD Real re(int n, int m) const {
    return m >= 0 ? part[SolidShape::index(n, m)] : (m & 1 ? -1 : 1) * part[SolidShape::index(n, -m)];
  }
  FARFIELD_HD Real im(int n, int m) const {
    return m == 0 ? 0 : m > 0 ? part[SolidShape::index(n, -m)] : (m & 1 ? 1 : -1) * part[SolidShape::index(n, m)];
  }
};

template <class Real>
FARFIELD_HD RhoNumbers<Real> rho_at(int degree, Real x, Real y, Real z) {
  RhoNumbers<Real> rho{};
  const Real r2 = x * x + y * y + z * z;
  Real cosine = 1, sine = 0;
  for (int m = 0; m <= degree; ++m) {
    if (m > 0) {
      const Real c = (x * cosine - y * sine) / (2 * m);
      sine = (x * sine + y * cosine) / (2 * m);
      cosine = c;
    }
    Real q = 1, before = 0;
    for (int n = m; n <= degree; ++n) {
      if (n > m) {
        const Real now = (z * (2 * n - 1) * q - r2 * before) / ((n + m) * (n - m));
        before = q;
        q = now;
      }
      rho.part[SolidShape::index(n, m)] = q * cosine;
      if (m > 0) rho.part[SolidShape::index(n, -m)] = q * sine;
    }
  }
  return rho;
}

/// R_{n,m} over Re or Im rho_n^m.
template <class Real>
FARFIELD_HD Real factor_of_rho(int n, int m) {
  Real product = m == 0 ? 1 : 2;
  for (int i = 2; i <= n + m; ++i) product *= i <= n - m ? Real(i) * i : i;
  return sqrt(product);
}

/// `multipole` about its old centre becomes that about the centre at t, in edges from the old one.
template <class Real>
FARFIELD_HD void recentre(int degree, Real* multipole, const Real (&t)[3]) {
  RhoNumbers<Real> old{};
  for (int n = 0; n <= degree; ++n)
    for (int m = 0; m <= n; ++m) {
      const Real factor = 1 / factor_of_rho<Real>(n, m);
      old.part[SolidShape::index(n, m)] = multipole[SolidShape::index(n, m)] * factor;
      if (m > 0) old.part[SolidShape::index(n, -m)] = multipole[SolidShape::index(n, -m)] * factor;
    }
  const RhoNumbers<Real> shift = rho_at<Real>(degree, -t[0], -t[1], -t[2]);
  for (int n = 0; n <= degree; ++n)
    for (int m = 0; m <= n; ++m) {
      Real re = 0, im = 0;
      for (int k = 0; k <= n; ++k)
        for (int l = -k; l <= k; ++l) {
          if (m - l > n - k || l - m > n - k) continue;
          re += old.re(k, l) * shift.re(n - k, m - l) - old.im(k, l) * shift.im(n - k, m - l);
          im += old.re(k, l) * shift.im(n - k, m - l) + old.im(k, l) * shift.re(n - k, m - l);
        }
      const Real factor = factor_of_rho<Real>(n, m);
      multipole[SolidShape::index(n, m)] = re * factor;
      if (m > 0) multipole[SolidShape::index(n, -m)] = im * factor;
    }
}

}  // namespace farfield::laplace

namespace farfield {

/// Can multipoles of this basis be moved by laplace::recentre?
template <class Basis>
inline constexpr bool recentres = false;
template <>
inline constexpr bool recentres<LaplaceBasis> = true;

}  // namespace farfield

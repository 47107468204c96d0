// Moments in the notation of Kohnke et al. 2021 (doi 10.1177/1094342020964857), the equations by its numbers, on the
// host in double. A moment is a triangle of complex numbers, (l, m) with 0 <= m <= l <= degree at l (l + 1) / 2 + m;
// those with m < 0 follow from x_{l,-m} = (-1)^m conj(x_{l,m}) (section 3.2).
//
// Eq. 15 is meant with these signs, which the paper leaves to its implementation (listing 7, line 31):
//   mu_lm = sum_jk (-1)^j omega_jk M_{l+j,m+k},  omega_jk = sum q conj(R_jk(y)),  u(x) = sum_lm mu_lm conj(R_lm(x)),
// with R of eq. 7 about the box's centre and M = S of eq. 8 at the source's centre minus the target's.
#pragma once
#include <cmath>
#include <complex>
#include <cstddef>
#include <vector>

#include "core/hd.hpp"

namespace farfield::lab {

using Moments = std::vector<std::complex<double>>;

FARFIELD_HD int triangle(int degree) { return (degree + 1) * (degree + 2) / 2; }
FARFIELD_HD int triangle_index(int l, int m) { return l * (l + 1) / 2 + m; }

/// Element (l, m), |m| <= l, of a triangle.
inline std::complex<double> element(const Moments& x, int l, int m) {
  if (m >= 0) return x[static_cast<std::size_t>(triangle_index(l, m))];
  const std::complex<double> mirror = std::conj(x[static_cast<std::size_t>(triangle_index(l, -m))]);
  return m % 2 ? -mirror : mirror;
}

/// R_lm of eq. 7: r^l / (l+m)! P_lm e^{i m phi}, by recurrence in l.
inline Moments regular(int degree, double x, double y, double z) {
  Moments r(static_cast<std::size_t>(triangle(degree)));
  const double square = x * x + y * y + z * z;
  const auto at = [&](int l, int m) -> std::complex<double>& {
    return r[static_cast<std::size_t>(triangle_index(l, m))];
  };
  for (int m = 0; m <= degree; ++m) {
    at(m, m) = m ? at(m - 1, m - 1) * std::complex<double>(-x, -y) / (2.0 * m) : 1;
    for (int l = m; l < degree; ++l) {
      const std::complex<double> before = l > m ? at(l - 1, m) : 0;
      at(l + 1, m) = ((2 * l + 1) * z * at(l, m) - square * before) / double((l + 1) * (l + 1) - m * m);
    }
  }
  return r;
}

/// S_lm of eq. 8: (l-m)! / r^{l+1} P_lm e^{i m phi}.
inline Moments irregular(int degree, double x, double y, double z) {
  Moments s(static_cast<std::size_t>(triangle(degree)));
  const double inverse = 1 / (x * x + y * y + z * z);
  const auto at = [&](int l, int m) -> std::complex<double>& {
    return s[static_cast<std::size_t>(triangle_index(l, m))];
  };
  for (int m = 0; m <= degree; ++m) {
    at(m, m) = m ? at(m - 1, m - 1) * std::complex<double>(-x, -y) * ((2 * m - 1) * inverse) : std::sqrt(inverse);
    for (int l = m; l < degree; ++l) {
      const std::complex<double> before = l > m ? at(l - 1, m) : 0;
      at(l + 1, m) = ((2 * l + 1) * z * at(l, m) - double(l * l - m * m) * before) * inverse;
    }
  }
  return s;
}

/// Eq. 15, one transformation: adds to `local`, and the terms' absolute values to `size` where it is given.
inline void transform(int degree, const Moments& multipole, const Moments& op, Moments& local,
                      std::vector<double>* size = nullptr) {
  for (int l = 0; l <= degree; ++l)
    for (int m = 0; m <= l; ++m)
      for (int j = 0; j <= degree; ++j)
        for (int k = -j; k <= j; ++k) {
          const std::complex<double> term = element(multipole, j, k) * element(op, l + j, m + k);
          const auto i = static_cast<std::size_t>(triangle_index(l, m));
          local[i] += j % 2 ? -term : term;
          if (size) (*size)[i] += std::abs(term);
        }
}

}  // namespace farfield::lab

// m2m and dense m2l of the Laplace expansions, and their symmetries (Gumerov & Duraiswami 2008, eqs. 16-17).
//
// In h_n^m and g_n^m (laplace_harmonics.hpp), with B(a, b) = sqrt of (a+b over a) and h_k^l = 0 for |l| > k:
//   h_n^m(u + v) = sum_{k,l} B(k-l, n-m-k+l) B(k+l, n+m-k-l) h_k^l(u) h_{n-k}^{m-l}(v)
//   g_n^m(t + v) = sum_{k,l} (-1)^k B(n-m, k-l) B(n+m, k+l) conj(h_k^l(v)) g_{n+k}^{m+l}(t),  |v| < |t|
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "expansions/laplace_harmonics.hpp"
#include "expansions/tables.hpp"

namespace farfield::laplace {

/// The four real elements between the functions (n, +-m) and (k, +-l) from the complex factors p of (k, l) and q of
/// (k, -l): element (row, column) in `plus` (column l) and `minus` (column -l), which is null for l = 0.
template <class Real>
inline void set_elements(Real* plus, Real* minus, int n, int m, long double scale, const Complex& p, const Complex& q) {
  const auto rounded = [](long double value) { return static_cast<Real>(static_cast<double>(value)); };
  plus[index(n, m)] = rounded(scale * (p + q).real());
  if (m > 0) plus[index(n, -m)] = rounded(scale * (p + q).imag());
  if (!minus) return;
  minus[index(n, m)] = rounded(-scale * (p - q).imag());
  if (m > 0) minus[index(n, -m)] = rounded(scale * (p - q).real());
}

/// From the multipole M of the child in octant 7, in child units, to that of the parent, in parent units: M_parent =
/// A M_child with R(u/2 + centre) = A R(u), exact at every degree. Other octants: flip signs of coefficients
/// (reflections) before and after.
/// The same A serves l2l: the parent's (1/a) L^T R(u/2 + centre) = (1/a) L^T A R(u) must equal (1/(a/2)) L'^T R(u),
/// hence L' = 1/2 A^T L.
class M2m {
 public:
  explicit M2m(int degree)
      : degree_(degree),
        roots_(2 * degree),
        shift_(regular_harmonics(degree, recurrence_table<long double>(degree), child_centre)) {}

  /// Fills the 2k+1 columns of the functions of degree k; `matrix`: the whole matrix, column-major.
  template <class Real>
  void fill_columns(int k, Real* matrix) const {
    const auto side = static_cast<std::size_t>(count(degree_));
    std::fill(matrix + index(k, -k) * side, matrix + (index(k, k) + 1) * side, Real(0));
    for (int l = 0; l <= k; ++l)
      fill_column(k, l, matrix + index(k, l) * side, l > 0 ? matrix + index(k, -l) * side : nullptr);
  }

 private:
  template <class Real>
  void fill_column(int k, int l, Real* plus, Real* minus) const {
    const long double sign = (l & 1) ? -1.0L : 1.0L;
    const long double scale[2] = {std::ldexp(1 / real_factor(l), -k),  // child units: h_k(u/2)
                                  std::ldexp(real_factor(1) / real_factor(l), -k)};
    for (int n = k; n <= degree_; ++n)
      for (int m = std::max(0, l - (n - k)); m <= std::min(n, l + (n - k)); ++m) {
        const Complex p = factor(n, m, k, l);
        const Complex q = l == 0 || m + l > n - k ? Complex(0) : factor(n, m, k, -l) * sign;
        set_elements(plus, minus, n, m, scale[m > 0], p, q);
      }
  }
  Complex factor(int n, int m, int k, int l) const {
    return roots_(k - l, n - m - k + l) * roots_(k + l, n + m - k - l) * shift_[index(n - k, m - l)];
  }

  static constexpr double child_centre[3] = {0.25, 0.25, 0.25};  // octant 7, in the parent's edges
  int degree_;
  BinomialRoots roots_;
  std::vector<Complex> shift_;
};

inline std::vector<double> m2m(int degree) {
  std::vector<double> matrix(static_cast<std::size_t>(count(degree)) * static_cast<std::size_t>(count(degree)));
  const M2m columns(degree);
  for (int k = 0; k <= degree; ++k) columns.fill_columns(k, matrix.data());
  return matrix;
}

/// From M in the source box's units to L in the target box's. In source edges t = target centre - source centre, and
/// target_edge is the target box's edge. With sum M_i S_i(t + v) = sum K_i R_i(v) and v = target_edge times the
/// target's u, L_n = target_edge^(n+1) K_n: n powers from R_n, one from the factor 1/a in front.
class DenseM2l {
 public:
  explicit DenseM2l(int degree)
      : degree_(degree), roots_(2 * degree), recurrence_(recurrence_table<long double>(2 * degree)) {}

  /// Column-major: element (out, in) at matrix[in * count + out].
  template <class Real>
  void fill(const double t[3], double target_edge, Real* matrix) const {
    const std::vector<Complex> g = singular_harmonics(2 * degree_, recurrence_, t);
    const std::vector<Scale> scale = scales(target_edge);
    const auto side = static_cast<std::size_t>(count(degree_));
    for (int n = 0; n <= degree_; ++n)
      for (int m = 0; m <= n; ++m)
        fill_column(n, m, g, scale, matrix + index(n, m) * side, m > 0 ? matrix + index(n, -m) * side : nullptr);
  }

 private:
  struct Scale {
    long double of[2][2];  ///< [m > 0][l > 0]
  };
  std::vector<Scale> scales(double target_edge) const {
    std::vector<Scale> scale;
    for (int k = 0; k <= degree_; ++k) {
      const long double power = std::pow(static_cast<long double>(target_edge), k + 1) * ((k & 1) ? -1 : 1);
      scale.emplace_back();
      for (int m = 0; m < 2; ++m)
        for (int l = 0; l < 2; ++l) scale.back().of[m][l] = power * real_factor(m) / real_factor(l);
    }
    return scale;
  }

  /// The columns of the functions (n, +-m): their elements for all (k, +-l).
  template <class Real>
  void fill_column(int n, int m, const std::vector<Complex>& g, const std::vector<Scale>& scale, Real* plus,
                   Real* minus) const {
    const auto rounded = [](long double value) { return static_cast<Real>(static_cast<double>(value)); };
    for (int k = 0; k <= degree_; ++k)
      for (int l = 0; l <= k; ++l) {
        const Complex p = roots_(n - m, k - l) * roots_(n + m, k + l) * g[index(n + k, m + l)];
        const Complex q =
            l == 0 ? Complex(0)
                   : ((l & 1) ? -1.0L : 1.0L) * roots_(n - m, k + l) * roots_(n + m, k - l) * g[index(n + k, m - l)];
        const long double s = scale[k].of[m > 0][l > 0];
        plus[index(k, l)] = rounded(s * (p + q).real());
        if (l > 0) plus[index(k, -l)] = rounded(s * (p - q).imag());
        if (!minus) continue;
        minus[index(k, l)] = rounded(s * (p + q).imag());
        if (l > 0) minus[index(k, -l)] = rounded(-s * (p - q).real());
      }
  }

  int degree_;
  BinomialRoots roots_;
  std::vector<long double> recurrence_;
};

inline std::vector<double> m2l(int degree, const double t[3], double target_edge) {
  std::vector<double> matrix(static_cast<std::size_t>(count(degree)) * static_cast<std::size_t>(count(degree)));
  DenseM2l(degree).fill(t, target_edge, matrix.data());
  return matrix;
}

/// Index and sign of the function that R_{n,m} becomes when x and y are exchanged: phi becomes pi/2 - phi, e^{i m phi}
/// becomes i^m e^{-i m phi}.
inline int swap_x_y(int n, int m, int& sign) {
  const int order = std::abs(m);
  sign = (order / 2) & 1 ? -1 : 1;
  if (order & 1) return index(n, -m);
  if (m < 0) sign = -sign;
  return index(n, m);
}

/// R_{n,m}(reflect u) / R_{n,m}(u); bits of `axes`: x (phi becomes pi - phi), y (phi becomes -phi) and
/// z (cos theta changes sign).
inline int reflection_sign(int n, int m, int axes) {
  const bool sine = m < 0;
  int flips = 0;
  if (axes & 1) flips += m + (sine ? 1 : 0);
  if (axes & 2) flips += sine ? 1 : 0;
  if (axes & 4) flips += n + m;
  return flips & 1 ? -1 : 1;
}

/// g = reflect (bits 0, 1, 2 of id: x, y, z) after swap of x and y (bit 3).
inline Symmetry symmetry(int degree, int id) {
  Symmetry g;
  for (int n = 0; n <= degree; ++n)
    for (int m = -n; m <= n; ++m) {
      int sign = 1;
      g.index.push_back(id & 8 ? swap_x_y(n, m, sign) : index(n, m));
      g.sign.push_back(static_cast<std::int8_t>(sign * reflection_sign(n, m, id & 7)));
    }
  return g;
}

}  // namespace farfield::laplace

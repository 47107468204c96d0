// m2m and dense m2l of the Laplace expansions, and their symmetries (Gumerov & Duraiswami 2008, eqs. 16-17).
//
// In h_n^m and g_n^m (laplace_harmonics.hpp), with B(a, b) = sqrt of (a+b over a) and h_k^l = 0 for |l| > k:
//   h_n^m(u + v) = sum_{k,l} B(k-l, n-m-k+l) B(k+l, n+m-k-l) h_k^l(u) h_{n-k}^{m-l}(v)
//   g_n^m(t + v) = sum_{k,l} (-1)^k B(n-m, k-l) B(n+m, k+l) conj(h_k^l(v)) g_{n+k}^{m+l}(t),  |v| < |t|
#pragma once
#include <cstdint>
#include <vector>

#include "expansions/laplace_harmonics.hpp"
#include "expansions/tables.hpp"

namespace farfield::laplace {

/// Column-major square matrix of coefficients: element (out, in) at [in * count + out].
struct CoefficientMatrix {
  explicit CoefficientMatrix(int degree)
      : side(count(degree)), value(static_cast<std::size_t>(side) * static_cast<std::size_t>(side), 0) {}
  void set(int out, int in, long double v) {
    value[static_cast<std::size_t>(in) * static_cast<std::size_t>(side) + static_cast<std::size_t>(out)] =
        static_cast<double>(v);
  }
  int side;
  std::vector<double> value;
};

/// The four real elements between the functions (n, +-m) and (k, +-l), given the factors of h_k^l and h_k^{-l}.
class M2mElements {
 public:
  explicit M2mElements(int degree) : roots_(2 * degree), shift_(regular_harmonics(degree, child_centre)) {}

  void set(CoefficientMatrix& matrix, int n, int m, int k, int l) const {
    const Complex p = factor(n, m, k, l), q = l == 0 ? Complex(0) : factor(n, m, k, -l) * ((l & 1) ? -1.0L : 1.0L);
    const long double scale = std::ldexp(real_factor(m) / real_factor(l), -k);  // child units: h_k(u/2)
    matrix.set(index(n, m), index(k, l), scale * (p + q).real());
    if (l > 0) matrix.set(index(n, m), index(k, -l), -scale * (p - q).imag());
    if (m > 0) matrix.set(index(n, -m), index(k, l), scale * (p + q).imag());
    if (m > 0 && l > 0) matrix.set(index(n, -m), index(k, -l), scale * (p - q).real());
  }

 private:
  Complex factor(int n, int m, int k, int l) const {
    if (std::abs(m - l) > n - k) return 0;
    return roots_(k - l, n - m - k + l) * roots_(k + l, n + m - k - l) * shift_[index(n - k, m - l)];
  }
  static constexpr double child_centre[3] = {0.25, 0.25, 0.25};  // octant 7, in the parent's edges
  BinomialRoots roots_;
  std::vector<Complex> shift_;
};

/// M of the child in octant 7, child units, to M of the parent, parent units: M_parent = A M_child with
/// R(u/2 + centre) = A R(u), exact at every degree. Other octants: flip signs of coefficients (reflections) before
/// and after.
/// The same A serves l2l: the parent's (1/a) L^T R(u/2 + centre) = (1/a) L^T A R(u) must equal (1/(a/2)) L'^T R(u),
/// hence L' = 1/2 A^T L.
inline std::vector<double> m2m(int degree) {
  const M2mElements elements(degree);
  CoefficientMatrix matrix(degree);
  for (int n = 0; n <= degree; ++n)
    for (int m = 0; m <= n; ++m)
      for (int k = 0; k <= n; ++k)
        for (int l = 0; l <= k; ++l) elements.set(matrix, n, m, k, l);
  return matrix.value;
}

/// M in the source's units to L in the target's, t = (target centre - source centre) in source edges, target's edge =
/// target_edge source edges. With sum M_i S_i(t + v) = sum K_i R_i(v) and v = target_edge times the target's u,
/// L_n = target_edge^(n+1) K_n: n powers from R_n, one from the factor 1/a in front.
class M2lElements {
 public:
  M2lElements(int degree, const double t[3], double target_edge)
      : roots_(2 * degree), g_(singular_harmonics(2 * degree, t)) {
    for (int k = 0; k <= degree; ++k)
      scale_.push_back(std::pow(static_cast<long double>(target_edge), k + 1) * ((k & 1) ? -1 : 1));
  }

  void set(CoefficientMatrix& matrix, int n, int m, int k, int l) const {
    const Complex p = roots_(n - m, k - l) * roots_(n + m, k + l) * g_[index(n + k, m + l)];
    const Complex q =
        l == 0 ? Complex(0)
               : ((l & 1) ? -1.0L : 1.0L) * roots_(n - m, k + l) * roots_(n + m, k - l) * g_[index(n + k, m - l)];
    const long double scale = scale_[k] * real_factor(m) / real_factor(l);
    matrix.set(index(k, l), index(n, m), scale * (p + q).real());
    if (l > 0) matrix.set(index(k, -l), index(n, m), scale * (p - q).imag());
    if (m > 0) matrix.set(index(k, l), index(n, -m), scale * (p + q).imag());
    if (m > 0 && l > 0) matrix.set(index(k, -l), index(n, -m), -scale * (p - q).real());
  }

 private:
  BinomialRoots roots_;
  std::vector<Complex> g_;
  std::vector<long double> scale_;
};

inline std::vector<double> m2l(int degree, const double t[3], double target_edge) {
  const M2lElements elements(degree, t, target_edge);
  CoefficientMatrix matrix(degree);
  for (int n = 0; n <= degree; ++n)
    for (int m = 0; m <= n; ++m)
      for (int k = 0; k <= degree; ++k)
        for (int l = 0; l <= k; ++l) elements.set(matrix, n, m, k, l);
  return matrix.value;
}

/// R_{n,m}(swap u) with x and y exchanged: phi becomes pi/2 - phi, e^{i m phi} becomes i^m e^{-i m phi}.
inline int swap_x_y(int n, int m, int& sign) {
  const int order = std::abs(m);
  sign = (order / 2) & 1 ? -1 : 1;
  if (order & 1) return index(n, -m);
  if (m < 0) sign = -sign;
  return index(n, m);
}

/// R_{n,m}(reflect u) / R_{n,m}(u); bits of `axes`: x, y, z. phi becomes pi - phi, -phi; cos theta changes sign.
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

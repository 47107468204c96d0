// m2m and m2l of the planar expansions, their symmetries and derivatives (planar/harmonics.hpp; Greengard & Rokhlin
// 1987, lemmas 2.3 to 2.5, in real functions).
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "expansions/planar/harmonics.hpp"
#include "expansions/tables.hpp"

namespace farfield::planar {

/// Elements of a column-major matrix between the functions (n, Re), (n, Im).
template <class Real>
class Elements {
 public:
  Elements(Real* matrix, int degree) : matrix_(matrix), count_(PlanarShape::count(degree)) {}
  void set(int row, int column, long double value) {
    matrix_[std::int64_t(column) * count_ + row] = static_cast<Real>(static_cast<double>(value));
  }
  /// The output function n becomes `factor` times the input function k, as complex numbers, or the conjugate of that.
  void set_product(int n, int k, Complex factor, bool conjugate = false) {
    const long double sign = conjugate ? -1 : 1;
    set_row(PlanarShape::index(n, n), k, factor.real(), -factor.imag());
    if (n > 0) set_row(PlanarShape::index(n, -n), k, sign * factor.imag(), sign * factor.real());
  }

 private:
  void set_row(int row, int k, long double real, long double imaginary) {
    set(row, PlanarShape::index(k, k), real);
    if (k > 0) set(row, PlanarShape::index(k, -k), imaginary);
  }
  Real* matrix_;
  int count_;
};

/// From the multipole of the child in octant 7 (or 3), in child units, to that of the parent: with w = c + v/2,
/// w^n = sum_k (n over k) c^(n-k) 2^-k v^k. Its transpose is l2l: both re-expand R about another centre.
class M2m {
 public:
  explicit M2m(int degree) : degree_(degree), binomial_(degree) {}

  /// Fills the columns of the functions of degree k; `matrix`: the whole matrix, column-major.
  template <class Real>
  void fill_columns(int k, Real* matrix) const {
    const int count = PlanarShape::count(degree_);
    std::fill_n(matrix + std::int64_t(2 * k) * count, 2 * count, Real(0));
    Elements<Real> elements(matrix, degree_);
    for (int n = k; n <= degree_; ++n)
      elements.set_product(n, k, std::ldexp(binomial_(n, k) * root(k) / root(n), -k) * power(n - k));
    if (k > 0) return;
    elements.set(PlanarShape::unit, PlanarShape::unit, 1);
    elements.set(PlanarShape::unit, 0, -std::log(2.0L));
  }

 private:
  static Complex power(int n) {
    Complex c = 1;
    for (; n > 0; --n) c *= Complex(0.25L, 0.25L);
    return c;
  }
  int degree_;
  Binomials binomial_;
};

/// The real matrix in m2l, the same for all offsets: Pascal's triangle.
class Pascal {
 public:
  explicit Pascal(int degree) : binomial_(2 * degree) {}
  /// (n+k-1 over n) sqrt(n/k) = (n+k-1)! sqrt(n k) / (n! k!); 1/sqrt(k) where n is 0, 1/sqrt(n) where k is 0.
  long double operator()(int n, int k) const {
    if (k == 0) return 1 / root(n);
    return binomial_(n + k - 1, n) * root(n) / root(k);
  }

 private:
  Binomials binomial_;
};

/// From M in the source box's units to L in the target box's. In source edges t = target centre - source centre, and
/// target_edge is the target box's edge e: w^-k about t + e u, k >= 1, is t^-k sum_n (n+k-1 over n) (-e u/t)^n. So m2l
/// has three factors, L = conj(D P C M), with the real matrix P of Pascal and complex C_k = t^-k, D_n = (-e/t)^n;
/// the logarithm's part of L_0 comes beside.
class FactoredM2l {
 public:
  explicit FactoredM2l(int degree) : degree_(degree), pascal_(degree) {}

  /// P, column-major; element (0, 0) is 0.
  std::vector<double> shared() const {
    std::vector<double> matrix;
    for (int k = 0; k <= degree_; ++k)
      for (int n = 0; n <= degree_; ++n) matrix.push_back(n + k > 0 ? static_cast<double>(pascal_(n, k)) : 0);
    return matrix;
  }
  /// Re C, Im C, Re D, Im D, degree + 1 numbers each, and -log |t|.
  std::vector<double> factors(const double t[3], double target_edge) const {
    const auto size = static_cast<std::size_t>(degree_) + 1;
    std::vector<double> all(4 * size + 1);
    const Complex inverse = 1.0L / Complex(t[0], t[1]), step = -static_cast<long double>(target_edge) * inverse;
    Complex column = 1, row = 1;
    for (std::size_t n = 0; n < size; ++n, column *= inverse, row *= step) {
      all[n] = static_cast<double>(column.real()), all[size + n] = static_cast<double>(column.imag());
      all[2 * size + n] = static_cast<double>(row.real()), all[3 * size + n] = static_cast<double>(row.imag());
    }
    all[4 * size] = static_cast<double>(std::log(std::abs(inverse)));
    return all;
  }

 private:
  int degree_;
  Pascal pascal_;
};

/// The same as one matrix, the product of the factors.
class DenseM2l {
 public:
  explicit DenseM2l(int degree) : degree_(degree), factored_(degree), pascal_(factored_.shared()) {}

  /// Column-major: element (out, in) at matrix[in * count + out].
  template <class Real>
  void fill(const double t[3], double target_edge, Real* matrix) const {
    const int count = PlanarShape::count(degree_);
    std::fill_n(matrix, std::int64_t(count) * count, Real(0));
    Elements<Real> elements(matrix, degree_);
    const std::vector<double> all = factored_.factors(t, target_edge);
    const auto size = static_cast<std::size_t>(degree_) + 1;
    const auto factor = [&](std::size_t part, std::size_t i) {
      return Complex(all[part * size + i], all[(part + 1) * size + i]);
    };
    for (std::size_t k = 0; k < size; ++k)
      for (std::size_t n = 0; n < size; ++n) {
        const long double p = pascal_[k * size + n];
        if (n + k > 0) elements.set_product(int(n), int(k), p * factor(2, n) * factor(0, k), true);
      }
    elements.set(0, 0, all[4 * size]);
    elements.set(0, PlanarShape::unit, 1);
  }

 private:
  int degree_;
  FactoredM2l factored_;
  std::vector<double> pascal_;
};

/// g = reflect (bits 0, 1, 2 of id: x, y, z) after swap of x and y (bit 3): z^n becomes i^n conj(z)^n, then
/// (-1)^n conj(z)^n for x and conj(z)^n for y.
inline Symmetry symmetry(int degree, int id) {
  Symmetry g;
  for (int n = 0; n <= degree; ++n)
    for (const bool imaginary : {false, true}) {
      const bool swapped = id & 8, crossed = swapped && n % 2;
      int flips = 0;
      if (swapped && !crossed) flips += n / 2 + imaginary;
      if (crossed) flips += n / 2;
      if (id & 1) flips += n + imaginary;
      if (id & 2) flips += imaginary;
      g.index.push_back(2 * n + (imaginary != crossed));
      g.sign.push_back(n > 0 && flips % 2 ? -1 : 1);
    }
  return g;
}

// Along x and y, d/dx f(z) = f'(z) and d/dy f(z) = i f'(z); along z all are 0.

/// Derivatives of sum L_i R_i(u): d/dx R_n = sqrt(n (n-1)) R_{n-1} for n >= 2, 1 for n = 1.
inline std::array<SparseMap, 3> local_gradient(int degree) {
  const int count = PlanarShape::count(degree);
  Entries x, y;
  for (int n = 1; n <= degree; ++n) {
    const long double factor = root(n) * root(n - 1);
    const int re = PlanarShape::index(n, n), im = re + 1, below = re - 2;
    x.push_back({below, re, factor});
    y.push_back({below, im, factor});  // d/dy Im z^n = n Re z^(n-1), d/dy Re z^n = -n Im z^(n-1)
    if (n == 1) continue;
    x.push_back({below + 1, im, factor});
    y.push_back({below + 1, re, -factor});
  }
  return {compress(count, count, x), compress(count, count, y), compress(count, count, {})};
}

/// Derivatives of sum M_i S_i(u), exact with one degree more. S_n is the conjugate of z^-n / sqrt(n), so d/dx S_n =
/// -sqrt(n (n+1)) S_{n+1}, and d/dx S_0 = -S_1.
inline std::array<SparseMap, 3> multipole_gradient(int degree) {
  const int rows = PlanarShape::count(degree + 1), columns = PlanarShape::count(degree);
  Entries x, y;
  for (int n = 0; n <= degree; ++n) {
    const long double factor = root(n) * root(n + 1);
    const int re = PlanarShape::index(n, n), im = re + 1, above = re + 2;
    x.push_back({above, re, -factor});
    y.push_back({above + 1, re, -factor});  // d/dy z^-n = -i n z^(-n-1); conjugates: Re S gives Im S, Im S gives -Re S
    if (n == 0) continue;
    x.push_back({above + 1, im, -factor});
    y.push_back({above, im, factor});
  }
  return {compress(rows, columns, x), compress(rows, columns, y), compress(rows, columns, {})};
}

}  // namespace farfield::planar

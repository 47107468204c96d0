// m2l in three factors as an Operator on panels: L = conj(D P C M), where C and D multiply coefficients, as complex
// numbers, by powers of the offset, and P is one real matrix, the same for all offsets (planar/translations.hpp). 2 d^2
// multiply-adds per translation against the 4 d^2 of a dense matrix.
#pragma once
#include "backends/cpu/far/panel.hpp"

namespace farfield::cpu::FARFIELD_ISA {

template <class Real>
class FactoredOperator {
 public:
  explicit FactoredOperator(const TablesView<Real>& tables) : size_(tables.degree + 1), shared_(tables.shared_factor) {
    turned_ = panel_.need(2 * tables.coefficients * panel_pitch<Real>);
    product_ = turned_ + tables.coefficients * panel_pitch<Real>;
    real_rows_ = rows_.need(2 * size_);
    imaginary_rows_ = real_rows_ + size_;
    for (int n = 0; n < size_; ++n) real_rows_[n] = 2 * n, imaginary_rows_[n] = 2 * n + 1;
  }

  const Real* operator()(int vectors, const Real* in) {
    turn(vectors, factors.column_re, factors.column_im, in, turned_);
    const MatrixView<Real> all{shared_, 1, size_, size_, size_};
    multiply(vectors, all, turned_, real_rows_, product_, real_rows_);
    // degree 0 has no imaginary part
    const MatrixView<Real> rest{shared_ + size_ + 1, 1, size_, size_ - 1, size_ - 1};
    multiply(vectors, rest, turned_, imaginary_rows_ + 1, product_, imaginary_rows_ + 1);
    turn(vectors, factors.row_re, factors.row_im, product_, turned_);
    for (int n = 1; n < size_; ++n) negate(vectors, turned_ + (2 * n + 1) * panel_pitch<Real>);
    add_logarithm(vectors, in);
    return turned_;
  }
  FactorsView<Real> factors{};

 private:
  void turn(int vectors, const Real* re, const Real* im, const Real* in, Real* out) const {
    for (int n = 0; n < size_; ++n) {
      const Real *a = in + 2 * n * panel_pitch<Real>, *b = a + panel_pitch<Real>;
      Real *c = out + 2 * n * panel_pitch<Real>, *d = c + panel_pitch<Real>;
      for (int v = 0; v < vectors * lanes<Real>; v += lanes<Real>) {
        const Vec<Real> x = load(a + v), y = n > 0 ? load(b + v) : Vec<Real>{};
        store(c + v, re[n] * x - im[n] * y);
        store(d + v, re[n] * y + im[n] * x);
      }
    }
  }
  static void negate(int vectors, Real* row) {
    for (int v = 0; v < vectors * lanes<Real>; v += lanes<Real>) store(row + v, Vec<Real>(-load(row + v)));
  }
  /// L_0 also has M_unit - log |t| M_0; the local's own coefficient of the unit of length is 0.
  void add_logarithm(int vectors, const Real* in) const {
    for (int v = 0; v < vectors * lanes<Real>; v += lanes<Real>) {
      const Vec<Real> charge = load(in + v), unit = load(in + panel_pitch<Real> + v);
      store(turned_ + v, load(turned_ + v) + (factors.minus_log * charge + unit));
      store(turned_ + panel_pitch<Real> + v, Vec<Real>{});
    }
  }

  int size_;
  const Real* shared_;
  Scratch<Real> panel_;
  Scratch<std::int32_t> rows_;
  Real *turned_, *product_;
  std::int32_t *real_rows_, *imaginary_rows_;
};

}  // namespace farfield::cpu::FARFIELD_ISA

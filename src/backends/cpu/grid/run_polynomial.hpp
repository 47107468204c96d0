// RunPolynomial: what a run's cell of the grid interpolates, on a line or in the plane, as one polynomial of the place
// within that cell. Its coefficients are made once for the run; each vector of points then takes a Horner's rule.
// Cost in the plane: w (w + p) vectors of coefficients for the run and p^2 for each vector of points, p = degree + 1.
#pragma once
#include "backends/cpu/grid/runs.hpp"
#include "model/grid/window.hpp"

namespace farfield::cpu::FARFIELD_ISA {

template <class Real, int axes>
class RunPolynomial {
  using V = Vec<Real>;

 public:
  explicit RunPolynomial(const GridView<Real>& grid) : grid_(grid), rows_{grid.width}, terms_(grid.degree + 1) {}

  /// Is it faster than the windows of `count` points? In vectors that are multiplied; for each result one polynomial.
  static bool worth(const GridView<Real>& grid, int results, int count) {
    const int w = grid.width, p = grid.degree + 1, vectors = (count + lanes<Real> - 1) / lanes<Real>;
    const int made = (axes > 1 ? w * (w + p) : w) * vectors_of(p), whole = axes > 1 ? p * p : p;
    return results * (made + vectors * whole) < count * (3 * p / 2 + 2 * w);
  }

  /// From the block and its margin; with the slope along one axis, or with none (-1).
  void make(const Real* local, const RunReader<Real, axes>& run, int i, int slope) {
    const Real* base = local + run_corner(rows_, run, i);
    if (vectors_of(terms_) == 1) return make_in<1>(base, slope);
    make_in<0>(base, slope);
  }

  /// That many vectors are taken at a time: each waits for its own last product.
  static constexpr int together = 4;

  /// For the points whose places along each axis begin at `u`.
  template <int count>
  FARFIELD_INLINE void evaluate(const Real* const (&u)[axes], Real* to) const {
    V x[count], y[count], total[count] = {};
    for (int i = 0; i < count; ++i) x[i] = load(u[0] + i * lanes<Real>), y[i] = load(u[axes - 1] + i * lanes<Real>);
    for (int b = axes > 1 ? terms_ - 1 : 0; b >= 0; --b) {
      const Real* along = all_ + b * terms_pitch;
      V line[count];
      for (int i = 0; i < count; ++i) line[i] = broadcast(along[terms_ - 1]);
      for (int a = terms_ - 2; a >= 0; --a)
        for (int i = 0; i < count; ++i) line[i] = line[i] * x[i] + along[a];
      for (int i = 0; i < count; ++i) total[i] = axes > 1 ? V(total[i] * y[i] + line[i]) : line[i];
    }
    for (int i = 0; i < count; ++i) store(to + i * lanes<Real>, total[i]);
  }

 private:
  static int vectors_of(int terms) { return (terms + lanes<Real> - 1) / lanes<Real>; }

  /// `known`: the vectors that coefficients along the first axis take, 0: as many as there are.
  template <int known>
  FARFIELD_INLINE void make_in(const Real* base, int slope) {
    const Real* x = slope == 0 ? grid_.slope_terms : grid_.value_terms;
    const Real* y = (slope == 1 ? grid_.slope : grid_.value) + window_padding;
    const int width = grid_.width, vectors = known > 0 ? known : vectors_of(terms_);
    for (int at = 0; at < vectors * lanes<Real>; at += lanes<Real>) {
      if constexpr (axes == 1) {
        store(all_ + at, product(base, x + at));
        continue;
      }
      for (int j = 0; j < width; ++j) store(row_ + j * terms_pitch + at, product(base + rows_.row(j, 0), x + at));
      for (int b = 0; b < terms_; ++b) store(all_ + b * terms_pitch + at, product(y + b * window_pitch, row_ + at));
    }
  }
  /// Sum over the window's points of a number times a vector.
  FARFIELD_INLINE V product(const Real* number, const Real* vector) const {
    V sum = number[0] * load(vector);
    for (int k = 1; k < grid_.width; ++k) sum += number[k] * load(vector + k * terms_pitch);
    return sum;
  }

  const GridView<Real>& grid_;
  const LocalRows<axes> rows_;
  const int terms_;
  alignas(64) Real row_[axes > 1 ? widest_window* terms_pitch : 1];
  alignas(64) Real all_[(axes > 1 ? terms_pitch : 1) * terms_pitch];
};

}  // namespace farfield::cpu::FARFIELD_ISA

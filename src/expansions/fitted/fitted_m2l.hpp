// Dense m2l fitted to boxes by least squares: the same (d+1)^2 coefficients, the same multiplications, a smaller error.
//
// DenseM2l cuts both series off. What they lack is known in part (projection.hpp): of all operators from multipoles to
// locals of degree d the one whose error, squared and averaged over both boxes, is least is
//   K_fitted = P K P^T,   K of a degree beyond d.
// For points at random in their boxes the errors of potentials fall by a factor of 1.3, 2, 2.9, 3.8, 7 at degrees 4, 8,
// 10, 12, 14, those of gradients by 1.1, 1.7, 2.2, 3, 4.7, those of facing corners by 1.6, 5, -, 140, 20
// (test_fitted prints them). Elements stay below 1/2. Where all points of a box lie at its centre the series errs less,
// and in lattices, whose points lie alike in all boxes, either may (Decision::fits). Not in the papers.
#pragma once
#include <vector>

#include "expansions/fitted/projection.hpp"
#include "expansions/laplace_translations.hpp"

namespace farfield::laplace {

class FittedM2l {
 public:
  /// Six bring all but 1 % of the gain at random points.
  static constexpr int more_degrees = 6;

  explicit FittedM2l(int degree)
      : projection_(cube_projection(degree, degree + more_degrees)), beyond_(degree + more_degrees) {}

  /// Column-major: element (out, in) at matrix[in * count + out].
  void fill(const double t[3], double target_edge, double* matrix) const {
    const auto rows = static_cast<std::size_t>(projection_.rows), all = static_cast<std::size_t>(projection_.columns);
    std::vector<double> full(all * all), half(rows * all);
    beyond_.fill(t, target_edge, full.data());
    for (std::size_t i = 0; i < rows; ++i)  // columns: P K^T, one behind the other
      for_row(i, [&](std::size_t in, double factor) {
        for (std::size_t out = 0; out < all; ++out) half[i * all + out] += factor * full[in * all + out];
      });
    for (std::size_t in = 0; in < rows; ++in)
      for (std::size_t i = 0; i < rows; ++i) {
        double sum = 0;
        for_row(i, [&](std::size_t out, double factor) { sum += factor * half[in * all + out]; });
        matrix[in * rows + i] = sum;
      }
  }

 private:
  template <class F>
  void for_row(std::size_t row, F&& f) const {
    for (auto k = static_cast<std::size_t>(projection_.begin[row]);
         k < static_cast<std::size_t>(projection_.begin[row + 1]); ++k)
      f(static_cast<std::size_t>(projection_.column[k]), projection_.value[k]);
  }

  SparseMap projection_;
  DenseM2l beyond_;
};

}  // namespace farfield::laplace

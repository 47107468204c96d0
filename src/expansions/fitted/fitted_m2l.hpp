// Dense m2l fitted to boxes by least squares: the same (d+1)^2 coefficients, the same multiplications, a smaller error.
//
// DenseM2l cuts both series off. What they lack is known in part (projection.hpp): of all operators from multipoles to
// locals of degree d the one whose error, squared and averaged over both boxes, is least is
//   K_fitted = P K P^T,   K of a degree beyond d.
// For points at random in their boxes the errors of potentials fall by a factor of 1.3, 2, 2.9, 3.8, 7 at degrees 4, 8,
// 10, 12, 14, those of gradients by 1.1, 1.7, 2.2, 3, 4.7, those of facing corners by 1.6, 5, -, 140, 20
// (test_fitted prints them). Elements stay below 1/2. Where all points of a box lie at its centre the series errs less,
// and in lattices, whose points lie alike in all boxes, either may (Decision::fits). Not in the papers.
//
// Of boxes farther apart multipoles count up to a lower degree (source_degrees.hpp), with a P^T of its own: columns of
// higher degrees are 0.
#pragma once
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "expansions/fitted/projection.hpp"
#include "expansions/fitted/source_degrees.hpp"
#include "expansions/laplace_translations.hpp"

namespace farfield::laplace {

class FittedM2l {
 public:
  /// Six bring all but 1 % of the gain at random points.
  static constexpr int more_degrees = 6;

  /// `fit`: which degrees of multipoles count, see source_degree.
  explicit FittedM2l(int degree, Fit fit = Fit::of_one_degree)
      : degree_(degree),
        fit_(fit),
        projections_(cube_projections(degrees_of(degree, fit), degree + more_degrees)),
        beyond_(degree + more_degrees) {}

  /// Column-major: element (out, in) at matrix[in * count + out].
  void fill(const double t[3], double target_edge, double* matrix) const {
    const SparseMap &onto = projections_.at(target_degree(degree_, fit_, t)),
                    &from = projections_.at(source_degree(degree_, fit_, t));
    const auto rows = static_cast<std::size_t>(projections_.at(degree_).rows),
               taken = static_cast<std::size_t>(onto.rows), counted = static_cast<std::size_t>(from.rows),
               all = static_cast<std::size_t>(onto.columns);
    std::vector<double> full(all * all), half(counted * all);
    beyond_.fill(t, target_edge, full.data());
    for (std::size_t i = 0; i < counted; ++i)  // columns: K P^T, one behind the other
      for_row(from, i, [&](std::size_t in, double factor) {
        for (std::size_t out = 0; out < all; ++out) half[i * all + out] += factor * full[in * all + out];
      });
    std::fill(matrix, matrix + rows * rows, 0.0);
    for (std::size_t in = 0; in < counted; ++in)
      for (std::size_t i = 0; i < taken; ++i)
        for_row(onto, i,
                [&](std::size_t out, double factor) { matrix[in * rows + i] += factor * half[in * all + out]; });
  }

 private:
  static std::set<int> degrees_of(int degree, Fit fit) {
    std::set<int> all{degree};
    for (int op = 0; op < far_operator_count; ++op) {
      const OperatorOffset offset(op);
      all.insert({source_degree(degree, fit, offset.t), target_degree(degree, fit, offset.t)});
    }
    return all;
  }
  template <class F>
  static void for_row(const SparseMap& map, std::size_t row, F&& f) {
    for (auto k = static_cast<std::size_t>(map.begin[row]); k < static_cast<std::size_t>(map.begin[row + 1]); ++k)
      f(static_cast<std::size_t>(map.column[k]), map.value[k]);
  }

  int degree_;
  Fit fit_;
  std::map<int, SparseMap> projections_;  ///< onto each degree that is wanted
  DenseM2l beyond_;
};

}  // namespace farfield::laplace

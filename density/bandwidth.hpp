// The matrix of a Gaussian kernel, H = L L^T with L lower triangular, and its way into the sums: in coordinates L^-1 x
// every kernel is the standard one.
#pragma once
#include <array>
#include <cmath>

namespace farfield::density {

struct Bandwidth {
  int dimension = 1;
  std::array<double, 9> factor{};  ///< L: row i, column j at 3 i + j

  static Bandwidth of(int dimension, double sigma) {
    Bandwidth b{dimension, {}};
    for (int axis = 0; axis < dimension; ++axis) b.set(axis, axis, sigma);
    return b;
  }
  double get(int row, int column) const { return factor[static_cast<std::size_t>(3 * row + column)]; }
  void set(int row, int column, double value) { factor[static_cast<std::size_t>(3 * row + column)] = value; }

  /// The standard deviation along an axis: the root of a diagonal element of H.
  double along(int axis) const { return std::hypot(get(axis, 0), get(axis, 1), get(axis, 2)); }
  /// The volume that the unit sphere's image has beside the unit sphere: sqrt(det H).
  double determinant() const {
    double product = 1;
    for (int axis = 0; axis < dimension; ++axis) product *= get(axis, axis);
    return product;
  }
  /// Whether axes are coupled.
  bool slanted() const { return get(1, 0) != 0 || get(2, 0) != 0 || get(2, 1) != 0; }

  /// L^-1 x, with zeros behind the last axis.
  std::array<double, 3> whitened(const double* x) const {
    std::array<double, 3> y{};
    for (int row = 0; row < dimension; ++row) {
      double rest = x[row];
      for (int column = 0; column < row; ++column) rest -= get(row, column) * y[static_cast<std::size_t>(column)];
      y[static_cast<std::size_t>(row)] = rest / get(row, row);
    }
    return y;
  }
};

}  // namespace farfield::density

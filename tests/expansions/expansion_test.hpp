// What the tests of the expansions share: all functions at a point, matrix products, seeded random input, and the
// one rounding bound they judge by.
#pragma once
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "expansions/laplace_basis.hpp"

namespace farfield::testing {

using Point = std::array<double, 3>;
using Vector = std::vector<double>;

inline constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// Bound on the rounding of a sum of `terms` products in double, relative to the sum of their magnitudes: one half
/// ulp for each product and each addition, doubled because the factors themselves carry an ulp or two.
constexpr double rounding(double terms) { return 2 * (terms + 2) * epsilon; }

struct Random {
  explicit Random(unsigned seed) : engine(seed) { ::testing::Test::RecordProperty("seed", static_cast<int>(seed)); }
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); }
  Point point(double half_edge) {
    return {uniform(-half_edge, half_edge), uniform(-half_edge, half_edge), uniform(-half_edge, half_edge)};
  }
  Vector vector(int size) {
    Vector v(static_cast<std::size_t>(size));
    for (double& x : v) x = uniform(-1, 1);
    return v;
  }
  std::mt19937_64 engine;
};

inline Vector regular(int degree, const Point& u) {
  const Vector table = LaplaceBasis::recurrence_table(degree);
  Vector value(static_cast<std::size_t>(LaplaceBasis::coefficient_count(degree)));
  LaplaceBasis::columns(degree, table.data(), u[0], u[1], u[2], laplace::StoreFunctions<double>{value.data()});
  return value;
}

inline double norm(const Point& u) { return std::hypot(u[0], u[1], u[2]); }

inline Vector singular(int degree, const Point& u) {
  Point v = u;
  double weight = 0;
  LaplaceBasis::invert(v[0], v[1], v[2], weight, 1 / norm(u));
  Vector value = regular(degree, v);
  for (double& s : value) s *= weight;
  return value;
}

inline double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

inline double magnitude(const Vector& v) { return std::sqrt(dot(v, v)); }

/// y = A x, A column-major as the bases give it.
inline Vector multiply(const Vector& a, const Vector& x) {
  const std::size_t rows = a.size() / x.size();
  Vector y(rows, 0);
  for (std::size_t in = 0; in < x.size(); ++in)
    for (std::size_t out = 0; out < rows; ++out) y[out] += a[in * rows + out] * x[in];
  return y;
}

/// y = A^T x for a square A.
inline Vector multiply_transposed(const Vector& a, const Vector& x) {
  Vector y(x.size(), 0);
  for (std::size_t in = 0; in < x.size(); ++in)
    for (std::size_t out = 0; out < x.size(); ++out) y[in] += a[in * x.size() + out] * x[out];
  return y;
}

inline Vector multiply(const SparseMap& a, const Vector& x) {
  Vector y(static_cast<std::size_t>(a.rows), 0);
  for (int row = 0; row < a.rows; ++row)
    for (int e = a.begin[row]; e < a.begin[row + 1]; ++e) y[row] += a.value[e] * x[a.column[e]];
  return y;
}

inline void turn_about_z(const RotationOperator& op, int degree, double direction, Vector& v) {
  for (int n = 0; n <= degree; ++n)
    for (int m = 1; m <= n; ++m) {
      const double c = v[n * n + n + m], s = v[n * n + n - m];
      v[n * n + n + m] = op.cosine[m] * c + direction * op.sine[m] * s;
      v[n * n + n - m] = op.cosine[m] * s - direction * op.sine[m] * c;
    }
}

/// Y, or Y^T where `transposed`.
inline Vector turn_about_y(const RotationOperator& op, int degree, bool transposed, const Vector& v) {
  Vector result(v.size(), 0);
  const double* block = op.blocks.data();
  for (int n = 0; n <= degree; ++n)
    for (int side : {+1, -1}) {
      const int first = side > 0 ? 0 : 1, size = n + 1 - first;
      for (int row = 0; row < size; ++row)
        for (int column = 0; column < size; ++column) {
          const int i = n * n + n + side * (row + first), j = n * n + n + side * (column + first);
          result[transposed ? j : i] += block[row * size + column] * v[transposed ? i : j];
        }
      block += size * size;
    }
  return result;
}

inline Vector shift_along_z(const RotationOperator& op, int degree, const Vector& v) {
  Vector result(v.size(), 0);
  const double* block = op.shift.data();
  for (int m = 0; m <= degree; ++m) {
    const int size = degree - m + 1;
    for (int n = m; n <= degree; ++n)
      for (int k = m; k <= degree; ++k) {
        const double c = block[(n - m) * size + k - m];
        result[n * n + n + m] += c * v[k * k + k + m];
        if (m > 0) result[n * n + n - m] += c * v[k * k + k - m];
      }
    block += size * size;
  }
  return result;
}

/// L = Z^T Y^T C Y Z M
inline Vector rotated_m2l(const RotationOperator& op, int degree, Vector m) {
  turn_about_z(op, degree, +1, m);
  Vector local = turn_about_y(op, degree, true, shift_along_z(op, degree, turn_about_y(op, degree, false, m)));
  turn_about_z(op, degree, -1, local);
  return local;
}

/// P_g v of a symmetry: R(g u) = P_g R(u).
inline Vector permuted(const Symmetry& g, const Vector& v) {
  Vector result(v.size());
  for (std::size_t i = 0; i < v.size(); ++i) result[i] = g.sign[i] * v[g.index[i]];
  return result;
}

inline Vector permuted_back(const Symmetry& g, const Vector& v) {
  Vector result(v.size());
  for (std::size_t i = 0; i < v.size(); ++i) result[g.index[i]] = g.sign[i] * v[i];
  return result;
}

/// g u = reflect(swap(u)), as offsets.hpp numbers them.
template <class T>
std::array<T, 3> moved(int symmetry, std::array<T, 3> u) {
  if (symmetry & 8) std::swap(u[0], u[1]);
  for (int axis = 0; axis < 3; ++axis)
    if (symmetry >> axis & 1) u[axis] = -u[axis];
  return u;
}

}  // namespace farfield::testing

// m2m and m2l of the screened expansions at one level: turns, which are those of 1/r since the radial parts do not
// turn, and translations along z (bessel/coaxial.hpp). Unlike those of 1/r, a translation of regular functions couples
// all degrees: what the child's expansion lacks beyond its degree, its parent's lacks as well.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "expansions/bessel/coaxial.hpp"
#include "expansions/laplace_gradients.hpp"
#include "expansions/laplace_rotation.hpp"
#include "expansions/laplace_translations.hpp"

namespace farfield::bessel {

/// Nodes for functions of a box at a distance of about half its size from the nearest one of a box beside it: their
/// degrees fall below rounding from about `degree` + 100 on. exp(-lambda r) adds about sqrt(90 lambda).
inline int nodes_for(int degree, double lambda, double target_edge) {
  const double screened = std::min(lambda, 2 * largest_scale<double>) * target_edge;
  return 60 + 2 * degree + static_cast<int>(std::sqrt(40 * screened));
}

/// Y^T C Y between all degrees, with Z before and after it, as a dense matrix (see RotationOperator).
class Composed {
 public:
  Composed(int degree, const RotationOperator& op) : degree_(degree), op_(op) {
    std::size_t block = 0, shift = 0;
    for (int n = 0; n <= degree; ++n) {
      block_.push_back(block);
      block += static_cast<std::size_t>((n + 1) * (n + 1) + n * n);
    }
    for (int m = 0; m <= degree; ++m) {
      shift_.push_back(shift);
      shift += static_cast<std::size_t>((degree + 1 - m) * (degree + 1 - m));
    }
  }

  /// Fills the 2k+1 columns of the functions of degree k; `matrix`: the whole matrix, column-major.
  template <class Real>
  void fill_columns(int k, Real* matrix) const {
    std::vector<double> cosines(static_cast<std::size_t>((degree_ + 1) * (k + 1))), sines(cosines.size());
    for (int n = 0; n <= degree_; ++n) {
      multiply(n, k, 0, cosines);
      multiply(n, k, 1, sines);
      for (int a = 0; a <= n; ++a)
        for (int b = 0; b <= k; ++b) set(n, a, k, b, cosines[at(a, b, k)], sines[at(a, b, k)], matrix);
    }
  }

 private:
  static std::size_t at(int a, int b, int k) { return static_cast<std::size_t>(a * (k + 1) + b); }

  /// The elements of Y^T C Y between the cosines (first = 0) or sines (1) of degrees n and k.
  void multiply(int n, int k, int first, std::vector<double>& out) const {
    std::fill(out.begin(), out.end(), 0);
    const int rows = n + 1 - first, columns = k + 1 - first;
    const double* left = op_.blocks.data() + block_[static_cast<std::size_t>(n)] + first * (n + 1) * (n + 1);
    const double* right = op_.blocks.data() + block_[static_cast<std::size_t>(k)] + first * (k + 1) * (k + 1);
    for (int m = first; m <= std::min(n, k); ++m, left += rows, right += columns) {
      const double c = op_.shift[shift_[static_cast<std::size_t>(m)] +
                                 static_cast<std::size_t>((n - m) * (degree_ + 1 - m) + k - m)];
      for (int a = 0; a < rows; ++a) {
        const double factor = c * left[a];
        double* row = &out[at(a + first, first, k)];
        for (int b = 0; b < columns; ++b) row[b] += factor * right[b];
      }
    }
  }

  template <class Real>
  void set(int n, int a, int k, int b, double p, double q, Real* matrix) const {
    const auto count = static_cast<std::size_t>(SolidShape::count(degree_));
    Real* plus = matrix + static_cast<std::size_t>(SolidShape::index(k, b)) * count;
    Real* minus = matrix + static_cast<std::size_t>(SolidShape::index(k, -b)) * count;
    const double ca = op_.cosine[std::size_t(a)], sa = op_.sine[std::size_t(a)], cb = op_.cosine[std::size_t(b)],
                 sb = op_.sine[std::size_t(b)];
    plus[SolidShape::index(n, a)] = static_cast<Real>(ca * cb * p + sa * sb * q);
    if (a > 0) plus[SolidShape::index(n, -a)] = static_cast<Real>(sa * cb * p - ca * sb * q);
    if (b == 0) return;
    minus[SolidShape::index(n, a)] = static_cast<Real>(ca * sb * p - sa * cb * q);
    if (a > 0) minus[SolidShape::index(n, -a)] = static_cast<Real>(sa * sb * p + ca * cb * q);
  }

  int degree_;
  const RotationOperator& op_;
  std::vector<std::size_t> block_, shift_;  ///< where those of a degree and of an order begin
};

inline RotationOperator sized_operator(int degree) {
  const RotationSizes sizes = laplace::rotation_sizes(degree);
  const auto numbers = [](int count) { return std::vector<double>(static_cast<std::size_t>(count)); };
  return {numbers(sizes.azimuth), numbers(sizes.azimuth), numbers(sizes.blocks), numbers(sizes.shift)};
}

/// From the multipole of the child in octant 7, whose lambda is given, to that of its parent, both in their own units:
/// R(u/2 + centre) = A R(u), R on the left with the parent's lambda. The transpose serves l2l, see laplace::M2m.
class M2m {
 public:
  M2m(int degree, double lambda) : op_(sized_operator(degree)), composed_(degree, op_) {
    laplace::TurnsOntoZ(degree).fill(child_centre, op_.cosine.data(), op_.sine.data(), op_.blocks.data());
    const std::vector<long double> table = recurrence_table<long double>(degree, 2 * lambda);
    const Projection onto(degree, lambda, nodes_for(degree, 2 * lambda, 1));
    const auto parents = [&](long double x, long double z, long double* value) {
      bessel::columns(degree, table.data(), x / 2, 0.0L, half_diagonal / 2 + z / 2,
                      laplace::StoreFunctions<long double>{value});
    };
    // Projection gives the coefficients k of functions n, a row of C; A maps k to n
    const std::vector<double> shift = onto.shift(parents, 1);
    auto out = op_.shift.begin();
    for (int m = 0, begin = 0; m <= degree; begin += (degree + 1 - m) * (degree + 1 - m), ++m)
      for (int n = m; n <= degree; ++n)
        for (int k = m; k <= degree; ++k) *out++ = shift[std::size_t(begin + (k - m) * (degree + 1 - m) + n - m)];
  }
  M2m(const M2m&) = delete;
  M2m& operator=(const M2m&) = delete;
  template <class Real>
  void fill_columns(int k, Real* matrix) const {
    composed_.fill_columns(k, matrix);
  }

 private:
  static constexpr double child_centre[3] = {0.25, 0.25, 0.25};  // octant 7, in the parent's edges
  RotationOperator op_;
  Composed composed_;
};

/// m2l as turns and a translation along z. In edges of the source box, whose lambda is given, t = target centre -
/// source centre, and target_edge is the target box's edge: S(t + target_edge u) = T R(u), and L = target_edge T^T M.
class RotatedM2l {
 public:
  RotatedM2l(int degree, double lambda)
      : degree_(degree),
        lambda_(lambda),
        turns_(degree),
        table_(recurrence_table<long double>(degree, lambda)),
        onto_equal_(degree, lambda, nodes_for(degree, lambda, 1)) {}

  template <class Real>
  void fill(const double t[3], double target_edge, Real* cosine, Real* sine, Real* blocks, Real* shift) const {
    turns_.fill(t, cosine, sine, blocks);
    fill_shift(t, target_edge, shift);
  }
  template <class Real>
  void fill_shift(const double t[3], double target_edge, Real* shift) const {
    const long double distance =
        std::hypot(static_cast<long double>(t[0]), static_cast<long double>(t[1]), static_cast<long double>(t[2]));
    const long double edge = target_edge;
    const auto sources = [&](long double x, long double z, long double* value) {
      x *= edge, z = distance + edge * z;
      singular_columns(degree_, table_.data(), x, 0.0L, z, 1 / std::hypot(x, z),
                       laplace::StoreFunctions<long double>{value});
    };
    const std::vector<double> own =
        target_edge == 1 ? onto_equal_.shift(sources, edge) : onto(target_edge).shift(sources, edge);
    for (const double x : own) *shift++ = static_cast<Real>(x);
  }

 private:
  Projection onto(double target_edge) const {
    return {degree_, lambda_ * target_edge, nodes_for(degree_, lambda_, target_edge)};
  }

  int degree_;
  double lambda_;
  laplace::TurnsOntoZ turns_;
  std::vector<long double> table_;
  Projection onto_equal_;
};

/// m2l as a dense matrix, column-major: element (out, in) at matrix[in * count + out].
class DenseM2l {
 public:
  DenseM2l(int degree, double lambda) : degree_(degree), rotated_(degree, lambda) {}
  template <class Real>
  void fill(const double t[3], double target_edge, Real* matrix) const {
    RotationOperator op = sized_operator(degree_);
    rotated_.fill(t, target_edge, op.cosine.data(), op.sine.data(), op.blocks.data(), op.shift.data());
    const Composed composed(degree_, op);
    for (int k = 0; k <= degree_; ++k) composed.fill_columns(k, matrix);
  }

 private:
  int degree_;
  RotatedM2l rotated_;
};

/// lambda^2 / ((2n + a)(2n + b)); 0 where expansions are left out.
inline long double step_factor(double lambda, int n, int a, int b) {
  if (!(lambda <= largest_scale<double>)) return 0;
  return static_cast<long double>(lambda) * lambda / (static_cast<long double>(2 * n + a) * (2 * n + b));
}

/// Derivatives of sum L_i R_i(u): d_j R_n = G_j R_{n-1} + lambda^2 / ((2n+1)(2n+3)) G_j^T R_{n+1}, with G_j the
/// derivative of solid harmonics (laplace_gradients.hpp). Terms above the degree are left out: the derivative's
/// expansion is cut off where the potential's is.
inline std::array<SparseMap, 3> local_gradient(int degree, double lambda) {
  auto down = laplace::derivative_entries(1, degree, -1, laplace::regular_ladder);
  const int count = SolidShape::count(degree);
  const auto with_raised = [&](Entries& entries) {
    for (std::size_t i = 0, all = entries.size(); i < all; ++i) {
      const Entry e = entries[i];
      entries.push_back({e.column, e.row, e.value * step_factor(lambda, SolidShape::degree_of(e.row), 1, 3)});
    }
    return compress(count, count, entries);
  };
  return {with_raised(down[0]), with_raised(down[1]), with_raised(down[2])};
}

/// Derivatives of sum M_i S_i(u), exact with one degree more: d_j S_n is that of 1/r, with S_{n+1}, less
/// lambda^2 / ((2n-1)(2n+1)) G_j S_{n-1}.
inline std::array<SparseMap, 3> multipole_gradient(int degree, double lambda) {
  auto up = laplace::derivative_entries(0, degree, +1, laplace::singular_ladder);
  const auto down = laplace::derivative_entries(1, degree, -1, laplace::regular_ladder);
  const int rows = SolidShape::count(degree + 1), columns = SolidShape::count(degree);
  std::array<SparseMap, 3> maps;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const Entry& e : down[axis])
      up[axis].push_back({e.row, e.column, -e.value * step_factor(lambda, SolidShape::degree_of(e.column), -1, 1)});
    maps[axis] = compress(rows, columns, up[axis]);
  }
  return maps;
}

}  // namespace farfield::bessel

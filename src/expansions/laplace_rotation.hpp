// m2l by rotation: turn t onto the z axis, translate along it, turn back (Gumerov & Duraiswami 2008, section 2.2.2,
// after White & Head-Gordon 1996), in the real basis.
#pragma once
#include <array>
#include <utility>
#include <vector>

#include "expansions/laplace_gradients.hpp"
#include "expansions/laplace_harmonics.hpp"
#include "expansions/tables.hpp"

namespace farfield::laplace {

/// The matrices Y^n of a turn about y, R_{n,m}(u') = sum_{m'} Y^n_{m,m'} R_{n,m'}(u) for u' = T u, degree by degree.
///
/// The recurrence: Euler's n R_n = sum_j u_j dR_n/du_j with dR_n/du_j = G_j R_{n-1} gives n R_n(u') =
/// sum_{jk} T_jk G_j Y^{n-1} u_k R_{n-1}(u). The harmonic part of u_k R_{n-1} is G_k^T R_n / (2n-1): multiplying by u_k
/// and d/du_k are adjoint in Fischer's inner product, in which R_{n,m} has the square norm (2n-1)!!. Hence
///   Y^n = sum_{jk} T_jk G_j Y^{n-1} G_k^T / (n (2n-1)).
/// It is stable at any degree: T = Y = 1 shows that sum_j G_j G_j^T / (n (2n-1)) = 1, so that [G_x G_y G_z] / sqrt(n
/// (2n-1)) has orthonormal rows and a step never enlarges an error of Y^{n-1}.
class TurnAboutY {
 public:
  TurnAboutY(long double c, long double s) : turn_{{{c, 0, -s}, {0, 1, 0}, {s, 0, c}}} {}

  /// Y^n from Y^{n-1}; the matrix is row-major, rows and columns m = -n ... n.
  const std::vector<long double>& advance() {
    const int n = ++degree_, inner = 2 * n - 1, outer = 2 * n + 1, first = n * n, first_inner = (n - 1) * (n - 1);
    const std::array<Entries, 3> g =
        derivative_entries(n, n, -1, regular_ladder);  // entry (row, column): G[column][row]
    std::vector<long double> next(static_cast<std::size_t>(outer) * outer, 0);
    for (int k = 0; k < 3; ++k) {
      std::vector<long double> half(static_cast<std::size_t>(outer) * inner, 0);  // sum_j T_jk G_j Y^{n-1}
      for (int j = 0; j < 3; ++j)
        for (const Entry& e : g[j])
          if (turn_[j][k] != 0) add_row(half, e.column - first, e.row - first_inner, turn_[j][k] * e.value, inner);
      for (const Entry& e : g[k])
        for (int row = 0; row < outer; ++row)
          next[row * outer + e.column - first] += half[row * inner + e.row - first_inner] * e.value;
    }
    for (long double& value : next) value /= static_cast<long double>(n) * (2 * n - 1);
    matrix_ = std::move(next);
    return matrix_;
  }

 private:
  void add_row(std::vector<long double>& half, int to, int from, long double factor, int width) const {
    for (int i = 0; i < width; ++i) half[to * width + i] += factor * matrix_[from * width + i];
  }
  std::array<std::array<long double, 3>, 3> turn_;
  int degree_ = 0;
  std::vector<long double> matrix_{1};
};

/// Appends Y^n as its two blocks: a turn about y does not mix cosines (even in y) with sines (odd).
inline void append_blocks(std::vector<double>& blocks, const std::vector<long double>& y, int n) {
  const auto element = [&](int m, int k) { return static_cast<double>(y[(m + n) * (2 * n + 1) + k + n]); };
  for (int m = 0; m <= n; ++m)
    for (int k = 0; k <= n; ++k) blocks.push_back(element(m, k));
  for (int m = 1; m <= n; ++m)
    for (int k = 1; k <= n; ++k) blocks.push_back(element(-m, -k));
}

/// Y for the turn that takes (sine, 0, cosine) onto +z.
inline std::vector<double> rotation_blocks(int degree, long double cosine, long double sine) {
  TurnAboutY turn(cosine, sine);
  std::vector<double> blocks{1};
  for (int n = 1; n <= degree; ++n) append_blocks(blocks, turn.advance(), n);
  return blocks;
}

/// m2l along +z over a distance r: g_{n+k}^{m+l} vanishes unless l = -m, so only equal m couple:
///   C_{n,n'} = (-1)^(n+m) (n+n')! / sqrt((n-m)!(n+m)!(n'-m)!(n'+m)!) target_edge^(n+1) / r^(n+n'+1).
inline std::vector<double> shift_blocks(int degree, long double r, long double target_edge) {
  const BinomialRoots roots(2 * degree);
  std::vector<double> shift;
  for (int m = 0; m <= degree; ++m)
    for (int n = m; n <= degree; ++n)
      for (int k = m; k <= degree; ++k) {
        const long double size = roots(n - m, k + m) * roots(n + m, k - m) * std::pow(target_edge, n + 1);
        shift.push_back(static_cast<double>(((n + m) & 1 ? -size : size) / std::pow(r, n + k + 1)));
      }
  return shift;
}

inline RotationOperator m2l_rotation(int degree, const double t[3], double target_edge) {
  const long double x = t[0], y = t[1], z = t[2], r = std::hypot(x, y, z);
  const long double azimuth = std::atan2(y, x);
  RotationOperator op;
  for (int m = 0; m <= degree; ++m) {
    op.cosine.push_back(static_cast<double>(std::cos(m * azimuth)));
    op.sine.push_back(static_cast<double>(std::sin(m * azimuth)));
  }
  op.blocks = rotation_blocks(degree, z / r, std::hypot(x, y) / r);
  op.shift = shift_blocks(degree, r, target_edge);
  return op;
}

}  // namespace farfield::laplace

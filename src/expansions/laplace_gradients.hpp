// Derivatives of Laplace expansions as expansions (Gumerov & Duraiswami 2008, section 2.3: the gradient's own
// coefficients): l2p and m2p evaluate them like potentials, and the rotation's recurrence is built from them.
//
// In h_n^m (laplace_harmonics.hpp) and g_n^m = h_n^m / r^(2n+1), for all -n <= m <= n:
//   d/dz h_n^m = sqrt((n-m)(n+m)) h_{n-1}^m             d/dz g_n^m = -sqrt((n+1-m)(n+1+m)) g_{n+1}^m
//   (dx - i dy) h = sqrt((n+m)(n+m-1)) h_{n-1}^{m-1}    (dx - i dy) g = sqrt((n-m+1)(n-m+2)) g_{n+1}^{m-1}
//   (dx + i dy) h = -sqrt((n-m)(n-m-1)) h_{n-1}^{m+1}   (dx + i dy) g = -sqrt((n+m+1)(n+m+2)) g_{n+1}^{m+1}
#pragma once
#include <array>

#include "expansions/laplace_harmonics.hpp"
#include "expansions/tables.hpp"

namespace farfield::laplace {

/// Factors of the derivatives d/dz, dx - i dy and dx + i dy of one function, which change m by 0, -1 and +1.
struct Ladder {
  long double z, down, up;
};

inline Ladder regular_ladder(int n, int m) {
  const auto root = [](int a, int b) { return std::sqrt(static_cast<long double>(a) * b); };
  return {root(n - m, n + m), root(n + m, n + m - 1), -root(n - m, n - m - 1)};
}

inline Ladder singular_ladder(int n, int m) {
  const auto root = [](int a, int b) { return std::sqrt(static_cast<long double>(a) * b); };
  return {-root(n + 1 - m, n + 1 + m), root(n - m + 1, n - m + 2), -root(n + m + 1, n + m + 2)};
}

/// Entries of the derivative along one axis. A real expansion is f = Re sum_{m>=0} c_m h^m with
/// c_m = sqrt(2 - delta_m0)(A_m - i A_{-m}).
class DerivativeEntries {
 public:
  /// The function (n_in, m_in) contributes `factor` times function (n, m) per unit of c.
  void add(int n_in, int m_in, int n, int m, Complex factor) {
    if (factor == Complex(0) || std::abs(m) > n) return;
    if (m < 0) {  // Re(c h^{-m}) = Re((-1)^m conj(c) h^m): only m_in = 0 comes here, where c is real
      m = -m;
      factor = std::conj(factor) * ((m & 1) ? -1.0L : 1.0L);
    }
    const Complex scaled = factor * (real_factor(m_in) / real_factor(m));
    put(index(n, m), index(n_in, m_in), scaled.real());
    if (m > 0) put(index(n, -m), index(n_in, m_in), -scaled.imag());
    if (m_in == 0) return;
    put(index(n, m), index(n_in, -m_in), scaled.imag());
    if (m > 0) put(index(n, -m), index(n_in, -m_in), scaled.real());
  }
  Entries entries;

 private:
  void put(int row, int column, long double value) {
    if (value == 0) return;
    for (auto last = entries.rbegin(); last != entries.rend() && last - entries.rbegin() < 8; ++last)
      if (last->row == row && last->column == column) {  // from m = 0 both m - 1 and m + 1 lead to |m| = 1
        last->value += value;
        return;
      }
    entries.push_back({row, column, value});
  }
};

/// All entries of the derivatives along x, y, z for functions of degree first ... last; `step` is what a derivative
/// adds to n.
template <class LadderOf>
std::array<Entries, 3> derivative_entries(int first, int last, int step, LadderOf ladder_of) {
  const Complex half(0.5L, 0), half_i(0, 0.5L);
  DerivativeEntries x, y, z;
  for (int n = first; n <= last; ++n)
    for (int m = 0; m <= n; ++m) {
      const Ladder ladder = ladder_of(n, m);
      z.add(n, m, n + step, m, ladder.z);
      x.add(n, m, n + step, m - 1, half * ladder.down);
      x.add(n, m, n + step, m + 1, half * ladder.up);
      y.add(n, m, n + step, m - 1, half_i * ladder.down);  // dy = i/2 ((dx - i dy) - (dx + i dy))
      y.add(n, m, n + step, m + 1, -half_i * ladder.up);
    }
  return {x.entries, y.entries, z.entries};
}

/// Derivatives of sum L_i R_i(u): degree drops by one, so the rows of the top degree are empty.
inline std::array<SparseMap, 3> local_gradient(int degree) {
  const auto d = derivative_entries(1, degree, -1, regular_ladder);
  const int n = count(degree);
  return {compress(n, n, d[0]), compress(n, n, d[1]), compress(n, n, d[2])};
}

/// Derivatives of sum M_i S_i(u): exact with one degree more.
inline std::array<SparseMap, 3> multipole_gradient(int degree) {
  const auto d = derivative_entries(0, degree, +1, singular_ladder);
  const int rows = count(degree + 1), columns = count(degree);
  return {compress(rows, columns, d[0]), compress(rows, columns, d[1]), compress(rows, columns, d[2])};
}

}  // namespace farfield::laplace

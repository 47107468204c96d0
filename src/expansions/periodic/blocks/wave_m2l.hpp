// m2l at one frequency of the grid of blocks. The function between blocks at s and t, which is a function of d = s - t,
// has the transform
//
//   sum over d of T(d) exp(i k d) = sum T cos + i sum T sin,
//
// of which one part is 0: T_n(-d) = (-1)^n T_n(d), so that even degrees have cosines and odd ones sines; the other way
// round where it `turns`, as functions do in which images count by how far they are away. Multipoles are a - i b
// (grid_transform.hpp). So an even degree makes a and b of itself, an odd one makes b of a's and -a of b's.
#pragma once
#include "expansions/periodic/blocks/grid_transform.hpp"

namespace farfield::convolution {

/// Which of the parts of a table's transform is not 0.
FARFIELD_HD bool has_sines(int degree, bool turns) { return ((degree & 1) != 0) != turns; }

/// A table to degree `degree` with all orders, each degree's centre at a place that is the degree modulo 8: threads
/// that read coefficients of neighbouring degrees, and every fourth of a degree, then meet in few banks of shared
/// memory.
struct SpreadTable {
  FARFIELD_HD static int first(int n) { return 8 * (n / 4 + 1) * (2 * (n / 4) + n % 4); }
  FARFIELD_HD static int index(int n, int m) { return first(n) + n + m; }
  /// Rows of coefficients are read together, beyond the last order of a degree.
  FARFIELD_HD static int size(int degree) { return first(degree + 1) + 8; }
};
/// Sets (n, m) and (n, -m).
FARFIELD_HD void set_spread(Complex* table, int n, int m, const Complex& value) {
  table[SpreadTable::index(n, m)] = value;
  if (m > 0)
    table[SpreadTable::index(n, -m)] = {m & 1 ? -value.real : value.real, m & 1 ? value.imaginary : -value.imaginary};
}

/// What `width` coefficients of one degree get of one order m of multipoles and of -m.
template <int width>
struct WaveRow {
  Wave sum[width];
  Complex up[width], down[width];  ///< of the table, at l + m + j and l - m + j

  /// m = 0, where coefficients are real.
  FARFIELD_HD void add_middle(const Wave& from) {
    for (int j = 0; j < width; ++j) {
      sum[j].cosine.real += from.cosine.real * up[j].real,
          sum[j].cosine.imaginary += from.cosine.real * up[j].imaginary;
      sum[j].sine.real += from.sine.real * up[j].real, sum[j].sine.imaginary += from.sine.real * up[j].imaginary;
    }
  }
  FARFIELD_HD void shift(const Complex& above, const Complex& below) {
    for (int j = 1; j < width; ++j) up[j - 1] = up[j], down[width - j] = down[width - 1 - j];
    up[width - 1] = above, down[0] = below;
  }
  /// c T(l + m) + (-1)^m conj(c) T(l - m): the real part of c times their sum or difference, and the imaginary one.
  template <bool odd>
  FARFIELD_HD void add(const Wave& from) {
    for (int j = 0; j < width; ++j) {
      const Complex plus{up[j].real + down[j].real, up[j].imaginary + down[j].imaginary};
      const Complex minus{up[j].real - down[j].real, up[j].imaginary - down[j].imaginary};
      if constexpr (odd) {
        add_turned(sum[j].cosine, from.cosine, minus, plus);
        add_turned(sum[j].sine, from.sine, minus, plus);
      } else {
        add_turned(sum[j].cosine, from.cosine, plus, minus);
        add_turned(sum[j].sine, from.sine, plus, minus);
      }
    }
  }

 private:
  FARFIELD_HD static void add_turned(Complex& to, const Complex& c, const Complex& along, const Complex& across) {
    to.real += c.real * along.real, to.real -= c.imaginary * across.imaginary;  // of one sum a product is rounded alone
    to.imaginary += c.real * along.imaginary, to.imaginary += c.imaginary * across.real;
  }
};

/// Adds what local expansions have at (k, l), (k, l + 1) ... of multipoles [n (n + 1) / 2 + m] by a SpreadTable, as
/// m2l does. What is added beyond (k, k) means nothing.
template <int width>
FARFIELD_HD void add_wave_m2l(int degree, const Wave* multipole, const Complex* table, bool turns, int k, int l,
                              Wave (&all)[width]) {
  for (int n = 0; n <= degree; ++n) {
    const Complex* const own = table + SpreadTable::index(n + k, l);
    const Wave* const from = multipole + orders(n - 1);
    WaveRow<width> row;
    for (int j = 0; j < width; ++j) row.up[j] = row.down[j] = own[j];
    row.add_middle(from[0]);
    for (int m = 1; m <= n; m += 2) {
      row.shift(own[m + width - 1], own[-m]);
      row.template add<true>(from[m]);
      if (m == n) break;
      row.shift(own[m + width], own[-m - 1]);
      row.template add<false>(from[m + 1]);
    }
    const double sign = n & 1 ? -1 : 1;
    for (int j = 0; j < width; ++j)
      if (has_sines(n + k, turns)) {
        all[j].cosine.real += sign * row.sum[j].sine.real, all[j].cosine.imaginary += sign * row.sum[j].sine.imaginary;
        all[j].sine.real -= sign * row.sum[j].cosine.real, all[j].sine.imaginary -= sign * row.sum[j].cosine.imaginary;
      } else {
        all[j].cosine.real += sign * row.sum[j].cosine.real,
            all[j].cosine.imaginary += sign * row.sum[j].cosine.imaginary;
        all[j].sine.real += sign * row.sum[j].sine.real, all[j].sine.imaginary += sign * row.sum[j].sine.imaginary;
      }
  }
}

}  // namespace farfield::convolution

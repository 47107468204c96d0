// m2l between the blocks of a cell: eight sources side by side, one in each lane.
//
// At (k, l) a local has the sum of x_n^m t_{n+k}^{l+m} over all n and m (SolidConvolution; signs stand with x). Orders
// m and -m go together, since x_n^{-m} = (-1)^m conj x_n^m: with x = a + ib, t_{n+k}^{l+m} = c + id and
// (-1)^m t_{n+k}^{l-m} = e + if they give a (c + e) - b (d - f) + i (a (d + f) + b (c - e)). Orders below 0 of t are
// conjugates likewise.
#include <cstdlib>

#include "backends/cpu/periodic/block_row.hpp"
#include "expansions/periodic/blocks/tables.hpp"
#include "expansions/periodic/convolution_sums.hpp"

namespace farfield::cpu::FARFIELD_ISA {
namespace {

struct Pair {
  BlockRow real, imaginary;
};

FARFIELD_INLINE Pair pair(const double* degree, int order) {
  const double* const p = degree + 2 * block_lanes * order;
  return {block_row(p), block_row(p + block_lanes)};
}
FARFIELD_INLINE const double* of_degree(const double* numbers, int n) {
  return numbers + 2 * block_lanes * (n * (n + 1) / 2);
}
FARFIELD_INLINE double sign_of(int n) { return n & 1 ? -1.0 : 1.0; }

/// What one group of sources gives at (k, l).
FARFIELD_INLINE Pair sum_at(int degree, const double* multipoles, const double* tables, int k, int l) {
  Pair sum{};
  for (int n = 0; n <= degree; ++n) {
    const double *const x = of_degree(multipoles, n), *const t = of_degree(tables, n + k);
    const Pair x0 = pair(x, 0), t0 = pair(t, l);
    sum.real += x0.real * t0.real, sum.imaginary += x0.real * t0.imaginary;
    for (int m = 1; m <= n; ++m) {
      const Pair a = pair(x, m), above = pair(t, l + m), below = pair(t, std::abs(l - m));
      const double real = sign_of(m <= l ? m : l), imaginary = m <= l ? real : -real;
      const BlockRow e = real * below.real, f = imaginary * below.imaginary;
      sum.real += a.real * (above.real + e) - a.imaginary * (above.imaginary - f);
      sum.imaginary += a.real * (above.imaginary + f) + a.imaginary * (above.real - e);
    }
  }
  return sum;
}

FARFIELD_INLINE double sum_of(const BlockRow& r) {
  return ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
}

}  // namespace

void block_m2l(const BlockM2l& w) {
  const std::int64_t multipole = 2 * block_lanes * convolution::orders(w.degree),
                     table = 2 * block_lanes * convolution::orders(2 * w.degree);
  double* local = w.local;
  for (int i = 0; i < 2 * convolution::orders(w.degree); ++i) local[i] = 0;
  for (std::int64_t group = 0; group < w.groups; ++group) {
    double* to = w.local;
    for (int k = 0; k <= w.degree; ++k)
      for (int l = 0; l <= k; ++l, to += 2) {
        const Pair sum = sum_at(w.degree, w.multipoles + group * multipole, w.tables + group * table, k, l);
        to[0] += sum_of(sum.real), to[1] += sum_of(sum.imaginary);
      }
  }
}

}  // namespace farfield::cpu::FARFIELD_ISA

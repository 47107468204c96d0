// RunMoments: the strengths of a run onto a block, on a line or in the plane, by their moments: what RunPolynomial does
// to values, turned round. With u the places of points within their cell, X and Y the coefficients of the windows,
//
//   g(k, l) = sum over b, a of Y[b][l] X[a][k] M[b][a],    M[b][a] = sum over points of q u_y^b u_x^a
//
// A window is never evaluated. Cost in the plane: p^2 multiply-adds for each vector of points, p = degree + 1, and
// p (p + w) vectors of numbers for the run.
#pragma once
#include "backends/cpu/grid/runs.hpp"

namespace farfield::cpu::FARFIELD_ISA {

/// Lane k: the sum of the lanes of row k.
template <int half, class V, std::size_t n>
FARFIELD_INLINE void halve(V (&row)[n]) {
  for (int i = 0; i < half; ++i) {
    exchange<half>(row[i], row[i + half], std::make_index_sequence<n>{});
    row[i] += row[i + half];
  }
  if constexpr (half > 1) halve<half / 2>(row);
}
template <class V, std::size_t n>
FARFIELD_INLINE V sums_of(V (&row)[n]) {
  if constexpr (n > 1) halve<static_cast<int>(n) / 2>(row);
  return row[0];
}

template <class Real, int axes>
class RunMoments {
  using V = Vec<Real>;
  static constexpr int block = 16;  ///< vectors of points whose powers are kept, in the first-level cache
  /// Moments that are summed at a time, as many as hide the latency of a multiply-add; whole vectors of them.
  static constexpr int tile_y = axes > 1 ? 4 : 1, tile_x = (lanes<Real> > 8 ? lanes<Real> : 8) / tile_y;
  static constexpr int together = 4;  ///< rows of the block, for the same reason

 public:
  explicit RunMoments(const GridView<Real>& grid)
      : grid_(grid), rows_{grid.width}, terms_(grid.degree + 1), tiles_x_(up_to(terms_, tile_x) / tile_x) {}

  /// Is it faster than the windows of `count` points? In vectors that are multiplied.
  static bool worth(const GridView<Real>& grid, int count) {
    if constexpr (axes > 2) return false;
    const int w = grid.width, p = grid.degree + 1, vectors = (count + lanes<Real> - 1) / lanes<Real>;
    const int whole = axes > 1 ? p * p : p, made = 2 * (axes > 1 ? p * (p + w) : p);
    return whole * (vectors + 3) + made < count * (p + 2 * w);
  }

  void add(Real* local, const RunReader<Real, axes>& run, const Real* strength, int begin, int end) {
    std::fill_n(moment_, place(axes > 1 ? up_to(terms_, tile_y) : 1, 0), Real(0));
    const int most = block * lanes<Real>;
    for (int i = begin; i < end; i += most) {
      const int count = std::min(most, end - i), vectors = (count + lanes<Real> - 1) / lanes<Real>;
      raise(run, strength + run.begin() + i, i, count, vectors);
      for (int b = 0; b < (axes > 1 ? terms_ : 1); b += tile_y)
        for (int a = 0; a < terms_; a += tile_x) sum(b, a, vectors);
    }
    deliver(local + run_corner(rows_, run, begin));
  }

 private:
  static int up_to(int terms, int tile) { return (terms + tile - 1) / tile * tile; }
  /// The moments of a tile lie side by side.
  FARFIELD_INLINE int place(int b, int a) const {
    return (b / tile_y * tiles_x_ + a / tile_x) * tile_y * tile_x + b % tile_y * tile_x + a % tile_x;
  }

  /// Powers of the places, those along y times the strengths.
  void raise(const RunReader<Real, axes>& run, const Real* strength, int begin, int count, int vectors) {
    std::fill_n(std::copy_n(strength, count, weight_[0]), vectors * lanes<Real> - count, Real(0));
    std::fill_n(power_[0], vectors * lanes<Real>, Real(1));
    const int powers = up_to(terms_, tile_x), weights = axes > 1 ? up_to(terms_, tile_y) : 1;
    for (int v = 0; v < vectors * lanes<Real>; v += lanes<Real>) {
      const V x = load(run.u(0) + begin + v), y = load(run.u(axes - 1) + begin + v);
      V power = x, weight = load(weight_[0] + v);
      for (int a = 1; a < powers; ++a, power *= x) store(power_[a] + v, power);
      for (int b = 1; b < weights; ++b) store(weight_[b] + v, weight *= y);
    }
  }

  /// Adds the moments [b, b + tile_y) x [a, a + tile_x) of the block.
  FARFIELD_INLINE void sum(int b, int a, int vectors) {
    V total[tile_y * tile_x] = {};
    for (int v = 0; v < vectors * lanes<Real>; v += lanes<Real>) {
      V power[tile_x];
      for (int i = 0; i < tile_x; ++i) power[i] = load(power_[a + i] + v);
      for (int j = 0; j < tile_y; ++j) {
        const V weight = load(weight_[b + j] + v);
        for (int i = 0; i < tile_x; ++i) total[j * tile_x + i] += weight * power[i];
      }
    }
    Real* to = moment_ + place(b, a);
    for (int t = 0; t < tile_y * tile_x; t += lanes<Real>) {
      V row[lanes<Real>];
      for (int i = 0; i < lanes<Real>; ++i) row[i] = total[t + i];
      store(to + t, V(load(to + t) + sums_of(row)));
    }
  }

  void deliver(Real* base) {
    for (int at = 0; at < grid_.width; at += lanes<Real>) {
      const Real* x = grid_.value + window_padding + at;
      for (int b = 0; b<(axes > 1 ? terms_ : 1); b += axes> 1 ? together : 1) along_x(x, b);
      if constexpr (axes == 1) {
        store(base + at, V(load(base + at) + row_[0]));
        continue;
      }
      for (int j = 0; j < grid_.width; j += together) along_y(base + at, j);
    }
  }
  FARFIELD_INLINE void along_x(const Real* x, int b) {
    constexpr int rows = axes > 1 ? together : 1;
    V sum[rows] = {};
    for (int a = 0; a < terms_; ++a) {
      const V window = load(x + a * window_pitch);
      for (int r = 0; r < rows; ++r) sum[r] += moment_[place(b + r, a)] * window;
    }
    for (int r = 0; r < rows; ++r) row_[b + r] = sum[r];
  }
  FARFIELD_INLINE void along_y(Real* base, int j) const {
    const Real* y = grid_.value + window_padding + j;  // the coefficients behind the window are 0
    V sum[together] = {};
    for (int b = 0; b < terms_; ++b)
      for (int r = 0; r < together; ++r) sum[r] += y[b * window_pitch + r] * row_[b];
    for (int r = 0; r < together && j + r < grid_.width; ++r) {
      Real* row = base + rows_.row(j + r, 0);
      store(row, V(load(row) + sum[r]));
    }
  }

  const GridView<Real>& grid_;
  const LocalRows<axes> rows_;
  const int terms_, tiles_x_;
  alignas(64) Real power_[terms_pitch][block * lanes<Real>];
  alignas(64) Real weight_[axes > 1 ? terms_pitch : 1][block * lanes<Real>];
  alignas(64) Real moment_[(axes > 1 ? terms_pitch : 1) * terms_pitch] = {};
  V row_[terms_pitch];
};

}  // namespace farfield::cpu::FARFIELD_ISA

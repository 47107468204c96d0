// Runs: points that lie in one cell of the grid one after another, where they were sorted by such cells. Their windows
// cover the same points of the grid, so that a run is spread from registers and interpolated by one polynomial.
#pragma once
#include <algorithm>

#include "backends/cpu/grid/window_sums.hpp"

namespace farfield::cpu::FARFIELD_ISA {

inline constexpr int run_chunk = 512;  ///< points that are looked at together; runs end with them

/// Vectors along the first axis. Windows of up to 8 points in single leave half of a vector of 64 bytes empty, and Zen
/// 4 takes two cycles for one of those: with halves of it, spreading in the plane takes 0.7 times as long.
#if defined(__AVX512F__)
typedef float NarrowFloats __attribute__((vector_size(32)));
template <class Real>
using Narrow = std::conditional_t<sizeof(Real) == sizeof(float), NarrowFloats, Vec<Real>>;
#else
template <class Real>
using Narrow = Vec<Real>;
#endif
template <class V, class Real>
inline constexpr int lanes_in = static_cast<int>(sizeof(V) / sizeof(Real));
template <class V, class Real>
FARFIELD_INLINE V load_as(const Real* p) {
  V v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class V, class Real>
FARFIELD_INLINE void store_as(Real* p, V v) {
  std::memcpy(p, &v, sizeof v);
}
/// Calls f(V{}) with the vectors that windows of this width take.
template <class Real, class F>
FARFIELD_INLINE void with_vector(int width, const F& f) {
  if constexpr (!std::is_same_v<Narrow<Real>, Vec<Real>>)
    if (width <= lanes_in<Narrow<Real>, Real>) return f(Narrow<Real>{});
  f(Vec<Real>{});
}

/// Are points sorted by single cells of the grid?
inline bool has_runs(const CellLattice& lattice) { return lattice.sub == lattice.shift; }

/// Of the points [begin, end), at most run_chunk: as Footprint, but side by side.
template <class Real, int axes>
class RunReader {
 public:
  void read(const CellLattice& lattice, const double* const (&points)[3], std::int64_t begin, std::int64_t end) {
    begin_ = begin, count_ = static_cast<int>(end - begin);
    for (int i = 0; i < count_; ++i) cell_[i] = 0;
    for (int a = 0; a < axes; ++a) {
      const double *x = points[lattice.axis[a]] + begin, low = lattice.low[a], inverse = lattice.inverse;
      Real* u = u_[a];
      for (int i = 0; i < count_; ++i) {
        const double t = (x[i] - low) * inverse;
        const std::int32_t place = std::max(static_cast<std::int32_t>(t), 0);  // of t itself it would be a branch
        u[i] = static_cast<Real>(1 - 2 * (t - static_cast<double>(place)));
        cell_[i] |= (place & (block_side(axes) - 1)) << (bits * a);
      }
      for (int i = count_; i < count_ + beyond; ++i) u[i] = Real(0);
    }
  }
  int count() const { return count_; }
  std::int64_t begin() const { return begin_; }
  FARFIELD_INLINE int end_of_run(int i) const {
    const std::int32_t cell = cell_[i];
    while (++i < count_ && cell_[i] == cell) continue;
    return i;
  }
  FARFIELD_INLINE int first(int i, int axis) const { return cell_[i] >> (bits * axis) & ((1 << bits) - 1); }
  const Real* u(int axis) const { return u_[axis]; }

 private:
  static constexpr int bits = 10;
  static constexpr int beyond = 16;  ///< are read by whole vectors, and by fours
  std::int64_t begin_ = 0;
  int count_ = 0;
  std::int32_t cell_[run_chunk];
  Real u_[axes][run_chunk + beyond];
};

/// Calls run(reader, i, j) for the points [i, j) of each run that is worth it, counted from reader.begin() on, and
/// each(begin, end) for the others.
template <class Real, int axes, class Worth, class Run, class Each>
FARFIELD_INLINE void for_runs(RunReader<Real, axes>& reader, const CellLattice& lattice,
                              const double* const (&points)[3], std::int64_t begin, std::int64_t end,
                              const Worth& worth, const Run& run, const Each& each) {
  for (; begin < end; begin += run_chunk) {
    reader.read(lattice, points, begin, std::min(end, begin + run_chunk));
    for (int i = 0, j = 0; i < reader.count(); i = j) {
      j = reader.end_of_run(i);
      if (worth(j - i))
        run(reader, i, j);
      else
        each(begin + i, begin + j);
    }
  }
}

/// The windows of up to `most` points of a run: along the first axis point by point, along the others side by side.
template <class Real, int axes>
class RunWindows {
 public:
  static constexpr int most = 64;
  static constexpr int pitch = window_padding;

  /// By the polynomials `coefficients`, values or slopes, of the points [begin, begin + count) of the reader.
  template <class V>
  FARFIELD_INLINE void evaluate(const GridView<Real>& grid, const Real* coefficients,
                                const RunReader<Real, axes>& reader, int begin, int count) {
    for (int at = 0; at < grid.width; at += lanes_in<V, Real>)
      for (int i = 0; i < count; i += together)
        evaluate_along<V>(coefficients + window_padding + at, grid.degree, reader.u(0) + begin + i,
                          along_ + i * pitch + at);
    for (int a = 1; a < axes; ++a)  // the coefficients behind the window are 0
      for (int k = 0; k < grid.width; k += together)
        evaluate_across(coefficients + window_padding + k, grid.degree, reader.u(a) + begin, count, across_[a - 1][k]);
  }
  Real* along(int i) { return along_ + i * pitch; }
  const Real* along(int i) const { return along_ + i * pitch; }
  /// At point k of the grid, of all points of the run.
  const Real* across(int axis, int k) const { return across_[axis - 1][k]; }

 private:
  static constexpr int together = 4;  ///< as many as hide the latency of a multiply-add
  static constexpr int across_pitch = most + lanes<Real>;

  template <class V>
  static FARFIELD_INLINE void evaluate_along(const Real* c, int degree, const Real* u, Real* out) {
    V value[together];
    for (int i = 0; i < together; ++i) value[i] = load_as<V>(c + degree * window_pitch);
    for (int d = degree - 1; d >= 0; --d) {
      const V next = load_as<V>(c + d * window_pitch);
      for (int i = 0; i < together; ++i) value[i] = value[i] * u[i] + next;
    }
    for (int i = 0; i < together; ++i) store_as(out + i * pitch, value[i]);
  }
  /// At that many points of the grid.
  static FARFIELD_INLINE void evaluate_across(const Real* c, int degree, const Real* u, int count, Real* out) {
    for (int i = 0; i < count; i += lanes<Real>) {
      const Vec<Real> x = load(u + i);
      Vec<Real> value[together];
      for (int r = 0; r < together; ++r) value[r] = broadcast(c[degree * window_pitch + r]);
      for (int d = degree - 1; d >= 0; --d)
        for (int r = 0; r < together; ++r) value[r] = value[r] * x + c[d * window_pitch + r];
      for (int r = 0; r < together; ++r) store(out + r * across_pitch + i, value[r]);
    }
  }

  alignas(64) Real along_[most * pitch];
  alignas(64) Real across_[axes > 1 ? axes - 1 : 1][window_padding][across_pitch];
};

/// Where the window of a run begins in a block and its margin.
template <class Real, int axes>
FARFIELD_INLINE std::int64_t run_corner(const LocalRows<axes>& rows, const RunReader<Real, axes>& run, int i) {
  if constexpr (axes == 1) return run.first(i, 0);
  return run.first(i, 0) + rows.row(run.first(i, axes > 1), axes > 2 ? run.first(i, axes - 1) : 0);
}

}  // namespace farfield::cpu::FARFIELD_ISA

// RunInterpolator: from a block to the points of a run, row by row. Rows stay in registers while they are summed for
// all points of the run, where a point alone reads each of them.
#pragma once
#include "backends/cpu/grid/runs.hpp"

namespace farfield::cpu::FARFIELD_ISA {

template <class Real, int axes, int parts>
class RunInterpolator {
  static constexpr int at_once = 8;  ///< rows
  static constexpr bool slopes = parts > 1;

 public:
  explicit RunInterpolator(const GridView<Real>& grid) : grid_(grid), rows_{grid.width} {}

  static bool worth(int count) { return count > 1; }

  /// sum[0]: of the values; sum[1 + a]: of the slopes along axis a of the lattice, in spacings; as arrays of the points
  /// from run.begin() on.
  void sum(const Real* local, const RunReader<Real, axes>& run, int begin, int end, Real* const (&sum)[1 + axes]) {
    with_vector<Real>(grid_.width, [&]<class V>(V) { sum_as<V>(local, run, begin, end, sum); });
  }

 private:
  static constexpr int kinds = slopes ? axes : 1;  ///< of the values, of the slopes along y and of those along z

  template <class V>
  void sum_as(const Real* local, const RunReader<Real, axes>& run, int begin, int end, Real* const (&sum)[1 + axes]) {
    const Real* base = local + run_corner(rows_, run, begin);
    for (; begin < end; begin += values_.most) {
      count_ = std::min(values_.most, end - begin);
      values_.template evaluate<V>(grid_, grid_.value, run, begin, count_);
      if constexpr (slopes) slopes_.template evaluate<V>(grid_, grid_.slope, run, begin, count_);
      for (int v = 0; v < grid_.width; v += lanes_in<V, Real>) {
        for (int i = 0; i < count_; ++i)
          for (int p = 0; p < kinds; ++p) store_as<V>(partial_[p][i] + v, V{});
        for (int k = 0; k < (axes > 2 ? grid_.width : 1); ++k) add_plane<V>(base + v, v, k);
      }
      for (int i = 0; i < count_; ++i) deliver<V>(i, begin + i, sum);
    }
  }

  template <class V>
  FARFIELD_INLINE void add_plane(const Real* base, int v, int k) {
    const int rows = axes > 1 ? grid_.width : 1;
    int j = 0;
    for (; rows - j > at_once / 2; j += at_once) add_rows<V, at_once>(base, v, k, j, rows);
    if (j < rows) add_rows<V, axes == 1 ? 1 : at_once / 2>(base, v, k, j, rows);
  }
  template <class V, int tile>
  FARFIELD_INLINE void add_rows(const Real* base, int v, int k, int j, int rows) {
    V row[tile];
    for (int r = 0; r < tile; ++r) row[r] = j + r < rows ? load_as<V>(base + rows_.row(j + r, k)) : V{};
    for (int i = 0; i < count_; ++i) {
      const V plane = across<tile>(values_, row, j, i);
      add<V>(0, i, v, axes > 2 ? V(values_.across(axes - 1, k)[i] * plane) : plane);
      if constexpr (slopes && axes > 1) {
        const V sloped = across<tile>(slopes_, row, j, i);
        add<V>(1, i, v, axes > 2 ? V(values_.across(axes - 1, k)[i] * sloped) : sloped);
      }
      if constexpr (slopes && axes > 2) add<V>(2, i, v, slopes_.across(2, k)[i] * plane);
    }
  }
  template <int tile, class V>
  static FARFIELD_INLINE V across(const RunWindows<Real, axes>& windows, const V* row, int j, int i) {
    if constexpr (axes == 1) return row[0];
    V sum = windows.across(1, j)[i] * row[0], other{};
    for (int r = 1; r < tile; ++r) (r % 2 ? other : sum) += windows.across(1, j + r)[i] * row[r];
    return sum + other;
  }
  template <class V>
  FARFIELD_INLINE void add(int kind, int i, int v, V more) {
    Real* to = partial_[kind][i] + v;
    store_as<V>(to, load_as<V>(to) + more);
  }

  template <class V>
  FARFIELD_INLINE void deliver(int i, int at, Real* const (&sum)[1 + axes]) const {
    sum[0][at] = dot<V>(values_.along(i), partial_[0][i]);
    if constexpr (!slopes) return;
    sum[1][at] = dot<V>(slopes_.along(i), partial_[0][i]);
    for (int a = 1; a < axes; ++a) sum[1 + a][at] = dot<V>(values_.along(i), partial_[slopes ? a : 0][i]);
  }
  template <class V>
  FARFIELD_INLINE Real dot(const Real* a, const Real* b) const {
    V sum = load_as<V>(a) * load_as<V>(b);
    for (int v = lanes_in<V, Real>; v < grid_.width; v += lanes_in<V, Real>)
      sum += load_as<V>(a + v) * load_as<V>(b + v);
    Real all = 0;
    for (int i = 0; i < lanes_in<V, Real>; ++i) all += sum[i];
    return all;
  }

  const GridView<Real>& grid_;
  const LocalRows<axes> rows_;
  int count_ = 0;
  RunWindows<Real, axes> values_, slopes_;
  alignas(64) Real partial_[kinds][RunWindows<Real, axes>::most][window_padding];
};

}  // namespace farfield::cpu::FARFIELD_ISA

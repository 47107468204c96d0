// RunSpreader: the strengths of a run onto a block, row by row. A row's sums stay in registers while all points of the
// run are added, which takes one multiply-add for each, where a point alone reads and writes the row.
#pragma once
#include "backends/cpu/grid/runs.hpp"

namespace farfield::cpu::FARFIELD_ISA {

template <class Real, int axes>
class RunSpreader {
  static constexpr int at_once = 8;  ///< rows

 public:
  explicit RunSpreader(const GridView<Real>& grid) : grid_(grid), rows_{grid.width} {}

  static bool worth(int count) { return count > 1; }

  void add(Real* local, const RunReader<Real, axes>& run, const Real* strength, int begin, int end) {
    with_vector<Real>(grid_.width, [&]<class V>(V) { add_as<V>(local, run, strength, begin, end); });
  }

 private:
  template <class V>
  void add_as(Real* local, const RunReader<Real, axes>& run, const Real* strength, int begin, int end) {
    Real* base = local + run_corner(rows_, run, begin);
    for (; begin < end; begin += windows_.most) {
      count_ = std::min(windows_.most, end - begin);
      windows_.template evaluate<V>(grid_, grid_.value, run, begin, count_);
      const Real* q = strength + run.begin() + begin;
      for (int v = 0; v < grid_.width; v += lanes_in<V, Real>) {
        for (int i = 0; i < count_; ++i) store_as<V>(windows_.along(i) + v, load_as<V>(windows_.along(i) + v) * q[i]);
        for (int k = 0; k < (axes > 2 ? grid_.width : 1); ++k) add_plane<V>(base + v, v, k);
      }
    }
  }

  template <class V>
  FARFIELD_INLINE void add_plane(Real* base, int v, int k) const {
    const int rows = axes > 1 ? grid_.width : 1;
    int j = 0;
    for (; rows - j > at_once / 2; j += at_once) add_rows<V, at_once>(base, v, k, j, rows);
    if (j < rows) add_rows<V, axes == 1 ? 1 : at_once / 2>(base, v, k, j, rows);
  }
  template <class V, int tile>
  FARFIELD_INLINE void add_rows(Real* base, int v, int k, int j, int rows) const {
    V sum[tile] = {};
    const Real* y[tile];
    for (int r = 0; r < tile; ++r) y[r] = axes > 1 ? windows_.across(1, j + r) : nullptr;
    for (int i = 0; i < count_; ++i) {
      V along = load_as<V>(windows_.along(i) + v);
      if constexpr (axes > 2) along *= windows_.across(2, k)[i];
      for (int r = 0; r < tile; ++r) sum[r] += axes > 1 ? V(y[r][i] * along) : along;
    }
    for (int r = 0; r < tile && j + r < rows; ++r) {
      Real* row = base + rows_.row(j + r, k);
      store_as<V>(row, load_as<V>(row) + sum[r]);
    }
  }

  const GridView<Real>& grid_;
  const LocalRows<axes> rows_;
  int count_ = 0;
  RunWindows<Real, axes> windows_;
};

}  // namespace farfield::cpu::FARFIELD_ISA

// interpolate: from the blocks of the grid to targets, with the derivative of the window for gradients. Overwrites the
// results. Points of one cell of the grid share a polynomial (run_polynomial.hpp).
// Cost: w^d multiply-adds for each target; with gradient up to 2 w^d.
#include <algorithm>

#include "backends/cpu/grid/run_interpolate.hpp"
#include "backends/cpu/grid/run_polynomial.hpp"
#include "backends/cpu/runtime/blocks.hpp"
#include "backends/cpu/stage_list.hpp"

namespace farfield::cpu::FARFIELD_ISA {

template <class Real, int axes, int parts>
class Interpolator {
  using V = Vec<Real>;
  static constexpr int most = most_window_vectors<Real>;

 public:
  explicit Interpolator(const Work<Real>& work)
      : work_(work), grid_(work.grid), rows_{work.grid.width}, vectors_(work.grid.width) {}

  /// The blocks that a cell's windows reach, side by side.
  void collect(Real* local, std::int64_t cell) const {
    constexpr int side = block_side(axes);
    const int wide = side + grid_.width;
    for (int z = 0; z < (axes > 2 ? wide : 1); ++z)
      for (int y = 0; y < (axes > 1 ? wide : 1); ++y) {
        const std::int32_t* corners = grid_.targets.corners + 8 * cell + 2 * (y >= side) + 4 * (z >= side);
        const std::int64_t row = (static_cast<std::int64_t>(z % side) * side + y % side) * side;
        Real* to = local + rows_.row(y, z);
        std::copy_n(grid_.from + corners[0] * block_points(axes) + row, side, to);
        std::copy_n(grid_.from + corners[1] * block_points(axes) + row, window_padding, to + side);
      }
  }

  void add_points(const Real* local, std::int64_t begin, std::int64_t end) const {
    for (std::int64_t i = begin; i < end; ++i) {
      const Footprint<Real, axes> at(grid_.lattice, work_.target, i);
      const int skip = at.skip(vectors_.step);
      with_vectors<Real>(vectors_.needed(skip),
                         [&](auto vectors) FARFIELD_LAMBDA { sum_at<vectors()>(local, at, skip, i); });
    }
  }

 private:
  /// Sums along y and z first, which leaves one window's width of numbers along x: of the values, of the slopes along y
  /// and of those along z.
  template <int vectors>
  FARFIELD_INLINE void sum_at(const Real* local, const Footprint<Real, axes>& at, int skip, std::int64_t i) const {
    constexpr bool slopes = parts > 1;
    V plain[vectors] = {}, along_y[vectors] = {}, along_z[vectors] = {};
    Real y[2 * window_padding], z[2 * window_padding], dy[2 * window_padding], dz[2 * window_padding];
    const int width = grid_.width;
    if constexpr (axes > 1) both_along<slopes>(at.u[1], y, dy);
    if constexpr (axes > 2) both_along<slopes>(at.u[axes - 1], z, dz);
    const Real* base = local + at.first[0] - skip;
    if constexpr (axes > 1) base += rows_.row(at.first[1], axes > 2 ? at.first[axes - 1] : 0);
    for (int k = 0; k < (axes > 2 ? width : 1); ++k) {
      V plane[vectors] = {}, sloped[vectors] = {};
      for (int j = 0; j < (axes > 1 ? width : 1); ++j)
        for (int v = 0; v < vectors; ++v) {
          const V x = load(base + rows_.row(j, k) + v * lanes<Real>);
          plane[v] += (axes > 1 ? y[j] : Real(1)) * x;
          if constexpr (slopes && axes > 1) sloped[v] += dy[j] * x;
        }
      for (int v = 0; v < vectors; ++v) {
        plain[v] += (axes > 2 ? z[k] : Real(1)) * plane[v];
        if constexpr (slopes && axes > 1) along_y[v] += (axes > 2 ? z[k] : Real(1)) * sloped[v];
        if constexpr (slopes && axes > 2) along_z[v] += dz[k] * plane[v];
      }
    }
    V window[vectors], slope[vectors];
    evaluate_window<vectors>(grid_.value, grid_.degree, skip, at.u[0], window);
    write(0, i, dot<vectors>(window, plain), 1);
    if constexpr (!slopes) return;
    evaluate_window<vectors>(grid_.slope, grid_.degree, skip, at.u[0], slope);
    const Real scale = static_cast<Real>(grid_.lattice.inverse);
    write(1 + grid_.lattice.axis[0], i, dot<vectors>(slope, plain), scale);
    if constexpr (axes > 1) write(1 + grid_.lattice.axis[1], i, dot<vectors>(window, along_y), scale);
    if constexpr (axes > 2) write(1 + grid_.lattice.axis[2], i, dot<vectors>(window, along_z), scale);
  }

  template <bool slopes>
  FARFIELD_INLINE void both_along(Real u, Real* value, Real* slope) const {
    window_along(grid_.value, grid_.degree, grid_.width, u, value);
    if constexpr (slopes) window_along(grid_.slope, grid_.degree, grid_.width, u, slope);
  }
  template <int vectors>
  static FARFIELD_INLINE Real dot(const V* a, const V* b) {
    V sum = a[0] * b[0];
    for (int v = 1; v < vectors; ++v) sum += a[v] * b[v];
    return sum_lanes<Real>(sum);
  }
  FARFIELD_INLINE void write(int part, std::int64_t i, Real value, Real scale) const {
    work_.result[part][i] = value * scale;
  }

  const Work<Real>& work_;
  const GridView<Real>& grid_;
  const LocalRows<axes> rows_;
  const WindowVectors<Real> vectors_;
};

/// Memory of one thread.
template <class Real, int axes, int parts>
struct InterpolateScratch {
  Scratch<Real> local;
  RunReader<Real, axes> reader;
  RunPolynomial<Real, axes> polynomial;
  RunInterpolator<Real, axes, parts> runs;
  explicit InterpolateScratch(const GridView<Real>& grid) : polynomial(grid), runs(grid) {}
};

template <class Real, int axes, int parts>
class RunSums {
 public:
  using Own = InterpolateScratch<Real, axes, parts>;
  RunSums(const Work<Real>& work, const Real* local, Own& own) : work_(work), local_(local), own_(own) {}

  /// Of the points [i, j) of a run.
  void operator()(const RunReader<Real, axes>& run, int i, int j) const {
    Real* to[1 + axes];
    for (int r = 0; r < results; ++r)
      to[r] = work_.result[r == 0 ? 0 : 1 + work_.grid.lattice.axis[r - 1]] + run.begin();
    if (worth_polynomials(j - i))
      for (int r = 0; r < results; ++r) by_polynomial(run, i, j, r - 1, to[r]);
    else
      own_.runs.sum(local_, run, i, j, to);
    const Real scale = static_cast<Real>(work_.grid.lattice.inverse);
    for (int r = 1; r < results; ++r)
      for (int k = i; k < j; ++k) to[r][k] *= scale;
  }

 private:
  static constexpr int results = parts > 1 ? 1 + axes : 1;

  /// In space the polynomials of 36 points a cell took twice as long as their windows.
  bool worth_polynomials(int count) const {
    if constexpr (axes == 3) return false;
    return RunPolynomial<Real, axes>::worth(work_.grid, results, count);
  }

  void by_polynomial(const RunReader<Real, axes>& run, int i, int j, int slope, Real* to) const {
    constexpr int vectors = RunPolynomial<Real, axes>::together, most = vectors * lanes<Real>;
    own_.polynomial.make(local_, run, i, slope);
    const Real* u[axes];
    for (; j - i >= most; i += most) {
      for (int a = 0; a < axes; ++a) u[a] = run.u(a) + i;
      own_.polynomial.template evaluate<vectors>(u, to + i);
    }
    if (i == j) return;
    alignas(64) Real last[most];
    for (int a = 0; a < axes; ++a) u[a] = run.u(a) + i;
    with_vectors_of<vectors>((j - i + lanes<Real> - 1) / lanes<Real>,
                             [&](auto few) FARFIELD_LAMBDA { own_.polynomial.template evaluate<few()>(u, last); });
    std::copy_n(last, j - i, to + i);
  }
  /// Calls f(std::integral_constant<int, needed>), needed <= most.
  template <int most, class F>
  static FARFIELD_INLINE void with_vectors_of(int needed, const F& f) {
    if constexpr (most > 1) {
      if (needed < most) return with_vectors_of<most - 1>(needed, f);
    }
    f(std::integral_constant<int, most>{});
  }

  const Work<Real>& work_;
  const Real* local_;
  Own& own_;
};

template <class Real, int axes, int parts>
static void add_piece(const Work<Real>& work, const GridPiece& piece, const Real* local,
                      InterpolateScratch<Real, axes, parts>& own) {
  const Interpolator<Real, axes, parts> interpolator(work);
  if (!has_runs(work.grid.lattice)) return interpolator.add_points(local, piece.begin, piece.end);
  const RunSums<Real, axes, parts> sums(work, local, own);
  for_runs(own.reader, work.grid.lattice, work.target, piece.begin, piece.end,
           &RunInterpolator<Real, axes, parts>::worth, sums,
           [&](std::int64_t i, std::int64_t j) { interpolator.add_points(local, i, j); });
}

template <class Real, int axes, int parts>
static void interpolate_cells(const Work<Real>& work) {
  const GridView<Real>& grid = work.grid;
  const Interpolator<Real, axes, parts> interpolator(work);
  using Own = InterpolateScratch<Real, axes, parts>;
  for_blocks<Own>(
      {0, grid.targets.piece_count}, work.threads,
      [&](Own& own, std::int64_t p) {
        const GridPiece& piece = grid.targets.pieces[p];
        Real* local = own.local.need(local_points(axes, grid.width));
        for (int part = 1; part < parts; ++part)
          std::fill(work.result[part] + piece.begin, work.result[part] + piece.end, Real(0));
        interpolator.collect(local, piece.block);
        add_piece<Real, axes, parts>(work, piece, local, own);
      },
      grid);
}

template <class Real>
void interpolate(const Work<Real>& work) {
  with_parts(work.result.parts(), [&](auto parts) {
    with_axes(work.grid.lattice.axes, [&](auto axes) { interpolate_cells<Real, axes(), parts()>(work); });
  });
}

template void interpolate<double>(const Work<double>&);
template void interpolate<float>(const Work<float>&);

}  // namespace farfield::cpu::FARFIELD_ISA

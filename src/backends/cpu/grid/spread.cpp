// spread: strengths onto the blocks of the grid. A cell's points are summed in memory of one block and its margin,
// which is then added to the blocks that it covers: at one time those of cells that share none. Cells of many points
// are summed in pieces first, whose limits do not depend on the number of threads. Points of one cell of the grid are
// added together (run_spread.hpp). Cost: w^d multiply-adds for each source.
#include <algorithm>

#include "backends/cpu/grid/run_moments.hpp"
#include "backends/cpu/grid/run_spread.hpp"
#include "backends/cpu/runtime/blocks.hpp"
#include "backends/cpu/stage_list.hpp"
#include "backends/cpu/tuning.hpp"

namespace farfield::cpu::FARFIELD_ISA {

template <class Real, int axes>
class Spreader {
  using V = Vec<Real>;

 public:
  explicit Spreader(const Work<Real>& work)
      : work_(work), grid_(work.grid), rows_{work.grid.width}, vectors_(work.grid.width) {}

  void add_points(Real* local, std::int64_t begin, std::int64_t end) const {
    for (std::int64_t i = begin; i < end; ++i) {
      const Footprint<Real, axes> at(grid_.lattice, work_.source, i);
      const int skip = at.skip(vectors_.step);
      with_vectors<Real>(vectors_.needed(skip), [&](auto vectors) FARFIELD_LAMBDA {
        add_point<vectors()>(local, at, skip, work_.strength[i]);
      });
    }
  }

  /// Adds what a cell's points gave to the blocks that it covers.
  void add_to_blocks(const Real* local, std::int64_t cell) const {
    constexpr int side = block_side(axes);
    const int wide = side + grid_.width;
    for (int z = 0; z < (axes > 2 ? wide : 1); ++z)
      for (int y = 0; y < (axes > 1 ? wide : 1); ++y) {
        const std::int32_t* corners = grid_.sources.corners + 8 * cell + 2 * (y >= side) + 4 * (z >= side);
        const std::int64_t row = (static_cast<std::int64_t>(z % side) * side + y % side) * side;
        const Real* from = local + rows_.row(y, z);
        add_row(grid_.to + corners[0] * block_points(axes) + row, from, side);
        add_row(grid_.to + corners[1] * block_points(axes) + row, from + side, window_padding);
      }
  }

 private:
  template <int vectors>
  FARFIELD_INLINE void add_point(Real* local, const Footprint<Real, axes>& at, int skip, Real q) const {
    V along[vectors];
    Real y[2 * window_padding], z[2 * window_padding];
    const int width = grid_.width;
    evaluate_window<vectors>(grid_.value, grid_.degree, skip, at.u[0], along);
    if constexpr (axes > 1) window_along(grid_.value, grid_.degree, width, at.u[1], y);
    if constexpr (axes > 2) window_along(grid_.value, grid_.degree, width, at.u[2], z);
    Real* base = local + at.first[0] - skip;
    if constexpr (axes > 1) base += rows_.row(at.first[1], axes > 2 ? at.first[axes - 1] : 0);
    for (int v = 0; v < vectors; ++v) along[v] *= q;
    for (int k = 0; k < (axes > 2 ? width : 1); ++k) {
      V plane[vectors];  // what rows have in common: a row then takes one multiply-add with a number in memory
      for (int v = 0; v < vectors; ++v) plane[v] = (axes > 2 ? z[k] : Real(1)) * along[v];
      for (int j = 0; j < (axes > 1 ? width : 1); ++j) {
        Real* row = base + rows_.row(j, k);
        for (int v = 0; v < vectors; ++v)
          store(row + v * lanes<Real>, V(load(row + v * lanes<Real>) + (axes > 1 ? y[j] : Real(1)) * plane[v]));
      }
    }
  }

  static FARFIELD_INLINE void add_row(Real* to, const Real* from, int count) {
    for (int i = 0; i < count; i += lanes<Real>) store(to + i, V(load(to + i) + load(from + i)));
  }

  const Work<Real>& work_;
  const GridView<Real>& grid_;
  const LocalRows<axes> rows_;
  const WindowVectors<Real> vectors_;
};

/// Memory of one thread.
template <class Real, int axes>
struct SpreadScratch {
  Scratch<Real> local;
  RunReader<Real, axes> reader;
  RunSpreader<Real, axes> runs;
  RunMoments<Real, axes> moments;
  explicit SpreadScratch(const GridView<Real>& grid) : runs(grid), moments(grid) {}
};

template <class Real, int axes>
static void add_piece(const Work<Real>& work, const GridPiece& piece, Real* local, SpreadScratch<Real, axes>& own) {
  const GridView<Real>& grid = work.grid;
  const Spreader<Real, axes> spreader(work);
  std::fill_n(local, local_points(axes, grid.width), Real(0));
  if (!has_runs(grid.lattice)) return spreader.add_points(local, piece.begin, piece.end);
  for_runs(
      own.reader, grid.lattice, work.source, piece.begin, piece.end, &RunSpreader<Real, axes>::worth,
      [&](const auto& run, int i, int j) {
        if (RunMoments<Real, axes>::worth(grid, j - i)) return own.moments.add(local, run, work.strength, i, j);
        own.runs.add(local, run, work.strength, i, j);
      },
      [&](std::int64_t i, std::int64_t j) { spreader.add_points(local, i, j); });
}

template <class Real, int axes>
static void spread_cells(const Work<Real>& work) {
  const GridView<Real>& grid = work.grid;
  const Spreader<Real, axes> spreader(work);
  const std::int64_t local = local_points(axes, grid.width), points = block_points(axes);
  using Own = SpreadScratch<Real, axes>;
  for_blocks<Own>(
      {0, grid.sources.piece_count}, work.threads,
      [&](Own& own, std::int64_t p) {
        const GridPiece& piece = grid.sources.pieces[p];
        if (piece.kept >= 0) add_piece(work, piece, grid.kept + piece.kept * local, own);
      },
      grid);
  for_blocks<Scratch<Real>>({0, grid.spread_blocks, 1, 8}, work.threads,
                            [&](auto&, std::int64_t b) { std::fill_n(grid.to + b * points, points, Real(0)); });
  for (int colour = 0; colour < 1 << axes; ++colour)
    for_blocks<Own>(
        {grid.colour[colour], grid.colour[colour + 1]}, work.threads,
        [&](Own& own, std::int64_t c) {
          const std::int64_t cell = grid.coloured[c];
          for (std::int64_t p = grid.first_piece[cell]; p < grid.first_piece[cell + 1]; ++p) {
            const GridPiece& piece = grid.sources.pieces[p];
            Real* sums = piece.kept >= 0 ? grid.kept + piece.kept * local : own.local.need(local);
            if (piece.kept < 0) add_piece(work, piece, sums, own);
            spreader.add_to_blocks(sums, cell);
          }
        },
        grid);
}

template <class Real>
void spread(const Work<Real>& work) {
  with_axes(work.grid.lattice.axes, [&](auto axes) { spread_cells<Real, axes()>(work); });
}

template void spread<double>(const Work<double>&);
template void spread<float>(const Work<float>&);

}  // namespace farfield::cpu::FARFIELD_ISA

// convolve: taps along one axis, block by block. Along the first axis a row of the result and its neighbours lie in
// line; along the others vectors hold points that are side by side, which do not mix.
// Cost: 2 taps + 1 multiply-adds for each point of the grid and axis.
#include <algorithm>

#include "backends/cpu/grid/view.hpp"
#include "backends/cpu/runtime/blocks.hpp"
#include "backends/cpu/stage_list.hpp"

namespace farfield::cpu::FARFIELD_ISA {

inline constexpr int together = 8;  ///< sums that are formed at a time: as many as hide the latency of a multiply-add

/// Taps with zeros around them: tap[m] for |m| <= taps + together.
template <class Real>
class PaddedTaps {
 public:
  PaddedTaps(const Real* tap, int taps) {
    const int most = taps + 2 * together;
    Real* all = buffer_.need(2 * most + 1);
    middle_ = all + most;
    for (int m = -most; m <= most; ++m) middle_[m] = std::abs(m) <= taps ? tap[std::abs(m)] : Real(0);
  }
  Real operator[](int m) const { return middle_[m]; }

 private:
  Scratch<Real> buffer_;
  Real* middle_;
};

template <class Real>
struct ConvolveScratch {
  PaddedTaps<Real> tap;
  Scratch<Real> lines;
  ConvolveScratch(const Real* taps, int count) : tap(taps, count) {}
};

/// Rows of the block along the first axis, `together` at a time.
template <class Real, int axes>
static void convolve_rows(const GridView<Real>& grid, const std::int32_t* inputs, Real* out,
                          ConvolveScratch<Real>& scratch) {
  using V = Vec<Real>;
  constexpr int side = block_side(axes), rows = static_cast<int>(block_points(axes) / side),
                at_once = rows < together ? rows : together;
  const int reach = grid.reach;
  const std::int64_t pitch = (2 * reach + 1) * side;
  Real* lines = scratch.lines.need(at_once * pitch);
  for (int row = 0; row < rows; row += at_once) {
    for (int r = 0; r < at_once; ++r)
      for (int n = 0; n < 2 * reach + 1; ++n) {
        Real* line = lines + r * pitch + n * side;
        if (inputs[n] >= 0)
          std::copy_n(grid.from + inputs[n] * block_points(axes) + (row + r) * side, side, line);
        else
          std::fill_n(line, side, Real(0));
      }
    for (int i = 0; i < side; i += lanes<Real>) {
      V sum[at_once] = {};
      const Real* centre = lines + reach * side + i;
      for (int m = -grid.taps; m <= grid.taps; ++m) {
        const Real tap = scratch.tap[m];
        for (int r = 0; r < at_once; ++r) sum[r] += tap * load(centre + r * pitch + m);
      }
      for (int r = 0; r < at_once; ++r) store(out + (row + r) * side + i, sum[r]);
    }
  }
}

/// Along another axis: points of a line are `stride` apart.
template <class Real, int axes>
static void convolve_lines(const GridView<Real>& grid, const std::int32_t* inputs, Real* out,
                           const PaddedTaps<Real>& tap, std::int64_t line, std::int64_t stride) {
  using V = Vec<Real>;
  constexpr int side = block_side(axes);
  for (int first = 0; first < side; first += together) {
    V sum[together] = {};
    for (int n = 0; n < 2 * grid.reach + 1; ++n) {
      if (inputs[n] < 0) continue;
      const int offset = (n - grid.reach) * side;
      const int begin = std::max(0, first - grid.taps - offset),
                end = std::min(side, first + together + grid.taps - offset);
      const Real* from = grid.from + inputs[n] * block_points(axes) + line;
      for (int j = begin; j < end; ++j) {
        const V x = load(from + j * stride);
        for (int k = 0; k < together; ++k) sum[k] += tap[j + offset - first - k] * x;
      }
    }
    for (int k = 0; k < together; ++k) store(out + line + (first + k) * stride, sum[k]);
  }
}

template <class Real, int axes>
static void convolve_block(const GridView<Real>& grid, int axis, std::int64_t block, ConvolveScratch<Real>& scratch) {
  constexpr std::int64_t side = block_side(axes);
  const std::int32_t* inputs = grid.pass[axis].inputs + block * (2 * grid.reach + 1);
  Real* out = grid.to + block * block_points(axes);
  if (axis == 0) return convolve_rows<Real, axes>(grid, inputs, out, scratch);
  const std::int64_t stride = axis == 1 ? side : side * side, others = block_points(axes) / (side * side);
  for (std::int64_t o = 0; o < others; ++o)
    for (std::int64_t x = 0; x < side; x += lanes<Real>)
      convolve_lines<Real, axes>(grid, inputs, out, scratch.tap, x + o * (axis == 1 ? side * side : side), stride);
}

template <class Real>
void convolve(const Work<Real>& work, int axis) {
  const GridView<Real>& grid = work.grid;
  for_blocks<ConvolveScratch<Real>>(
      {0, grid.pass[axis].blocks}, work.threads,
      [&](auto& scratch, std::int64_t block) {
        if (grid.lattice.axes == 1) return convolve_block<Real, 1>(grid, axis, block, scratch);
        if (grid.lattice.axes == 2) return convolve_block<Real, 2>(grid, axis, block, scratch);
        convolve_block<Real, 3>(grid, axis, block, scratch);
      },
      grid.tap, grid.taps);
}

template void convolve<double>(const Work<double>&, int axis);
template void convolve<float>(const Work<float>&, int axis);

}  // namespace farfield::cpu::FARFIELD_ISA

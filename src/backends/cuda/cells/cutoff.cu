// cutoff: each target with the sources within reach, for kernels that vanish farther out. A block per tile of a cell's
// targets sums the pairs with all sources of the rows of cells that the reach touches (near/pair_sum.hpp). Overwrites
// the results. Cost: one pair for every source in those cells.
#include <algorithm>

#include "backends/cuda/cells/stages.hpp"
#include "backends/cuda/near/pair_sum.hpp"
#include "backends/cuda/near/source_rows.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {

/// The rows of cells about one cell; for a block.
class RowRanges {
 public:
  using Source = std::uint32_t;
  static constexpr bool a_warp = false;
  __device__ RowRanges(const NearView& near, CellKey cell) : near_(near), cell_(cell) {
    most_ = static_cast<int>(near.most_rows());
    across_ = 2 * most_ + 1;
    rows_ = near.lattice.axes > 2 ? across_ * across_ : near.lattice.axes > 1 ? across_ : 1;
  }
  __device__ static void wait() { __syncthreads(); }
  __device__ bool advance() {
    next_ += 32;
    return next_ < rows_;
  }
  __device__ static std::uint32_t source(int, std::uint32_t s) { return s; }
  __device__ SourceRange of(int lane) const {
    const int row = next_ + lane;
    NearView::Row own;
    const bool plane = near_.lattice.axes > 1, space = near_.lattice.axes > 2;
    if (row < rows_) own = near_.row(cell_, plane ? row % across_ - most_ : 0, space ? row / across_ - most_ : 0);
    return {static_cast<std::uint32_t>(own.begin), static_cast<std::uint32_t>(own.end - own.begin)};
  }

 private:
  const NearView& near_;
  const CellKey cell_;
  int most_, across_, rows_, next_ = 0;
};
using NearRows = RangeSources<RowRanges>;

/// About the middle of a cell, of its width: in single, positions are then rounded to 2^-24 of a few cells, whatever
/// the extent of all points.
template <class Kernel, class Real>
__device__ PairFrame<Real> frame_of_cell(const NearWork<Real>& work, const NearView& near, CellKey cell,
                                         std::int64_t target) {
  double middle[3] = {work.target[0][target], work.target[1][target], work.target[2][target]};
#pragma unroll
  for (int axis = 0; axis < 3; ++axis)
    for (int a = 0; a < near.lattice.axes; ++a)
      if (near.lattice.axis[a] == axis) middle[axis] = near.middle(cell, a);
  return make_frame<Kernel, Real>(middle[0], middle[1], middle[2], near.width());
}

template <class Kernel, class Real, int parts, int threads>
__global__ void __launch_bounds__(threads, tuning::tile_residents<Real> / threads)
    cutoff_kernel(const __grid_constant__ NearWork<Real> work, const __grid_constant__ CutoffView view) {
  using Sum = PairSum<Kernel, Real, parts, threads, Softened::no, true>;
  static_assert(Sum::most_targets >= cell_tile);
  __shared__ typename Sum::Shared shared;
  __shared__ NearRows::Shared rows;
  for (std::int64_t i = blockIdx.x; i < *view.tiles; i += gridDim.x) {
    const CellTile tile = view.tile[i];
    const CellKey cell = view.near.targets.key[tile.cell];
    if (threadIdx.x == threads - 1) shared.frame = frame_of_cell<Kernel>(work, view.near, cell, tile.first);
    NearRows sources({view.near, cell}, rows);
    Sum sum(work, shared, tile.first, tile.count);
    sum.add(sources);
    sum.finish(true);
    __syncthreads();
  }
}

template <class Kernel, class Real>
void cutoff(const NearWork<Real>& work, const CutoffView& view) {
  constexpr int threads = tuning::narrow_tile;
  const auto kernel =
      with_parts(work.result.parts(), [](auto parts) { return &cutoff_kernel<Kernel, Real, parts(), threads>; });
  const std::int64_t blocks = tuning::p2p_blocks(view.most_tiles, device_limits().multiprocessors);
  kernel<<<static_cast<unsigned>(blocks), threads, 0, work.stream>>>(work, view);
  require_launch("cutoff");
}

FARFIELD_INSTANTIATE(cutoff, NearWork, const CutoffView&)

}  // namespace farfield::cuda

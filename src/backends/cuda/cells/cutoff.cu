// cutoff: each target with the sources within reach, for kernels that vanish farther out. A block per tile of a cell's
// targets sums the pairs with all sources of the rows of cells that the reach touches (near/pair_sum.hpp). Overwrites
// the results. Cost: one pair for every source in those cells.
#include <algorithm>

#include "backends/cuda/cells/stages.hpp"
#include "backends/cuda/near/pair_sum.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {

/// The sources in the rows of cells about one cell, up to 32 rows at a time, each searched for by a lane.
class NearRows {
 public:
  struct Shared {
    std::uint32_t offset[33];  ///< how many sources there are in the rows before each; the last is the sum
    std::uint32_t first[32];   ///< the row's first source less its offset
  };
  /// By all threads of a block.
  __device__ NearRows(const NearView& near, CellKey cell, Shared& shared) : near_(near), cell_(cell), shared_(shared) {
    most_ = static_cast<int>(near.most_rows());
    across_ = 2 * most_ + 1;
    rows_ = near.lattice.axes > 2 ? across_ * across_ : near.lattice.axes > 1 ? across_ : 1;
    load();
  }
  __device__ bool ready() {
    while (taken_ == shared_.offset[32]) {
      next_ += 32;
      if (next_ >= rows_) return false;
      taken_ = 0;
      load();
    }
    return true;
  }
  __device__ std::uint32_t left() const { return shared_.offset[32] - taken_; }
  __device__ void take(std::uint32_t count) { taken_ += count; }
  __device__ std::uint32_t operator()(std::uint32_t i) const {
    int row = 0;
    i += taken_;
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
      if (shared_.offset[row + step] <= i) row += step;
    return shared_.first[row] + i;
  }

 private:
  __device__ void load() {
    __syncthreads();
    const int lane = static_cast<int>(threadIdx.x), row = next_ + lane;
    if (lane < 32) {
      NearView::Row own;
      const bool plane = near_.lattice.axes > 1, space = near_.lattice.axes > 2;
      if (row < rows_) own = near_.row(cell_, plane ? row % across_ - most_ : 0, space ? row / across_ - most_ : 0);
      const auto count = static_cast<std::uint32_t>(own.end - own.begin);
      const std::uint32_t length = sum_up_to(lane, count);
      shared_.first[lane] = static_cast<std::uint32_t>(own.begin) - (length - count);
      shared_.offset[lane + 1] = length;
      if (lane == 0) shared_.offset[0] = 0;
    }
    __syncthreads();
  }

  const NearView& near_;
  const CellKey cell_;
  Shared& shared_;
  int most_, across_, rows_, next_ = 0;
  std::uint32_t taken_ = 0;
};

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
    NearRows sources(view.near, cell, rows);
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

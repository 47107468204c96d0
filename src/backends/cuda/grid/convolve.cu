// convolve: taps along one axis, a thread per point of the result; what threads read of other blocks is in the first
// cache. Cost: 2 taps + 1 multiply-adds for each point of the grid and axis.
#include "backends/cuda/grid/view.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/runtime/parallel.hpp"

namespace farfield::cuda {

inline constexpr int most_taps = 256;  ///< on one side, that are held in shared memory

template <class Real, int axes>
__global__ void __launch_bounds__(block_threads)
    convolve_kernel(const __grid_constant__ GridView<Real> grid, int axis) {
  constexpr int side = block_side(axes), points = static_cast<int>(block_points(axes));
  __shared__ Real tap[most_taps];
  for (int m = static_cast<int>(threadIdx.x); m <= grid.taps && m < most_taps; m += block_threads) tap[m] = grid.tap[m];
  __syncthreads();
  const std::int64_t i = std::int64_t(blockIdx.x) * block_threads + threadIdx.x, block = i / points;
  const int local = static_cast<int>(i - block * points), stride = axis == 0 ? 1 : axis == 1 ? side : side * side;
  const int at = local / stride % side;
  const std::int32_t* inputs = grid.pass[axis].inputs + block * (2 * grid.reach + 1);
  Real sum = 0;
  for (int n = -grid.reach; n <= grid.reach; ++n) {
    const std::int32_t input = inputs[n + grid.reach];
    if (input < 0) continue;
    const int shift = n * side - at;  // from the point of the result to the first one of the block
    const int begin = max(0, -grid.taps - shift), end = min(side, grid.taps - shift + 1);
    const Real* from = grid.from + std::int64_t(input) * points + (local - at * stride);
    for (int j = begin; j < end; ++j) sum += tap[abs(j + shift)] * from[j * stride];
  }
  grid.to[i] = sum;
}

template <class Real>
void convolve(const GridView<Real>& grid, int axis, cudaStream_t stream) {
  if (grid.taps >= most_taps)
    throw Error(ErrorCode::internal, "the taps of a grid are more than its stage can hold; please report it");
  with_axes(grid.lattice.axes, [&](auto axes) {
    const std::int64_t threads = grid.pass[axis].blocks * block_points(axes());
    if (threads == 0) return;
    convolve_kernel<Real, axes()>
        <<<static_cast<unsigned>(threads / block_threads), block_threads, 0, stream>>>(grid, axis);
    require_launch("convolve");
  });
}

template void convolve<float>(const GridView<float>&, int, cudaStream_t);
template void convolve<double>(const GridView<double>&, int, cudaStream_t);

}  // namespace farfield::cuda

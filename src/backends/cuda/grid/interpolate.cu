// interpolate: from the blocks of the grid to targets, with the derivative of the window for gradients. Overwrites the
// results. Eight lanes per target, which take neighbouring points of a row of the grid: sums along y and z first, then
// over the lanes. Neighbouring targets read the same rows, which stay in the first cache.
// Cost: w^d multiply-adds for each target; with gradient up to 2 w^d.
#include <algorithm>

#include "backends/cuda/grid/footprint.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/runtime/parallel.hpp"

namespace farfield::cuda {
namespace {

constexpr int interpolate_threads = 128, lanes = 8, groups = interpolate_threads / lanes, batch = 32;

/// Targets that a block of threads serves together.
template <class Real, int axes>
struct TargetBatch {
  Real u[axes][batch];
  std::int16_t first[axes][batch];  ///< of the window, from the first point of the target's block
};

template <class Real, int axes, int parts, int room>
class Interpolator {
  static constexpr int side = block_side(axes), points = static_cast<int>(block_points(axes));
  static constexpr int pitch = window_pitch<room>;
  static constexpr bool slopes = parts > 1;

 public:
  static std::size_t bytes(const GridView<Real>& grid) {
    const int numbers = (grid.degree + 1) * room + batch * axes * pitch;
    return sizeof(TargetBatch<Real, axes>) + sizeof(Real) * static_cast<std::size_t>(slopes ? 2 * numbers : numbers);
  }

  __device__ Interpolator(const NearWork<Real>& work, const GridView<Real>& grid, unsigned char* memory)
      : work_(work), grid_(grid), batch_(*reinterpret_cast<TargetBatch<Real, axes>*>(memory)) {
    const int coefficients = (grid.degree + 1) * room;
    value_ = reinterpret_cast<Real*>(memory + sizeof(TargetBatch<Real, axes>));
    slope_ = value_ + coefficients;
    window_ = slopes ? slope_ + coefficients : slope_;
    sloped_ = window_ + batch * axes * pitch;
    load_coefficients<room, interpolate_threads>(grid.value, grid.degree, grid.width, value_);
    if (slopes) load_coefficients<room, interpolate_threads>(grid.slope, grid.degree, grid.width, slope_);
  }

  __device__ void serve(std::int64_t base) {
    const int count = static_cast<int>(min(std::int64_t(batch), work_.targets - base));
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < count * axes; i += interpolate_threads)
      place(base, i % count, i / count);
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < (slopes ? 2 : 1) * count * axes; i += interpolate_threads) {
      const bool slope = i >= count * axes;
      const int row = slope ? i - count * axes : i;
      Real window[room];
      evaluate_window<room>(slope ? slope_ : value_, grid_.degree, batch_.u[row % axes][row / axes], window);
      Real* to = (slope ? sloped_ : window_) + row * pitch;
#pragma unroll
      for (int k = 0; k < room; ++k) to[k] = window[k];
    }
    __syncthreads();
    for (int at = static_cast<int>(threadIdx.x) / lanes; at < batch; at += groups)  // whole warps stay together
      sum_at(base, min(at, count - 1), at < count);
  }

 private:
  __device__ void place(std::int64_t base, int at, int a) {
    const Footprint<Real> of(grid_.lattice, chosen(work_.target, grid_.lattice.axis[a])[base + at], a);
    batch_.u[a][at] = of.u;
    batch_.first[a][at] = static_cast<std::int16_t>(of.place & (side - 1));
  }

  struct Sums {
    Real value = 0, x = 0, y = 0, z = 0;
  };

  __device__ void sum_at(std::int64_t base, int at, bool exists) const {
    const int lane = static_cast<int>(threadIdx.x) % lanes, width = grid_.width;
    const std::int32_t cell = grid_.target_cell[base + at];
    const std::int32_t corner = grid_.corners[lanes * std::int64_t(cell) + lane];
    Sums sums;
#pragma unroll 1
    for (int first = 0; first < width; first += lanes) add_columns(at, first + lane, corner, sums);
    deliver(base + at, exists, sums);
  }

  /// Adds what stands at place `column` of the window along the first axis.
  __device__ void add_columns(int at, int column, std::int32_t corner, Sums& sums) const {
    const int width = grid_.width;
    const bool counts = column < width;
    const int x = batch_.first[0][at] + (counts ? column : width - 1);
    const int y0 = axes > 1 ? batch_.first[axes > 1 ? 1 : 0][at] : 0, z0 = axes > 2 ? batch_.first[axes - 1][at] : 0;
    const Real* rows[4];  // of the blocks on either side along y and z
#pragma unroll
    for (int i = 0; i < (axes == 1 ? 1 : axes == 2 ? 2 : 4); ++i) {
      const std::int32_t block = __shfl_sync(0xffffffffu, corner, 2 * i + (x >= side), lanes);
      rows[i] = grid_.from + std::int64_t(block) * points + (x & (side - 1));
    }
    const Real *value = window_ + at * axes * pitch, *slope = sloped_ + at * axes * pitch;
    Real plain = 0, along_y = 0, along_z = 0;
    for (int k = 0; k < (axes > 2 ? width : 1); ++k) {
      const int z = z0 + k, plane = (z & (side - 1)) * side * side;
      const Real *near = axes > 2 && z >= side ? rows[axes > 2 ? 2 : 0] + plane : rows[0] + (axes > 2 ? plane : 0),
                 *far = axes > 1 ? (axes > 2 && z >= side ? rows[axes > 2 ? 3 : 1] : rows[1]) + (axes > 2 ? plane : 0)
                                 : near;
      Real sum = 0, sloped = 0;
#pragma unroll
      for (int j = 0; j < (axes > 1 ? room : 1); ++j) {  // weights beyond the width are 0
        const int y = y0 + j;
        const Real number = axes > 1 ? (y >= side ? far : near)[(y & (side - 1)) * side] : near[0];
        sum += axes > 1 ? value[pitch + j] * number : number;
        if constexpr (slopes && axes > 1) sloped += slope[pitch + j] * number;
      }
      const Real of_z = axes > 2 ? value[2 * pitch + k] : Real(1);
      plain += of_z * sum;
      if constexpr (slopes && axes > 1) along_y += of_z * sloped;
      if constexpr (slopes && axes > 2) along_z += slope[2 * pitch + k] * sum;
    }
    if (!counts) return;
    sums.value += value[column] * plain;
    if constexpr (!slopes) return;
    sums.x += slope[column] * plain, sums.y += value[column] * along_y, sums.z += value[column] * along_z;
  }

  __device__ static Real over_lanes(Real sum) {
#pragma unroll
    for (int other = lanes / 2; other > 0; other /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, other);
    return sum;
  }

  __device__ void deliver(std::int64_t i, bool exists, const Sums& sums) const {
    const Real value = over_lanes(sums.value);
    const bool writes = exists && threadIdx.x % lanes == 0;
    if (writes) work_.result[0][i] = value;
    if constexpr (!slopes) return;
    const Real scale = static_cast<Real>(grid_.lattice.inverse);
    const Real slope[3] = {over_lanes(sums.x) * scale, over_lanes(sums.y) * scale, over_lanes(sums.z) * scale};
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      Real own = 0;
#pragma unroll
      for (int a = 0; a < axes; ++a)
        if (grid_.lattice.axis[a] == axis) own = slope[a];
      if (writes) work_.result[1 + axis][i] = own;
    }
  }

  const NearWork<Real>& work_;
  const GridView<Real>& grid_;
  TargetBatch<Real, axes>& batch_;
  Real *value_, *slope_, *window_, *sloped_;
};

template <class Real, int axes, int parts, int room>
__global__ void __launch_bounds__(interpolate_threads)
    interpolate_kernel(const __grid_constant__ NearWork<Real> work, const __grid_constant__ GridView<Real> grid) {
  extern __shared__ __align__(16) unsigned char memory[];
  Interpolator<Real, axes, parts, room> interpolator(work, grid, memory);
  for (std::int64_t base = std::int64_t(blockIdx.x) * batch; base < work.targets;
       base += std::int64_t(gridDim.x) * batch)
    interpolator.serve(base);
}

}  // namespace

template <class Real>
void interpolate(const NearWork<Real>& work, const GridView<Real>& grid) {
  const std::int64_t blocks =
      std::min<std::int64_t>((work.targets + batch - 1) / batch, 64 * device_limits().multiprocessors);
  if (blocks == 0) return;
  const auto launch = [&](auto parts, auto axes, auto room) {
    launch_kernel("interpolate", &interpolate_kernel<Real, axes(), parts(), room()>,
                  {dim3(static_cast<unsigned>(blocks)), interpolate_threads,
                   Interpolator<Real, axes(), parts(), room()>::bytes(grid)},
                  work.stream, work, grid);
  };
  with_parts(work.result.parts(), [&](auto parts) {
    with_axes(grid.lattice.axes,
              [&](auto axes) { with_room(grid.width, [&](auto room) { launch(parts, axes, room); }); });
  });
}

template void interpolate<float>(const NearWork<float>&, const GridView<float>&);
template void interpolate<double>(const NearWork<double>&, const GridView<double>&);

}  // namespace farfield::cuda

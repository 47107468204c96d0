#include "backends/cuda/periodic/blocks/transforms.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "expansions/periodic/blocks/wave_m2l.hpp"

namespace farfield::cuda {
namespace {

using convolution::Complex, convolution::GridTransform, convolution::Order, convolution::Wave;
/// Of a block, which has an order. One H200: a slab's grid of 4 x 4 x 16 blocks takes 23 us, with 256 threads 33.
constexpr int wave_threads = 512;

__host__ __device__ int circle_of(const GridTransform& g) { return g.length[0] + g.length[1] + g.length[2]; }
/// Numbers that stand between a transform's stages.
__host__ __device__ int forward_room(const GridTransform& g) { return g.after_first() + g.after_second(); }
__host__ __device__ int back_room(const GridTransform& g) { return g.frequencies() + g.rest_first() + g.rest_second(); }
std::size_t bytes_for(const GridTransform& g, int room) {
  return static_cast<std::size_t>(circle_of(g)) * sizeof(Complex) + static_cast<std::size_t>(room) * sizeof(Wave);
}

/// Where a block of threads has its stages: in `shared` behind the waves, which it copies, or in its part of `scratch`.
__device__ Wave* room_of_block(GridTransform& g, int room, Complex* shared, Wave* scratch) {
  const int block = static_cast<int>(blockIdx.y * gridDim.x + blockIdx.x), waves = circle_of(g);
  if (scratch) return scratch + std::int64_t(block) * room;
  for (int i = static_cast<int>(threadIdx.x); i < waves; i += wave_threads) shared[i] = g.waves[i];
  __syncthreads();
  g.waves = shared;
  return reinterpret_cast<Wave*>(shared + (waves + 1) / 2 * 2);
}

template <class Numbers, class Write>
__device__ void transform(const GridTransform& g, Wave* room, const Numbers& x, const Write& write) {
  const int thread = static_cast<int>(threadIdx.x);
  Wave* const second = room + g.after_first();
  convolution::transform_first(g, thread, wave_threads, x, room);
  __syncthreads();
  convolution::transform_second(g, thread, wave_threads, room, second);
  __syncthreads();
  convolution::transform_third(g, thread, wave_threads, second, write);
}

/// Block (order, which of the two).
__global__ void __launch_bounds__(wave_threads) multipole_waves(const __grid_constant__ MultipoleWaves w, int room) {
  extern __shared__ __align__(16) double shared[];
  const bool points = blockIdx.y > 0;
  const int order = static_cast<int>(blockIdx.x);
  const Order at(order);
  const int coefficient = SolidShape::index(at.n, at.m);
  GridTransform g = w.grid[blockIdx.y];
  Wave* const own = room_of_block(g, room, reinterpret_cast<Complex*>(shared), w.scratch);
  const auto* const scaled = reinterpret_cast<const Complex*>(w.scaled) + coefficient;
  Wave* const to = w.to[blockIdx.y];
  transform(
      g, own,
      [&](int s) -> Complex {
        if (!points) return scaled[std::int64_t(s) * w.count];
        const double weight = w.weight[s];
        if (weight == 0) return {};
        const convolution::GridPlace place(s, g.count[1], g.count[2]);
        const Complex x = scaled[std::int64_t(convolution::block_of_image(g, w.blocks, place)) * w.count];
        return {weight * x.real, weight * x.imaginary};
      },
      [&](int k, const Wave& wave) { to[std::int64_t(k) * w.orders + order] = wave; });
}

/// Block (order).
__global__ void __launch_bounds__(wave_threads) table_waves(const __grid_constant__ TableWaves w, int room) {
  extern __shared__ __align__(16) double shared[];
  const int order = static_cast<int>(blockIdx.x);
  const Order at(order);
  GridTransform g = w.grid;
  Wave* const own = room_of_block(g, room, reinterpret_cast<Complex*>(shared), w.scratch);
  const bool sines = convolution::has_sines(at.n, w.turns);
  const int spread = convolution::SpreadTable::size(w.degree);
  transform(
      g, own, [&](int d) { return w.from[std::int64_t(d) * w.orders + order]; },
      [&](int k, const Wave& wave) {
        const Complex value = sines ? wave.sine : wave.cosine;
        if (w.spread)
          convolution::set_spread(w.to + std::int64_t(k) * spread, at.n, at.m, value);
        else
          w.to[std::int64_t(k) * w.orders + order] = value;
      });
}

/// Block (order).
__global__ void __launch_bounds__(wave_threads) local_waves(const __grid_constant__ LocalWaves w, int room) {
  extern __shared__ __align__(16) double shared[];
  const int order = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
  GridTransform g = w.grid;
  Wave* const own = room_of_block(g, room, reinterpret_cast<Complex*>(shared), w.scratch);
  Wave *const third = own + g.frequencies(), *const second = third + g.rest_first();
  for (int k = thread; k < g.frequencies(); k += wave_threads) own[k] = w.from[std::int64_t(k) * w.orders + order];
  __syncthreads();
  convolution::restore_third(
      g, thread, wave_threads, [&](int k) { return own[k]; }, third);
  __syncthreads();
  convolution::restore_second(g, thread, wave_threads, third, second);
  __syncthreads();
  convolution::restore_first(g, thread, wave_threads, second, [&](int block, const Complex& value) {
    w.to[std::int64_t(block) * w.orders + order] = value;
  });
}

bool fits(const GridTransform& g, int room) {
  return bytes_for(g, room) + sizeof(Wave) <= static_cast<std::size_t>(device_limits().shared_bytes);
}
/// Launches with shared memory for the stages or, where it is too small, with the scratch that `w` has.
template <class Waves>
void launch(const char* name, void (*kernel)(Waves, int), Waves w, const GridTransform& largest, int room,
            const dim3& blocks, cudaStream_t stream) {
  const bool in_shared = fits(largest, room);
  if (in_shared) w.scratch = nullptr;
  launch_kernel(name, kernel, {blocks, wave_threads, in_shared ? bytes_for(largest, room) + sizeof(Wave) : 0}, stream,
                w, room);
}

}  // namespace

static std::int64_t scratch_for(const GridTransform& g, int room, int blocks) {
  return fits(g, room) ? 0 : std::int64_t{blocks} * room;
}
std::int64_t scratch_of_waves(const GridTransform& grid, int blocks) {
  return scratch_for(grid, forward_room(grid), blocks);
}
std::int64_t scratch_of_waves_back(const GridTransform& grid, int blocks) {
  return scratch_for(grid, back_room(grid), blocks);
}

void transform_multipoles(const MultipoleWaves& w, cudaStream_t stream) {
  const GridTransform& largest = w.grid[1];
  launch("transform of multipoles", multipole_waves, w, largest, forward_room(largest),
         dim3(static_cast<unsigned>(w.orders), 2), stream);
}

void transform_tables(const TableWaves& w, cudaStream_t stream) {
  launch("transform of tables", table_waves, w, w.grid, forward_room(w.grid), dim3(static_cast<unsigned>(w.orders)),
         stream);
}

void restore_locals(const LocalWaves& w, cudaStream_t stream) {
  launch("locals of transforms", local_waves, w, w.grid, back_room(w.grid), dim3(static_cast<unsigned>(w.orders)),
         stream);
}

}  // namespace farfield::cuda

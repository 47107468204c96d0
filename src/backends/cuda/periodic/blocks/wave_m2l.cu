#include "backends/cuda/periodic/blocks/wave_m2l.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/runtime/parallel.hpp"

namespace farfield::cuda {
namespace {

using convolution::Complex, convolution::Order, convolution::orders, convolution::SpreadTable, convolution::Wave;

/// Coefficients of one degree that a thread sums: neighbours share what they read.
constexpr int row_length = 4;
/// Rows of the coefficients of a local expansion.
int rows_of(int degree) {
  int rows = 0;
  for (int k = 0; k <= degree; ++k) rows += k / row_length + 1;
  return rows;
}
/// Where row `i` begins: (n, m).
__device__ Order begin_of_row(int i) {
  int k = 0;
  for (; i > k / row_length; ++k) i -= k / row_length + 1;
  return Order(orders(k - 1) + i * row_length);
}

/// In shared memory, of one frequency: tables, multipoles and the sums by each.
std::size_t bytes_of_frequency(int degree) {
  return 2 * (static_cast<std::size_t>(SpreadTable::size(2 * degree)) * sizeof(Complex) +
              static_cast<std::size_t>(orders(degree) + row_length * rows_of(degree)) * sizeof(Wave));
}

/// Frequencies of a block of threads, a thread for each row and each of the two tables: as many as fill warps best.
/// Degree 11 has 48 threads a frequency, so that it is two.
struct WaveShape {
  static constexpr int most_threads = 256, most_tile = 4;
  int tile = 1, threads;
  std::size_t bytes;
  /// For equal passes over so many items.
  static int threads_for(int items) {
    const int passes = (items + most_threads - 1) / most_threads;
    return ((items + passes - 1) / passes + 31) / 32 * 32;
  }
  explicit WaveShape(int degree) {
    const int items = 2 * rows_of(degree);
    const std::size_t own = bytes_of_frequency(degree),
                      room = static_cast<std::size_t>(device_limits().shared_bytes) / 3;
    const auto filled = [&](int of) { return double(of * items) / ((of * items + 31) / 32 * 32); };
    for (int of = 2; of <= most_tile && of * items <= most_threads && static_cast<std::size_t>(of) * own <= room; ++of)
      if (filled(of) > filled(tile) + 0.05) tile = of;
    threads = threads_for(tile * items);
    bytes = static_cast<std::size_t>(tile) * own;
  }
};

/// Of tile frequencies from `first` on, both tables [frequency][table][...]; loads are under way side by side.
__device__ void spread_tables(const WaveM2l& w, int first, int tile, Complex* to) {
  const int most = orders(2 * w.degree), size = SpreadTable::size(2 * w.degree), count = 2 * tile * most;
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
    const int own = i / most, order = i % most;
    const Order at(order);
    const Complex value = w.table[own % 2][std::int64_t(first + own / 2) * most + order];
    convolution::set_spread(to + own * size, at.n, at.m, value);
  }
}
__device__ void copy_multipoles(const WaveM2l& w, int first, int tile, Wave* to) {
  const int most = orders(w.degree), count = 2 * tile * most;
#pragma unroll 2
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
    const int own = i / most;
    to[i] = w.multipole[own % 2][std::int64_t(first + own / 2) * most + i % most];
  }
}

/// Block: `tile` frequencies, from copies in shared memory.
__global__ void __launch_bounds__(WaveShape::most_threads, 1)
    m2l_of_copies(const __grid_constant__ WaveM2l w, int rows, int tile) {
  extern __shared__ __align__(16) double shared[];
  const int first = static_cast<int>(blockIdx.x) * tile, most = orders(w.degree),
            size = SpreadTable::size(2 * w.degree);
  auto* const tables = reinterpret_cast<Complex*>(shared);
  auto* const multipoles = reinterpret_cast<Wave*>(tables + 2 * tile * size);
  Wave* const sums = multipoles + 2 * tile * most;  // [frequency][table][row][row_length]
  const int own_tile = min(tile, w.frequencies - first), thread = static_cast<int>(threadIdx.x),
            threads = static_cast<int>(blockDim.x);
  spread_tables(w, first, own_tile, tables);
  copy_multipoles(w, first, own_tile, multipoles);
  __syncthreads();
  for (int item = thread; item < 2 * own_tile * rows; item += threads) {
    const int own = item / rows;
    const Order at = begin_of_row(item % rows);
    Wave sum[row_length];
    convolution::add_wave_m2l(w.degree, multipoles + own * most, tables + own * size, w.turns && own % 2 == 0, at.n,
                              at.m, sum);
    for (int j = 0; j < row_length; ++j) sums[item * row_length + j] = sum[j];
  }
  __syncthreads();
  for (int item = thread; item < own_tile * rows; item += threads) {
    const Order at = begin_of_row(item % rows);
    const Wave* const one = sums + (item / rows * rows + item) * row_length;
    Wave* const to = w.sum + std::int64_t(first + item / rows) * most + orders(at.n - 1) + at.m;
    for (int j = 0; j < row_length && at.m + j <= at.n; ++j) {
      Wave both = one[j];
      convolution::add_wave(both, one[rows * row_length + j], 1, 0);
      to[j] = both;
    }
  }
}

/// Block: one frequency, of tables where they lie.
__global__ void __launch_bounds__(WaveShape::most_threads, 1)
    m2l_in_place(const __grid_constant__ WaveM2l w, int rows) {
  const int most = orders(w.degree), size = SpreadTable::size(2 * w.degree);
  const std::int64_t frequency = blockIdx.x;
  for (int row = static_cast<int>(threadIdx.x); row < rows; row += static_cast<int>(blockDim.x)) {
    const Order at = begin_of_row(row);
    Wave sum[row_length];
    for (int own = 0; own < 2; ++own)
      convolution::add_wave_m2l(w.degree, w.multipole[own] + frequency * most, w.table[own] + frequency * size,
                                w.turns && own == 0, at.n, at.m, sum);
    for (int j = 0; j < row_length && at.m + j <= at.n; ++j)
      w.sum[frequency * most + orders(at.n - 1) + at.m + j] = sum[j];
  }
}

}  // namespace

bool wave_tables_spread(int degree) {
  return bytes_of_frequency(degree) > static_cast<std::size_t>(device_limits().shared_bytes);
}

void wave_m2l(const WaveM2l& w, cudaStream_t stream) {
  const int rows = rows_of(w.degree);
  if (wave_tables_spread(w.degree)) {
    launch_kernel("m2l of blocks", m2l_in_place,
                  {dim3(static_cast<unsigned>(w.frequencies)), WaveShape::threads_for(rows), 0}, stream, w, rows);
    return;
  }
  const WaveShape shape(w.degree);
  const int blocks = (w.frequencies + shape.tile - 1) / shape.tile;
  launch_kernel("m2l of blocks", m2l_of_copies, {dim3(static_cast<unsigned>(blocks)), shape.threads, shape.bytes},
                stream, w, rows, shape.tile);
}

}  // namespace farfield::cuda

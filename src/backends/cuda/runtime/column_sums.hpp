// Sums of several numbers over many indices, in double and in a fixed order.
#pragma once
#include <array>

#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/runtime/block_sum.hpp"

namespace farfield::cuda {

inline constexpr int sum_blocks = 128;

/// part[columns * b + k]: what block b has of column k.
template <int columns, class Body>
__global__ void __launch_bounds__(sum_threads)
    add_columns(std::int64_t count, const __grid_constant__ Body body, double* part) {
  __shared__ double lane[sum_threads];
  double sum[columns] = {};
  for (std::int64_t i = std::int64_t(blockIdx.x) * sum_threads + threadIdx.x; i < count;
       i += std::int64_t(gridDim.x) * sum_threads)
    body(i, sum);
  for (int k = 0; k < columns; ++k) {
    const double all = sum_of_block(sum[k], lane);
    if (threadIdx.x == 0) part[columns * blockIdx.x + k] = all;
  }
}

/// part[columns * b + k], b < sum_blocks: of what body(i, sum) adds to sum[0 ... columns - 1] for every i below
/// `count`.
template <int columns, class Body>
void launch_columns(std::int64_t count, const Body& body, double* part, cudaStream_t stream, const char* name) {
  add_columns<columns><<<sum_blocks, sum_threads, 0, stream>>>(count, body, part);
  require_launch(name);
}

/// The columns' sums over `rows` rows.
template <int columns>
std::array<double, columns> added_rows(const double* part, std::int64_t rows) {
  std::array<double, columns> sum{};
  for (std::int64_t row = 0; row < rows; ++row)
    for (int k = 0; k < columns; ++k) sum[static_cast<std::size_t>(k)] += part[columns * row + k];
  return sum;
}

/// Of what body(i, sum) adds to sum[0 ... columns - 1] for every i below `count`. Waits. `part`: room that is kept.
template <int columns, class Body>
std::array<double, columns> column_sums(std::int64_t count, const Body& body, DeviceArray<double>& part,
                                        cudaStream_t stream, const char* name) {
  part.resize(columns * sum_blocks);
  launch_columns<columns>(count, body, part.data(), stream, name);
  double found[columns * sum_blocks];
  download(found, part.data(), part.size(), stream);
  require(cudaStreamSynchronize(stream), name);
  return added_rows<columns>(found, sum_blocks);
}

}  // namespace farfield::cuda

// Interleaved points that kernels write: they go through shared memory, so that a warp writes whole sectors, not three
// numbers out of each three times.
#pragma once
#include "backends/cuda/runtime/parallel.hpp"

namespace farfield::cuda {

template <class Body>
__global__ void __launch_bounds__(block_threads)
    store_points_kernel(std::int64_t count, const __grid_constant__ Body body, double* to) {
  __shared__ double row[3 * block_threads];
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t first = std::int64_t(blockIdx.x) * block_threads, left = count - first;
  if (thread < left) {
    double x[3];
    body(first + thread, x);
    for (int d = 0; d < 3; ++d) row[3 * thread + d] = x[d];
  }
  __syncthreads();
  const int numbers = 3 * static_cast<int>(left < block_threads ? left : block_threads);
  for (int k = thread; k < numbers; k += block_threads) to[3 * first + k] = row[k];
}

/// to[3 i + d] = x[d] of body(i, x), for every i below `count`.
template <class Body>
void store_points(std::int64_t count, const Body& body, double* to, cudaStream_t stream, const char* name) {
  if (count <= 0) return;
  store_points_kernel<<<blocks_for(count), block_threads, 0, stream>>>(count, body, to);
  require_launch(name);
}

}  // namespace farfield::cuda

// Sums of doubles over a block of threads, in a fixed order.
#pragma once
#include <cstdint>

namespace farfield::cuda {

inline constexpr int sum_threads = 128;

/// Sum over a block of `threads`, in a fixed order; all threads get it. `lane`: shared memory for `threads` doubles.
template <int threads = sum_threads>
__device__ double sum_of_block(double value, double* lane) {
  __syncthreads();
  lane[threadIdx.x] = value;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half) lane[threadIdx.x] += lane[threadIdx.x + half];
    __syncthreads();
  }
  return lane[0];
}

}  // namespace farfield::cuda

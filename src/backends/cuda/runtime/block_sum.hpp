// Sums of doubles over a block of threads, in a fixed order.
#pragma once
#include <cstdint>

#include "backends/cuda/runtime/parallel.hpp"

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

/// sum[e] = sum of part[e][0 ... shares - 1]; a warp for each, blocks of 32 threads.
template <class Number>
__global__ void add_shares(const Number* part, int shares, Number* sum) {
  const Number* own = part + static_cast<std::int64_t>(blockIdx.x) * shares;
  Number all = 0;
  for (int k = static_cast<int>(threadIdx.x); k < shares; k += 32) all += own[k];
  all = sum_of_warp(all);
  if (threadIdx.x == 0) sum[blockIdx.x] = all;
}

}  // namespace farfield::cuda

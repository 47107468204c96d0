// parallel: launches, a kernel that calls a body per index, and CUB's calls with their temporary memory.
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/runtime/device.hpp"

namespace farfield::cuda {

struct LaunchShape {
  dim3 blocks;
  int threads;
  std::size_t bytes;  ///< shared memory of a block
};

/// Launches a kernel that may use all the shared memory of a block.
template <class... Parameters, class... Arguments>
void launch_kernel(const char* name, void (*kernel)(Parameters...), const LaunchShape& shape, cudaStream_t stream,
                   const Arguments&... arguments) {
  allow_shared_memory(reinterpret_cast<const void*>(kernel));
  kernel<<<shape.blocks, static_cast<unsigned>(shape.threads), shape.bytes, stream>>>(arguments...);
  require_launch(name);
}

inline constexpr int block_threads = 256;
inline unsigned blocks_for(std::int64_t count) {
  return static_cast<unsigned>((count + block_threads - 1) / block_threads);
}

template <class Body>
__global__ void __launch_bounds__(block_threads)
    for_each_kernel(std::int64_t count, const __grid_constant__ Body body) {
  const std::int64_t i = std::int64_t(blockIdx.x) * block_threads + threadIdx.x;
  if (i < count) body(i);
}

/// body(i) for every i below `count`, a thread each. Where `count` is a multiple of 32, whole warps run.
template <class Body>
void for_each_index(std::int64_t count, const Body& body, cudaStream_t stream, const char* name) {
  if (count <= 0) return;
  for_each_kernel<<<blocks_for(count), block_threads, 0, stream>>>(count, body);
  require_launch(name);
}

/// Sum over the lanes of a whole warp, for all of them; __reduce_add_sync needs sm_80.
template <class Number>
__device__ Number sum_of_warp(Number value) {
  for (int other = 16; other > 0; other /= 2) value += __shfl_xor_sync(0xffffffffu, value, other);
  return value;
}

/// Sum over the lanes of a whole warp up to this one, which is `lane`.
template <class Number>
__device__ Number sum_up_to(int lane, Number value) {
  for (int step = 1; step < 32; step *= 2) {
    const Number before = __shfl_up_sync(0xffffffffu, value, step);
    if (lane >= step) value += before;
  }
  return value;
}

/// CUB's convention: call(temporary, bytes) asks for the bytes where temporary is null. `kept` grows as needed.
template <class Call>
void with_temporary(DeviceArray<unsigned char>& kept, const char* name, const Call& call) {
  std::size_t bytes = 0;
  require(call(nullptr, bytes), name);
  const std::int64_t wanted = static_cast<std::int64_t>(bytes) + 1;
  if (kept.size() < wanted) kept.resize(wanted);
  require(call(kept.data(), bytes), name);
}
template <class Call>
void with_temporary(DeviceMemory& memory, const char* name, const Call& call) {
  DeviceArray<unsigned char> temporary(memory);
  with_temporary(temporary, name, call);
}

}  // namespace farfield::cuda

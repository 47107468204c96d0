// The largest |coefficient| of each level's multipoles (TensorView::largest), kept by whoever writes them: m2l on
// tensor cores takes its scale from it, and would have to read all multipoles once more (a twelfth of its time at
// degree 3). The maximum of the bits as whole numbers is the same in any order.
#pragma once
#include <cstdint>

namespace farfield::cuda {

/// `value` >= 0. What is there is looked at first, and nearly always large enough. It may be an old copy in the
/// first-level cache, which is too small at worst: the atomic that follows drops it from the cache.
__device__ inline void keep_largest(std::uint32_t& largest, float value) {
  const std::uint32_t bits = __float_as_uint(value);
  if (bits > __ldca(&largest)) atomicMax(&largest, bits);
}

/// The same by a whole warp, with a value of each lane's.
__device__ inline void keep_largest_of_warp(std::uint32_t& largest, float value) {
  for (int other = 16; other > 0; other /= 2) value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, other));
  if (threadIdx.x % 32 == 0) keep_largest(largest, value);
}

}  // namespace farfield::cuda

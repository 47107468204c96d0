// The frame (pair_targets.hpp) of a tile of targets of the direct sum.
#pragma once
#include "backends/cuda/near/pair_sum.hpp"

namespace farfield::cuda {

/// Makes the frame of a tile, the targets first ... first + count; by all threads. The frame is a cube about the tile's
/// middle target. A frame of all points would make every pair in the core of a cluster a close one.
template <class Kernel, class Real>
__device__ void frame_tile(const NearWork<Real>& work, std::int64_t first, int count, PairFrame<Real>& frame) {
  __shared__ unsigned long long reach;  // largest distance as bits: non-negative doubles compare like their bits
  if (threadIdx.x == 0) reach = 0;
  __syncthreads();
  const auto target = [&](int i) { return direct_target(work, first + i); };
  const std::int64_t middle = target(count / 2);
  double furthest = 0;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
    for (int a = 0; a < 3; ++a) furthest = fmax(furthest, fabs(work.target[a][target(i)] - work.target[a][middle]));
  atomicMax(&reach, static_cast<unsigned long long>(__double_as_longlong(furthest)));
  __syncthreads();
  if (threadIdx.x == 0)
    frame = make_frame<Kernel, Real>(work.target[0][middle], work.target[1][middle], work.target[2][middle],
                                     fmax(2 * __longlong_as_double(static_cast<long long>(reach)), 0x1p-20));
  __syncthreads();
}

}  // namespace farfield::cuda

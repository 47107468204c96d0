// How a warp's lanes hold the targets of a group, some to each: lanes 0 to units - 1 hold all of them, the next as many
// hold them again and take other sources or boxes, and so on. So few lanes are idle, however many targets there are.
#pragma once
#include <cuda_runtime.h>

namespace farfield::cuda {

struct GroupLanes {
  int count, units, copies, copy, unit;

  __device__ GroupLanes(int targets, int of_lane) : count(targets), units((targets + of_lane - 1) / of_lane) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    copies = 32 / units;
    copy = lane / units;
    unit = lane - copy * units;
  }
  /// Which target of the group is this lane's i-th; behind the last target it is that again.
  __device__ int target(int i) const { return min(unit + i * units, count - 1); }
  /// The first of `all` sources or boxes that is this lane's; the copies-th after it is the next.
  __device__ int first(int all) const { return copy < copies ? copy : all; }
  __device__ bool delivers(int i) const { return copy == 0 && unit + i * units < count; }
  /// By a whole warp, for lanes that deliver.
  template <class Real>
  __device__ Real sum_of_copies(Real own) const {
    Real all = 0;
#pragma unroll 1
    for (int k = 0; k < copies; ++k) all += __shfl_sync(~0u, own, unit + k * units);
    return all;
  }
};

}  // namespace farfield::cuda

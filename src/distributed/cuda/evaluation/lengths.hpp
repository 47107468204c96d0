// Lengths: the softening lengths that points bring along, on the devices of the ranks that own or hold them.
#pragma once
#include "distributed/cuda/placed.hpp"

namespace farfield::distributed {

/// Of all points of the share that `placed` has; both sets have some. `factor`: as in cuda::gather_lengths. All ranks
/// call it; waits for memory.stream.
void place_lengths(DevicePlaced& placed, const Given& given, double factor);

}  // namespace farfield::distributed

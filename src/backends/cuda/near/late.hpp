// p2p that begins with m2l (tuning.hpp) and runs beside the urgent far field: results are cleared before, while its
// stream has nothing else to do, and blocks leave room on every multiprocessor. Urgent blocks that find none are not
// waited for: the next of p2p takes the place of the last, and all of l2l would come after p2p.
#pragma once
#include <cstddef>

#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/work.hpp"

namespace farfield::cuda {

/// For apart targets only. Where sources are targets, every leaf is in its own near list, and p2p stores its results
/// instead of adding to zeros.
template <class Real>
void clear_results(const NearWork<Real>& work) {
  for (int v = 0; v < work.densities && !work.alike; ++v)
    for (int part = first_part(work.result.parts()); part < end_part(work.result.parts()); ++part)
      require(cudaMemsetAsync(work.result.part[part] + v * work.result_pitch, 0,
                              static_cast<std::size_t>(work.targets) * sizeof(Real), work.stream),
              "cudaMemsetAsync");
}

/// Shared memory of a block, `bytes` or so much that one fewer is resident than registers allow.
template <class Real>
std::size_t bytes_with_room(const NearWork<Real>& work, std::size_t bytes, int residents) {
  const auto share = static_cast<std::size_t>(device_limits().shared_bytes / residents);
  return work.late && sizeof(Real) == 4 && share > bytes ? share : bytes;
}

}  // namespace farfield::cuda

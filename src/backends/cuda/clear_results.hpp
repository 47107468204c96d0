// Zeros for p2p to add to where targets are apart. Where sources are targets, every leaf is in its own near list, and
// p2p stores its results.
#pragma once
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/work.hpp"

namespace farfield::cuda {

template <class Real>
void clear_results(const NearWork<Real>& work) {
  for (int v = 0; v < work.densities && !work.alike; ++v)
    for (int part = first_part(work.result.parts()); part < end_part(work.result.parts()); ++part)
      require(cudaMemsetAsync(work.result.part[part] + v * work.result_pitch, 0,
                              static_cast<std::size_t>(work.targets) * sizeof(Real), work.stream),
              "cudaMemsetAsync");
}

}  // namespace farfield::cuda

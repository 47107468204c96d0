// What measured errors are relative to.
#pragma once
#include <cmath>
#include <vector>

#include "backends/cuda/runtime/array.hpp"
#include "judge/check.hpp"
#include "kernels/traits.hpp"
#include "model/decision.hpp"

namespace farfield::cuda {

/// Errors of a bounded kernel are relative to the sum of |strengths|, of its gradient to this over its length; those of
/// others stay as they are.
template <class Real>
Delivered in_own_norm(Delivered delivered, const Decision& decision, const DeviceArray<Real>& strength,
                      std::int64_t sources, cudaStream_t stream) {
  if (!traits(decision.kernel).bounded) return delivered;
  std::vector<Real> strengths(static_cast<std::size_t>(sources));
  download(strengths.data(), strength.data(), sources, stream);
  require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  for (const Real q : strengths) delivered.unit[0] += std::fabs(static_cast<double>(q));
  delivered.unit[1] = delivered.unit[0] / decision.parameters.length[0];
  return delivered;
}

}  // namespace farfield::cuda

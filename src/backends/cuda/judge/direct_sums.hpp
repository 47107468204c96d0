// Direct sums at a few targets, for measured errors.
#pragma once
#include <farfield/options.hpp>
#include <vector>

#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/work.hpp"
#include "judge/direct_sum.hpp"

namespace farfield::cuda {

/// Sums in double at the targets with these indices in tree order, of as many parts. Waits for the stream.
template <class Real>
std::vector<DirectSum> direct_sums(const NearWork<Real>& work, int parts, const std::vector<std::int64_t>& targets,
                                   Kernel kernel, DeviceMemory& memory);

}  // namespace farfield::cuda

// Softening lengths that points bring along, on the device.
#pragma once
#include <farfield/views.hpp>

#include "backends/cuda/runtime/array.hpp"

namespace farfield::cuda {

/// sorted[i] = length of sorted point i times `factor` 2^exponent; `order`: the caller's indices of sorted points.
void gather_lengths(const Points& points, const std::uint32_t* order, double factor, int exponent,
                    DeviceArray<double>& sorted, DeviceMemory& memory);

}  // namespace farfield::cuda

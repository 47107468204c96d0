// Numbers of the caller where kernels can read them.
#pragma once
#include <farfield/views.hpp>

#include "backends/cuda/runtime/array.hpp"
#include "backends/untyped.hpp"

namespace farfield::cuda {

/// Of one vector. Those in host memory are copied to `copy` in the order of the stream, and may change when this
/// returns.
AnyNumbers numbers_on_device(const Strengths& numbers, std::int64_t vector, DeviceArray<unsigned char>& copy,
                             cudaStream_t stream);

}  // namespace farfield::cuda

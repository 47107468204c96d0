// check: every call of the CUDA runtime goes through `require`, every launch through `require_launch`. An error names
// call and place; errors that CUDA remembers are cleared, so that the process stays usable where the device is.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>
#include <farfield/error.hpp>
#include <source_location>

namespace farfield::cuda {

/// Throws Error(device), or Error(memory) for memory exhaustion, for the call `what`.
[[noreturn]] void fail(cudaError_t code, const char* what, const std::source_location& place);

/// Throws Error(memory) with the bytes that were wanted and those that are free.
[[noreturn]] void fail_memory(std::int64_t wanted);

inline void require(cudaError_t code, const char* what,
                    const std::source_location& place = std::source_location::current()) {
  if (code != cudaSuccess) fail(code, what, place);
}

/// After a kernel launch: bad launch parameters show here, failures inside the kernel at the next synchronisation.
inline void require_launch(const char* kernel, const std::source_location& place = std::source_location::current()) {
  require(cudaGetLastError(), kernel, place);
}

}  // namespace farfield::cuda

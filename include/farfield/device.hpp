// Devices: the GPUs on which a plan with backend cuda or hybrid can run.
#pragma once
#include <farfield/export.h>

#include <cstdint>
#include <string>
#include <vector>

namespace farfield {

struct DeviceInfo {
  std::string name;
  int major = 0, minor = 0;  ///< compute capability
  int multiprocessors = 0;
  std::int64_t memory_bytes = 0, free_bytes = 0;
};

/// GPUs of this machine in CUDA's order; empty where there are none or the library was built without CUDA.
FARFIELD_API std::vector<DeviceInfo> devices();

/// Are backends cuda and hybrid part of this build? Whether a device is present does not matter.
FARFIELD_API bool built_with_cuda();

}  // namespace farfield

// Device: what is there to compute on.
#pragma once
#include <farfield/device.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace farfield::cuda {

/// All devices; empty without a driver.
std::vector<DeviceInfo> list_devices();

/// Is there a device that this build has code for?
bool device_present();

/// The current device's name. Throws Error(device) with one sentence when there is none.
std::string require_device();

/// Largest dynamic shared memory of a block and number of multiprocessors of the current device.
struct DeviceLimits {
  int shared_bytes = 48 * 1024;
  int multiprocessors = 1;
};
const DeviceLimits& device_limits();

/// Lets a kernel use all the shared memory a block may have. The same value at every call: plans of several threads
/// share kernels.
void allow_shared_memory(const void* kernel);

}  // namespace farfield::cuda

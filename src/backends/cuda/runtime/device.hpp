// Device: what is there to compute on.
#pragma once
#include <cstdint>
#include <farfield/device.hpp>
#include <string>
#include <vector>

namespace farfield::cuda {

/// All devices; empty without a driver and after a fork of a process that had asked for them.
std::vector<DeviceInfo> list_devices();

/// Is there a CUDA device, and a driver for it, that this process can use?
bool device_present();

/// Was this process forked from one that had asked for devices? CUDA does not survive that.
bool lost_by_fork();

/// The current device's name. Throws Error(device) with one sentence when there is none or a fork lost it.
std::string require_device();

/// Largest dynamic shared memory of a block, number of multiprocessors and memory of the current device.
struct DeviceLimits {
  int shared_bytes = 48 * 1024;
  int multiprocessors = 1;
  std::int64_t memory_bytes = 0;
};
const DeviceLimits& device_limits();
inline std::int64_t device_memory() { return device_limits().memory_bytes; }

/// Of the current device: 90 is 9.0.
int compute_capability();
/// The number of the calling thread's device. Throws Error(device) where there is none.
int current_device();

/// Lets a kernel use all the shared memory a block may have. The same value at every call: plans of several threads
/// share kernels.
void allow_shared_memory(const void* kernel);

}  // namespace farfield::cuda

// SharedOnDevice: the shared boxes of an essential tree, ascending, and where else they are.
#pragma once
#include "distributed/cuda/placed.hpp"

namespace farfield::distributed {

class SharedOnDevice {
 public:
  SharedOnDevice(const DeviceShare& share, farfield::cuda::DeviceMemory& memory, cudaStream_t stream);

  std::int64_t count() const { return std::ssize(top_); }
  const BoxId* essential() const { return essential_.data(); }  ///< [count], in device memory
  const BoxId* own() const { return own_.data(); }              ///< likewise; no_box: none of its points is here
  const std::vector<BoxId>& top() const { return top_; }
  const std::vector<BoxId>& on_host() const { return on_host_; }  ///< essential()

 private:
  OnDevice<BoxId> essential_, own_;
  std::vector<BoxId> top_, on_host_;
};

}  // namespace farfield::distributed

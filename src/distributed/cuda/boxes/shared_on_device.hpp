// SharedOnDevice: the shared boxes of an essential tree, ascending, and where else they are.
#pragma once
#include "distributed/cuda/placed.hpp"

namespace farfield::distributed {

class SharedOnDevice {
 public:
  SharedOnDevice(const DeviceShare& share, farfield::cuda::DeviceMemory& memory, cudaStream_t stream);

  std::int64_t count() const { return std::ssize(on_host_); }
  /// Of all ranks: this one may hold none.
  std::int64_t of_all() const { return of_all_; }
  /// The place of a box among these.
  std::size_t among_all(std::size_t k) const { return among_all_[k]; }
  const BoxId* essential() const { return essential_.data(); }    ///< [count], in device memory
  const BoxId* own() const { return own_.data(); }                ///< likewise; no_box: none of its points is here
  const std::vector<BoxId>& on_host() const { return on_host_; }  ///< essential()

 private:
  std::int64_t of_all_;
  OnDevice<BoxId> essential_, own_;
  std::vector<std::size_t> among_all_;
  std::vector<BoxId> on_host_;
};

}  // namespace farfield::distributed

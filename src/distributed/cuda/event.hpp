// OwnEvent: a mark in a stream, which other streams and the host wait for.
#pragma once
#include <cuda_runtime.h>

#include "backends/cuda/runtime/check.hpp"

namespace farfield::distributed {

class OwnEvent {
 public:
  OwnEvent() {
    farfield::cuda::require(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  }
  ~OwnEvent() { cudaEventDestroy(event_); }
  OwnEvent(const OwnEvent&) = delete;
  void record(cudaStream_t stream) const {
    farfield::cuda::require(cudaEventRecord(event_, stream), "cudaEventRecord");
  }
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace farfield::distributed

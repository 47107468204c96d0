// OwnEvent: a mark in a stream, which other streams and the host wait for.
#pragma once
#include <cuda_runtime.h>

#include "backends/cuda/runtime/check.hpp"

namespace farfield::cuda {

class OwnEvent {
 public:
  OwnEvent() { require(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreateWithFlags"); }
  ~OwnEvent() { cudaEventDestroy(event_); }
  OwnEvent(const OwnEvent&) = delete;
  void record(cudaStream_t stream) const { require(cudaEventRecord(event_, stream), "cudaEventRecord"); }
  /// What is launched on `stream` from now on waits for the mark.
  void wait_on(cudaStream_t stream) const { require(cudaStreamWaitEvent(stream, event_, 0), "cudaStreamWaitEvent"); }
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace farfield::cuda

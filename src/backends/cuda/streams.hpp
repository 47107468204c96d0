// Streams and devices: which one is current, the evaluator's own stream, and order between two streams.
#pragma once
#include <cuda_runtime.h>

#include "backends/cuda/check.hpp"

namespace farfield::cuda {

/// Makes a device current for as long as it lives.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    require(cudaGetDevice(&before_), "cudaGetDevice");
    changed_ = device != before_;
    if (changed_) require(cudaSetDevice(device), "cudaSetDevice");
  }
  ~OnDevice() {
    if (changed_) cudaSetDevice(before_);
  }
  OnDevice(const OnDevice&) = delete;

 private:
  int before_ = 0;
  bool changed_ = false;
};

/// The evaluator's own stream, for callers whose arrays are in host memory.
class OwnStream {
 public:
  OwnStream() { require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags"); }
  ~OwnStream() { cudaStreamDestroy(stream_); }
  OwnStream(const OwnStream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// What has been launched on `before` so far comes before what will be launched on `after`.
inline void order(cudaStream_t before, cudaStream_t after) {
  if (before == after) return;
  cudaEvent_t event = nullptr;
  require(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  const cudaError_t recorded = cudaEventRecord(event, before), waits = cudaStreamWaitEvent(after, event, 0);
  cudaEventDestroy(event);
  require(recorded, "cudaEventRecord");
  require(waits, "cudaStreamWaitEvent");
}

}  // namespace farfield::cuda

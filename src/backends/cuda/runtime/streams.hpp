// Streams and devices: which one is current, the evaluator's own stream, and order between two streams.
#pragma once
#include <cuda_runtime.h>

#include "backends/cuda/runtime/check.hpp"

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

/// A stream of the evaluator's own. Work on an `urgent` stream begins before the waiting work of other streams.
class OwnStream {
 public:
  explicit OwnStream(bool urgent = false) {
    int least = 0, greatest = 0;
    require(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
    require(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, urgent ? greatest : least),
            "cudaStreamCreateWithPriority");
  }
  ~OwnStream() { cudaStreamDestroy(stream_); }
  OwnStream(const OwnStream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Work launched on `after` from now on waits for the work launched on `before` so far.
inline void order(cudaStream_t before, cudaStream_t after) {
  if (before == after) return;
  cudaEvent_t event = nullptr;
  require(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  const cudaError_t recorded = cudaEventRecord(event, before), waits = cudaStreamWaitEvent(after, event, 0);
  cudaEventDestroy(event);
  require(recorded, "cudaEventRecord");
  require(waits, "cudaStreamWaitEvent");
}

/// A second stream, for what may run beside the first.
class SideStream {
 public:
  explicit SideStream(bool urgent = false) : stream_(urgent) {}

  /// Returns this stream. Work launched on it waits for what `main` holds so far, and runs beside what is launched on
  /// `main` until join(main).
  cudaStream_t fork(cudaStream_t main) {
    order(main, stream_);
    busy_ = true;
    return stream_;
  }
  void join(cudaStream_t main) {
    if (busy_) order(stream_, main);
    busy_ = false;
  }
  operator cudaStream_t() const { return stream_; }
  void wait() {
    require(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    busy_ = false;
  }

 private:
  OwnStream stream_;
  bool busy_ = false;
};

}  // namespace farfield::cuda

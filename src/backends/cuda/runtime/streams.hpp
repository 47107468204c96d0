// Streams and devices: which one is current, the evaluator's own stream, and order between two streams.
#pragma once
#include <cuda_runtime.h>

#include <algorithm>

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

/// Waiting work of a stream begins before that of less urgent streams.
enum class Urgency { none, urgent, most };

/// A stream of the evaluator's own.
class OwnStream {
 public:
  explicit OwnStream(Urgency urgency = Urgency::none) {
    int least = 0, greatest = 0;  // 0 and -5 on an H200
    require(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
    const int priority = urgency == Urgency::none   ? least
                         : urgency == Urgency::most ? greatest
                                                    : std::min(least, greatest + 1);
    require(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, priority), "cudaStreamCreateWithPriority");
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
  explicit SideStream(Urgency urgency = Urgency::none) : stream_(urgency) {}

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

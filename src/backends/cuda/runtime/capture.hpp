// Capture: calls of the library in a CUDA graph that its caller captures, and what replays of it meet.
#pragma once
#include <vector>

#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/runtime/stage_events.hpp"
#include "backends/met.hpp"

namespace farfield::cuda {

inline bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(stream, &status) == cudaSuccess) return status == cudaStreamCaptureStatusActive;
  cudaGetLastError();  // the default stream, while another one is captured
  return false;
}

/// What the next work on a captured stream will wait for; the same twice: nothing was captured there in between.
struct CapturePoint {
  unsigned long long capture = 0;
  std::vector<cudaGraphNode_t> last;

  explicit CapturePoint(cudaStream_t stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaGraphNode_t* nodes = nullptr;
    std::size_t count = 0;
#if CUDART_VERSION >= 13000
    const auto found = cudaStreamGetCaptureInfo(stream, &status, &capture, nullptr, &nodes, nullptr, &count);
#else
    const auto found = cudaStreamGetCaptureInfo_v2(stream, &status, &capture, nullptr, &nodes, &count);
#endif
    if (found != cudaSuccess) cudaGetLastError();  // as in is_captured
    if (found == cudaSuccess && status == cudaStreamCaptureStatusActive) last.assign(nodes, nodes + count);
  }
  bool operator==(const CapturePoint& other) const {
    return !last.empty() && capture == other.capture && last == other.last;
  }
};

/// While it lives, the thread may load kernels and make memory on other streams, whatever the caller's capture forbids.
class RelaxedCapture {
 public:
  RelaxedCapture() { require(cudaThreadExchangeStreamCaptureMode(&mode_), "cudaThreadExchangeStreamCaptureMode"); }
  ~RelaxedCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  RelaxedCapture(const RelaxedCapture&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// While it and a RelaxedCapture live, launches are captured by the caller: memory stays where it is, and no times are
/// taken.
class Captured {
 public:
  Captured(DeviceMemory& memory, StageEvents& events) : memory_(memory), events_(events) {
    memory.frozen = events.silent = true;
  }
  ~Captured() { memory_.frozen = events_.silent = false; }
  Captured(const Captured&) = delete;

 private:
  DeviceMemory& memory_;
  StageEvents& events_;
};

/// What replays met, in page-locked memory: the device writes, the host reads without waiting.
class MetByReplays {
 public:
  MetByReplays() { forget(); }
  void forget() { *far_points() = *other_strengths() = 0; }
  void forget_strengths() { *other_strengths() = 0; }
  int* far_points() { return flags_.data(); }
  int* other_strengths() { return flags_.data() + 1; }
  Met met() const {
    const volatile int* flags = flags_.data();
    return static_cast<Met>((flags[0] != 0 ? 1u : 0u) | (flags[1] != 0 ? 2u : 0u));
  }

 private:
  PinnedArray<int> flags_{2};
};

}  // namespace farfield::cuda

// Times of launches: by the host's clock, one with its launch, and on the device, one of twenty.
#pragma once
#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "backends/cuda/runtime/check.hpp"

namespace farfield::lab {

inline double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

/// The median of nine after one that warms up, in seconds by the host's clock.
inline double host_seconds(const std::function<void()>& work) {
  std::vector<double> times;
  for (int run = 0; run < 10; ++run) {
    cuda::require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    const auto begin = std::chrono::steady_clock::now();
    work();
    cuda::require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    if (run) times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return median(times);
}

/// Twenty launches, one after another, replayed as one graph.
class Twenty {
 public:
  explicit Twenty(const std::function<void(cudaStream_t)>& launch) {
    launch(nullptr);  // attributes of the kernel are set outside the capture
    cuda::require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    cuda::require(cudaStreamCreate(&stream_), "cudaStreamCreate");
    cuda::require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    for (int i = 0; i < count; ++i) launch(stream_);
    cudaGraph_t graph;
    cuda::require(cudaStreamEndCapture(stream_, &graph), "cudaStreamEndCapture");
    cuda::require(cudaGraphInstantiate(&launches_, graph, 0), "cudaGraphInstantiate");
    cudaGraphDestroy(graph);
  }
  ~Twenty() { cudaGraphExecDestroy(launches_), cudaStreamDestroy(stream_); }
  Twenty(const Twenty&) = delete;
  /// Seconds of one launch of the twenty, the median of nine.
  double seconds() {
    cudaEvent_t begin, end;
    cuda::require(cudaEventCreate(&begin), "cudaEventCreate");
    cuda::require(cudaEventCreate(&end), "cudaEventCreate");
    std::vector<double> times;
    for (int run = 0; run < 11; ++run) {
      cuda::require(cudaEventRecord(begin, stream_), "cudaEventRecord");
      cuda::require(cudaGraphLaunch(launches_, stream_), "cudaGraphLaunch");
      cuda::require(cudaEventRecord(end, stream_), "cudaEventRecord");
      cuda::require(cudaEventSynchronize(end), "cudaEventSynchronize");
      float milliseconds = 0;
      cuda::require(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
      if (run > 1) times.push_back(1e-3 * static_cast<double>(milliseconds) / count);
    }
    cudaEventDestroy(begin), cudaEventDestroy(end);
    return median(times);
  }

 private:
  static constexpr int count = 20;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t launches_ = nullptr;
};

}  // namespace farfield::lab

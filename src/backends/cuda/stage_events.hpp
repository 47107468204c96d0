// StageEvents: books the time between events on a stream under the names of stages; read once, at the end.
#pragma once
#include <cuda_runtime.h>

#include <utility>
#include <vector>

#include "backends/cuda/check.hpp"
#include "plan/stage_clock.hpp"

namespace farfield::cuda {

class StageEvents {
 public:
  StageEvents() = default;
  StageEvents(const StageEvents&) = delete;
  ~StageEvents() {
    for (cudaEvent_t event : events_) cudaEventDestroy(event);
  }

  void start(cudaStream_t stream) {
    stream_ = stream;
    names_.clear();
    mark("");
  }
  /// The time since the mark before belongs to `name`; to nothing where that is "".
  void mark(const char* name) {
    if (names_.size() == events_.size()) {
      cudaEvent_t event = nullptr;
      require(cudaEventCreate(&event), "cudaEventCreate");
      events_.push_back(event);
    }
    require(cudaEventRecord(events_[names_.size()], stream_), "cudaEventRecord");
    names_.push_back(name);
  }
  template <class Work>
  void operator()(const char* name, Work&& work) {
    std::forward<Work>(work)();
    mark(name);
  }
  /// Waits for the stream: failures inside kernels show here.
  void book(Report& report, bool building) {
    require(cudaStreamSynchronize(stream_), "the stages (cudaStreamSynchronize)");
    StageClock clock(report, building);
    for (std::size_t i = 1; i < names_.size(); ++i) {
      float milliseconds = 0;
      require(cudaEventElapsedTime(&milliseconds, events_[i - 1], events_[i]), "cudaEventElapsedTime");
      if (*names_[i]) clock.add(names_[i], milliseconds * 1e-3);
    }
  }

 private:
  cudaStream_t stream_ = nullptr;
  std::vector<cudaEvent_t> events_;
  std::vector<const char*> names_;
};

}  // namespace farfield::cuda

// StageEvents: books the time between events on a stream under the names of stages; read once, at the end. Stages that
// run beside one another share the device: their times are those from begin to end.
#pragma once
#include <cuda_runtime.h>

#include <utility>
#include <vector>

#include "backends/cuda/runtime/check.hpp"
#include "core/stage_clock.hpp"

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
    if (silent) return;
    if (names_.size() == events_.size()) {
      cudaEvent_t event = nullptr;
      require(cudaEventCreate(&event), "cudaEventCreate");
      events_.push_back(event);
    }
    require(cudaEventRecordWithFlags(events_[names_.size()], stream_, flags_), "cudaEventRecord");
    names_.push_back(name);
  }

  /// Marks are made on another stream from here on.
  void go_to(cudaStream_t stream) {
    stream_ = stream;
    mark("");
  }

  /// While it lives, marks are made on a stream that is being captured: each replay of the graph makes them again.
  class Elsewhere {
   public:
    Elsewhere(StageEvents& events, cudaStream_t stream) : events_(events), before_(events.stream_) {
      events_.stream_ = stream;
      events_.flags_ = cudaEventRecordExternal;
    }
    ~Elsewhere() {
      events_.stream_ = before_;
      events_.flags_ = cudaEventRecordDefault;
    }
    Elsewhere(const Elsewhere&) = delete;

   private:
    StageEvents& events_;
    cudaStream_t before_;
  };
  std::size_t position() const { return names_.size(); }
  /// Removes and returns the names of marks from `position` on; `append` them when a graph has made the marks.
  std::vector<const char*> take_back(std::size_t position) {
    const auto from = names_.begin() + static_cast<std::ptrdiff_t>(position);
    std::vector<const char*> taken(from, names_.end());
    names_.erase(from, names_.end());
    return taken;
  }
  void append(const std::vector<const char*>& names) { names_.insert(names_.end(), names.begin(), names.end()); }
  template <class Work>
  void operator()(const char* name, Work&& work) {
    std::forward<Work>(work)();
    mark(name);
  }
  bool silent = false;  ///< marks are not made

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
  unsigned flags_ = cudaEventRecordDefault;
  std::vector<cudaEvent_t> events_;
  std::vector<const char*> names_;
};

}  // namespace farfield::cuda

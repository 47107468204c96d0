// StageGraph: the launches of one evaluation's stages as a CUDA graph, for plans that are evaluated again and again.
// With a few thousand points per multiprocessor and fewer, launching took longer than computing.
#pragma once
#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/runtime/stage_events.hpp"
#include "backends/cuda/runtime/streams.hpp"

namespace farfield::cuda {

class StageGraph {
 public:
  StageGraph() = default;
  ~StageGraph() { forget(); }
  StageGraph(const StageGraph&) = delete;

  /// To be called when an array that the stages read or write may have moved.
  void forget() {
    if (graph_) cudaGraphExecDestroy(graph_);
    graph_ = nullptr;
    runs_ = 0;
  }

  /// Does what launch(stream) does, its marks on `events` included. The first call runs `launch` (kernels are loaded,
  /// arrays grow), the second captures the launches as a graph; from then on the graph is replayed. Where the launches
  /// cannot be captured, because a stage allocates or waits, every call runs `launch`.
  template <class Launch>
  void run(cudaStream_t stream, DeviceMemory& memory, StageEvents& events, Launch&& launch) {
    if (graph_ && events.position() != first_event_) forget();
    if (!graph_ && runs_++ == 1) capture(memory, events, launch);
    if (!graph_) return launch(stream);
    require(cudaGraphLaunch(graph_, stream), "cudaGraphLaunch");
    events.append(names_);
  }

 private:
  template <class Launch>
  void capture(DeviceMemory& memory, StageEvents& events, Launch&& launch) {
    first_event_ = events.position();
    cudaGraph_t captured = nullptr;
    require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
    memory.frozen = true;
    try {
      const StageEvents::Elsewhere marks(events, stream_);
      launch(static_cast<cudaStream_t>(stream_));
    } catch (const Error&) {
      invalid_ = true;
    }
    memory.frozen = false;
    if (cudaStreamEndCapture(stream_, &captured) != cudaSuccess || invalid_ ||
        cudaGraphInstantiate(&graph_, captured, 0) != cudaSuccess)
      graph_ = nullptr;
    if (!graph_) cudaGetLastError();
    if (captured) cudaGraphDestroy(captured);
    invalid_ = false;
    names_ = events.take_back(first_event_);
  }

  OwnStream stream_;  // a caller's may be the default stream, which cannot be captured
  cudaGraphExec_t graph_ = nullptr;
  bool invalid_ = false;
  int runs_ = 0;
  std::size_t first_event_ = 0;
  std::vector<const char*> names_;
};

}  // namespace farfield::cuda

// CUDA graphs as a caller of the library captures them, and a stream for that.
#pragma once
#include "cuda/on_device.hpp"

namespace farfield::testing {

class OwnStream {
 public:
  OwnStream() { require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~OwnStream() { cudaStreamDestroy(stream_); }
  OwnStream(const OwnStream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// A graph of what `calls` launch; the strictest mode of capture is the default of PyTorch, too.
class Graph {
 public:
  template <class Calls>
  Graph(cudaStream_t stream, Calls&& calls) : stream_(stream) {
    require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    try {
      calls();
    } catch (...) {
      cudaGraph_t broken = nullptr;
      cudaStreamEndCapture(stream, &broken);
      if (broken) cudaGraphDestroy(broken);
      cudaGetLastError();
      throw;
    }
    cudaGraph_t captured = nullptr;
    require(cudaStreamEndCapture(stream, &captured));
    require(cudaGraphInstantiate(&graph_, captured, 0));
    require(cudaGraphDestroy(captured));
  }
  ~Graph() {
    if (graph_) cudaGraphExecDestroy(graph_);
  }
  Graph(const Graph&) = delete;
  void replay() const {
    require(cudaGraphLaunch(graph_, stream_));
    require(cudaStreamSynchronize(stream_));
  }

 private:
  cudaStream_t stream_;
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace farfield::testing

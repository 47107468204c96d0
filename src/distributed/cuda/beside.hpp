// Beside: a part of work that runs on another stream, beside what follows on the first one.
#pragma once
#include <farfield/error.hpp>

#include "backends/cuda/runtime/streams.hpp"

namespace farfield::distributed {

/// A stream beside another, which waits for it when this ends, however it ends.
class Beside {
 public:
  Beside(farfield::cuda::SideStream& side, cudaStream_t main) : side_(side), main_(main), stream_(side.fork(main)) {}
  ~Beside() {
    try {
      side_.join(main_);
    } catch (const Error&) {  // whoever waits for the device next finds out
    }
  }
  Beside(const Beside&) = delete;
  operator cudaStream_t() const { return stream_; }
  /// What is launched here from now on waits for what the other stream holds so far, or the other way round.
  void wait_for_main() const { farfield::cuda::order(main_, stream_); }
  void let_main_wait() const { farfield::cuda::order(stream_, main_); }

 private:
  farfield::cuda::SideStream& side_;
  cudaStream_t main_, stream_;
};

}  // namespace farfield::distributed

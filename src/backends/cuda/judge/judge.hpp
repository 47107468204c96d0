// Judge: what is known of the error of one evaluated vector, found from its results and expansions beside what follows
// (judge/quality.hpp, judge/truncation.hpp).
#pragma once
#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/runtime/streams.hpp"
#include "backends/cuda/work.hpp"
#include "judge/quality.hpp"

namespace farfield::cuda {

class Judge {
 public:
  explicit Judge(DeviceMemory& memory);

  /// Norms of the results, and with `expansions` what truncation and 16-bit operands took from them.
  template <class Real>
  void launch(const Work<Real>& work, bool expansions, SideStream& side);
  /// Of the last launch, which must have been waited for; `truncation` without its safety.
  struct Found {
    Norms norms;
    Truncation truncation, operands;
  };
  Found result() const;

 private:
  template <class Real>
  int launch_tails(const Work<Real>& work, cudaStream_t stream);

  DeviceMemory& memory_;
  DeviceArray<double> power_, part_;
  PinnedArray<double> found_;
  int shares_ = 0, kept_ = 0;  ///< blocks that wrote norms, and tails
  BoxId every_ = 1;            ///< so many boxes does each that was looked at stand for
};

}  // namespace farfield::cuda

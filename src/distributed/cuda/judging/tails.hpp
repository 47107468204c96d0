// TailsOfRank: which boxes and targets a rank looks at for the estimate of the truncation error, so that all ranks
// together look at those that one plan does: each box once, at the rank that owns its first targets. Crowds
// (judge/truncation.hpp) are those of the tree of all points; of boxes that ranks share their targets may be others'.
#pragma once
#include "backends/cuda/judge/tailed.hpp"
#include "distributed/cuda/judging/sample.hpp"

namespace farfield::distributed {

/// Numbers of the targets that stand for the crowded ones of shared boxes, ascending: the same on all ranks.
std::vector<std::int64_t> targets_of_shared_crowds(const DevicePlaced& placed);

class TailsOfRank {
 public:
  explicit TailsOfRank(farfield::cuda::DeviceMemory& memory) : box_(memory), number_(memory) {}
  /// `crowds`: as above; `sample`, which outlives this, has them behind `before` others. After it is made.
  void place(const DevicePlaced& placed, const std::vector<std::int64_t>& crowds, const Sample& sample,
             std::int64_t before);
  const farfield::cuda::TailedOfRank& view() const { return view_; }

 private:
  OnDevice<BoxId> box_;
  OnDevice<std::int64_t> number_;
  farfield::cuda::TailedOfRank view_;
};

}  // namespace farfield::distributed

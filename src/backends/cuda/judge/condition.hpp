// ConditionProbe: how ill-conditioned a sum is, estimated while the sum is evaluated.
#pragma once
#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/runtime/streams.hpp"
#include "backends/cuda/work.hpp"
#include "judge/check.hpp"

namespace farfield::cuda {

class ConditionProbe {
 public:
  explicit ConditionProbe(DeviceMemory& memory);

  /// Sums the absolute terms, and their squares, over all sources at condition_targets, beside later launches on
  /// work.stream. `softened_to`: as in DirectInput.
  template <class Real>
  void launch(const NearWork<Real>& work, Kernel kernel, double softened_to, SideStream& side);
  /// The sums of the last launch, which must have been waited for.
  std::vector<DirectSum> sums() const;
  std::vector<TermSums> result() const { return term_sums(sums()); }

 private:
  template <class Real>
  void launch_moments(const NearWork<Real>& work, Kernel kernel, const std::vector<std::int64_t>& at,
                      double softened_to, SideStream& side);

  DeviceArray<double> part_, sum_;
  DeviceArray<std::int64_t> at_;
  PinnedArray<double> found_;
  std::size_t targets_ = 0;
  bool lacks_ = false, moments_ = false;
};

}  // namespace farfield::cuda

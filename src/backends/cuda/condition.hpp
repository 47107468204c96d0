// ConditionProbe: how ill-conditioned a sum is, estimated beside it.
#pragma once
#include "backends/cuda/array.hpp"
#include "backends/cuda/work.hpp"
#include "plan/check.hpp"

namespace farfield::cuda {

class ConditionProbe {
 public:
  explicit ConditionProbe(DeviceMemory& memory);
  ~ConditionProbe();
  ConditionProbe(const ConditionProbe&) = delete;

  /// Sums the kernel and its absolute values over all sources at the targets of estimate_condition, in the order of
  /// work.stream.
  template <class Real>
  void launch(const Work<Real>& work, Kernel kernel);
  /// Of the last launch; its stream must have been waited for.
  Condition result() const;

 private:
  DeviceArray<double> part_, sum_;
  double* found_ = nullptr;  ///< host memory that a copy need not wait for
  std::size_t targets_ = 0;
};

}  // namespace farfield::cuda

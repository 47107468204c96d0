// Sample: places of a few targets of all ranks, and results at them, on every rank; and sums at them over the sources
// of all ranks.
#pragma once
#include "backends/cuda/work.hpp"
#include "distributed/cuda/placed.hpp"
#include "judge/direct_sum.hpp"

namespace farfield::distributed {

/// What others get of a target that is this rank's.
struct SampledTarget {
  std::int64_t at;  ///< among those that are sampled
  double x[3], result[most_parts], length;
  std::uint32_t name, unused;  ///< where it is owned
};

class Sample {
 public:
  /// Targets of these numbers, counted as in one tree over all points. Looks for those that are this rank's, in the
  /// order of memory.stream.
  template <class Real>
  Sample(DevicePlaced& placed, const std::vector<std::int64_t>& numbers, const ResultArrays<Real>& own_results);
  /// Shows each rank's to all, which all call before they ask for more. Waits for memory.stream.
  void show(DevicePlaced& placed);

  std::int64_t count() const { return count_; }
  const double* coordinates(int axis) const { return at_.data() + axis * count_; }
  /// In the order of the numbers.
  const std::vector<double>& results(int part) const { return result_[part]; }

  /// Works on the rank's own sources and these targets. `moments`: what the former carry, strengths first.
  template <class Number>
  farfield::cuda::NearWork<Number> work(const DevicePlaced& placed, const std::vector<Number*>& moments) const;

 private:
  std::int64_t count_ = 0;
  OnDevice<SampledTarget> own_;
  OnDevice<double> at_, length_;  ///< `length_`: softening lengths of the targets' own, if points have some
  OnDevice<std::uint32_t> name_;  ///< as which those of this rank arrived; of others a number that no source has
  std::vector<double> result_[most_parts];
};

}  // namespace farfield::distributed

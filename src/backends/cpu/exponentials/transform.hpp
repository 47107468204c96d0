// LineTransform: a plan's points on a line in the order of their coordinate, for the sweeps of method exponentials.
#pragma once
#include "backends/cpu/exponentials/work.hpp"
#include "core/array.hpp"
#include "core/results.hpp"

namespace farfield::cpu {

struct PointsOnLine {
  const double* at;
  std::int64_t count;
};

template <class Real>
class LineTransform {
 public:
  explicit LineTransform(HostMemory& memory);
  /// `targets` null: alike with the sources. `axis`: along which they differ.
  void build(const PointsOnLine& sources, const PointsOnLine* targets, int axis, double bandwidth, double tolerance,
             bool gradient, int threads);
  const SweepWork& bind(const Real* strength);
  /// Writes the sums, in the plan's order.
  void deliver(const ResultArrays<Real>& result) const;
  static std::int64_t bytes(std::int64_t events, bool gradient);

 private:
  void lay_out(std::int64_t events, double tolerance, bool gradient);
  template <class Visit>
  void for_slots(const Visit& visit) const;
  Array<double> at_, strength_, head_[2], sum_[2];
  Array<std::uint32_t> order_;  ///< [slots]: a source, or sources + a target; beyond all where there is none
  std::int64_t sources_ = 0, events_ = 0;
  bool alike_ = true;
  int axis_ = 0;
  SweepWork work_;
};

}  // namespace farfield::cpu

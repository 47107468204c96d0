// HermiteTransform: the boxes, series and tables of the fast Gaussian transform over a plan's points.
#pragma once
#include <vector>

#include "backends/cpu/hermite/work.hpp"

namespace farfield::cpu {

template <class Real>
class HermiteTransform {
 public:
  explicit HermiteTransform(HostMemory& memory);
  /// Sorts the points; targets alike with the sources are given twice.
  void build(const PointsOfAxes& sources, const PointsOfAxes& targets, double bandwidth, double tolerance,
             bool gradient, int threads);
  /// Room, and what the stage works with. `strength`: in the plan's order.
  const HermiteWork<Real>& bind(const Real* strength, const ResultArrays<Real>& result);
  const HermiteGrid& grid() const { return grid_; }

 private:
  void choose_series();
  HermiteGrid grid_;
  BoxedPoints source_, target_;
  Array<double> strength_, multipole_, matrix_, room_, sum_[with_gradient];
  Array<std::int64_t> series_of_;
  HermiteWork<Real> work_;
};

}  // namespace farfield::cpu

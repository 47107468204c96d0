#include <algorithm>

#include "distributed/cuda/judging/far_pairs.hpp"
#include "distributed/cuda/judging/placement.hpp"

namespace farfield::distributed {

DevicePlacement::DevicePlacement(DevicePlaced& placed, int degree, double softening, bool planes_alone,
                                 farfield::cuda::SideStream& near_stream, farfield::cuda::SideStream& far_stream)
    : placed_(placed),
      stream_(placed.memory.stream),
      essential_(placed.on_device->essential.tree.view()),
      numbering_(placed),
      softening_(softening),
      planes_alone_(planes_alone),
      near_stream_(near_stream),
      far_stream_(far_stream),
      first_degree_(std::max(1, degree - 2)) {}

PlacedPoints DevicePlacement::sources() const {
  const auto& x = placed_.on_device->essential.sources.axis;
  return {{x[0].data(), x[1].data(), x[2].data()}, essential_.source_begin, essential_.source_end};
}
PlacedPoints DevicePlacement::targets_of_rank() const {
  const auto& x = placed_.on_device->essential.target_points().axis;
  return {{x[0].data(), x[1].data(), x[2].data()}, essential_.target_begin, essential_.target_end};
}

void DevicePlacement::sum_far() {
  std::vector<double> sum =
      far_pairs_of_rank(placed_, numbering_, {sources(), targets_of_rank()}, first_degree_, softening_ > 0);
  placed_.ranks->add(sum);
  far_.emplace();
  std::copy(sum.begin(), sum.end(), reinterpret_cast<double*>(&*far_));
}

Placement DevicePlacement::typical(const ResultNorms& norms, int degree) {
  if (!far_) sum_far();
  const Placement sums =
      typical_sums({{far_->beside[0], far_->beside[1]}}, {{far_->beyond[0], far_->beyond[1]}}, degree);
  return relative(sums, placed_.geometry.targets, norms);
}

Placement DevicePlacement::facing(const ResultNorms& norms, int degree) {
  if (!far_) sum_far();
  if (degree < first_degree_ || degree >= first_degree_ + farfield::cuda::degrees_at_once) {
    first_degree_ = degree;  // settle_degree goes upwards
    sum_far();
  }
  const double* sums = far_->facing[degree - first_degree_];
  return relative({{sums[0], sums[1]}}, placed_.geometry.targets, norms);
}

}  // namespace farfield::distributed

#include "plan/repeating/open_virial.hpp"

#include <algorithm>
#include <cmath>
#include <farfield/error.hpp>

#include "plan/backends.hpp"
#include "plan/threads.hpp"

namespace farfield {

static Options without_virial(Options options) {
  options.gradient = true, options.virial = false;
  return options;
}

static double middle(const std::vector<double>& axis, const PointParts& parts) {
  const auto [low, high] = std::minmax_element(axis.begin(), axis.end());
  const FractionRange own = axis.empty() ? FractionRange{INFINITY, -INFINITY} : FractionRange{*low, *high};
  const FractionRange all = parts.joined(own);
  return all.low <= all.high ? all.low + 0.5 * (all.high - all.low) : 0;
}

namespace {

class HostVirialSum : public VirialSum {
 public:
  HostVirialSum(const Points& points, const PointParts& parts, int threads)
      : parts_(parts),
        threads_(threads),
        points_(read_host(points)),
        part_(parts.part(points_.count())),
        origin_{middle(points_.x, parts), middle(points_.y, parts), middle(points_.z, parts)} {}
  std::array<double, 6> of(const Strengths& charges, const Strengths& gradient, std::int64_t vector) override {
    const std::vector<double> q = strengths_of(charges, vector), g = strengths_of(gradient, vector);
    const Summed x[] = {{*part_, points_.x, 1}, {*part_, points_.y, 1}, {*part_, points_.z, 1}};
    return virial_of(x, origin_, {*part_, q, 1}, {*part_, g, 3}, parts_, part_->grain(), threads_);
  }

 private:
  const PointParts& parts_;
  int threads_;
  HostPoints points_;
  std::unique_ptr<PartOfPoints> part_;
  std::array<double, 3> origin_;
};

}  // namespace

OpenVirial::OpenVirial(const Options& options, const Points& sources, const PointParts& parts)
    : with_gradient_(options.gradient), plan_(parts.near_plan({sources}, without_virial(options))) {
  if (backend() == Backend::cuda)
    sum_ = make_device_virial_sum(sources, parts);
  else
    sum_ = std::make_unique<HostVirialSum>(sources, parts, settle_team(options.threads).threads);
  describe();
}

Backend OpenVirial::backend() const {
  return plan_->report().backend == word_of(Backend::cuda) ? Backend::cuda : Backend::cpu;
}

void OpenVirial::describe() {
  report_ = plan_->report();
  report_.gradient = with_gradient_, report_.virial = true;
}

/// The gradient is read from where the caller wants it, or was put here.
void OpenVirial::evaluate(const Strengths& strengths, const Outputs& given) {
  Outputs outputs = given;
  outputs.virial = nullptr;
  const std::int64_t size = 3 * strengths.count;
  void*& gradient = outputs.gradient ? outputs.gradient : outputs.source_gradient;
  if (given.virial && !gradient) gradient = sum_->room(size * strengths.vectors, given.space);
  plan_->evaluate(strengths, outputs);
  describe();
  const Strengths slopes{gradient, size, strengths.vectors, 1, size, given.scalar, given.space, given.stream};
  for (std::int64_t v = 0; given.virial && v < strengths.vectors; ++v) {
    const std::array<double, 6> sum = sum_->of(strengths, slopes, v);
    std::copy(sum.begin(), sum.end(), given.virial + 6 * v);
  }
}

}  // namespace farfield

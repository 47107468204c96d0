#include "plan/repeating/open_virial.hpp"

#include <algorithm>
#include <farfield/error.hpp>

#include "plan/backends.hpp"

namespace farfield {

static Options without_virial(Options options) {
  options.gradient = true, options.virial = false;
  return options;
}

static double middle(const std::vector<double>& axis) {
  const auto [low, high] = std::minmax_element(axis.begin(), axis.end());
  return axis.empty() ? 0 : *low + 0.5 * (*high - *low);
}

namespace {

class HostVirialSum : public VirialSum {
 public:
  explicit HostVirialSum(const Points& points)
      : points_(read_host(points)), origin_{middle(points_.x), middle(points_.y), middle(points_.z)} {}
  std::array<double, 6> of(const Strengths& charges, const Strengths& gradient, std::int64_t vector) override {
    return virial_of(points_, origin_, strengths_of(charges, vector), strengths_of(gradient, vector).data());
  }

 private:
  HostPoints points_;
  std::array<double, 3> origin_;
};

}  // namespace

OpenVirial::OpenVirial(const Options& options, const Points& sources)
    : with_gradient_(options.gradient), plan_(sources, without_virial(options)) {
  if (backend() == Backend::cuda)
    sum_ = make_device_virial_sum(sources);
  else
    sum_ = std::make_unique<HostVirialSum>(sources);
  describe();
}

Backend OpenVirial::backend() const {
  return plan_.report().backend == word_of(Backend::cuda) ? Backend::cuda : Backend::cpu;
}

void OpenVirial::describe() {
  report_ = plan_.report();
  report_.gradient = with_gradient_, report_.virial = true;
}

/// The gradient is read from where the caller wants it, or was put here.
void OpenVirial::evaluate(const Strengths& strengths, const Outputs& given) {
  Outputs outputs = given;
  outputs.virial = nullptr;
  const std::int64_t size = 3 * strengths.count;
  void*& gradient = outputs.gradient ? outputs.gradient : outputs.source_gradient;
  if (given.virial && !gradient) gradient = sum_->room(size * strengths.vectors, given.space);
  plan_.evaluate(strengths, outputs);
  describe();
  const Strengths slopes{gradient, size, strengths.vectors, 1, size, given.scalar, given.space, given.stream};
  for (std::int64_t v = 0; given.virial && v < strengths.vectors; ++v) {
    const std::array<double, 6> sum = sum_->of(strengths, slopes, v);
    std::copy(sum.begin(), sum.end(), given.virial + 6 * v);
  }
}

}  // namespace farfield

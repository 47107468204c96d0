#include "plan/repeating/open_virial.hpp"

#include <algorithm>
#include <farfield/error.hpp>

namespace farfield {

static Options without_virial(Options options) {
  options.gradient = true, options.virial = false;
  return options;
}

static double middle(const std::vector<double>& axis) {
  const auto [low, high] = std::minmax_element(axis.begin(), axis.end());
  return axis.empty() ? 0 : *low + 0.5 * (*high - *low);
}

OpenVirial::OpenVirial(const Options& options, const Points& sources)
    : sources_(read_host(sources)),
      origin_{middle(sources_.x), middle(sources_.y), middle(sources_.z)},
      with_gradient_(options.gradient),
      plan_(sources, without_virial(options)) {
  describe();
}

void OpenVirial::describe() {
  report_ = plan_.report();
  report_.gradient = with_gradient_, report_.virial = true;
}

template <class T>
static std::vector<double> widened(const void* from, std::size_t first, std::size_t count) {
  const T* const at = static_cast<const T*>(from) + first;
  return {at, at + count};
}

/// The gradient is read back from where the caller wants it, or was put here.
void OpenVirial::evaluate(const Strengths& strengths, const Outputs& given) {
  Outputs outputs = given;
  outputs.virial = nullptr;
  const std::size_t size = 3 * sources_.x.size();
  void*& gradient = outputs.gradient ? outputs.gradient : outputs.source_gradient;
  std::vector<double> own;
  if (given.virial && !gradient) {
    own.resize(size * static_cast<std::size_t>(strengths.vectors));
    gradient = own.data();
  }
  plan_.evaluate(strengths, outputs);
  describe();
  const auto read = given.scalar == Scalar::float32 ? widened<float> : widened<double>;
  for (std::int64_t v = 0; given.virial && v < strengths.vectors; ++v) {
    const std::vector<double> of_vector = read(gradient, size * static_cast<std::size_t>(v), size);
    const auto sum = virial_of(sources_, origin_, strengths_of(strengths, v), of_vector.data());
    std::copy(sum.begin(), sum.end(), given.virial + 6 * v);
  }
}

}  // namespace farfield

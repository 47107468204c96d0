#include <farfield/biot_savart.hpp>
#include <numbers>
#include <string>

#include "core/results.hpp"
#include "kernels/traits.hpp"

namespace farfield {

static Options options_for_potential(Options options) {
  if (std::string(traits(options.kernel).name) != "laplace3d")
    throw Error(ErrorCode::usage, std::string("velocities of vortex particles are sums of 1/r, but the kernel is ") +
                                      traits(options.kernel).name + "; use kernel laplace3d");
  if (options.at_sources)
    throw Error(ErrorCode::usage,
                "velocities at particles and at targets in one call are not offered; leave at_sources out");
  if (options.virial) throw Error(ErrorCode::usage, "vortex particles have no virial; leave it out");
  options.gradient = true;
  if (options.densities == 1) options.densities = 3;  // the components of the strengths
  options.scale /= 4 * std::numbers::pi;
  return options;
}

BiotSavart::BiotSavart(const Points& particles, const Options& options)
    : plan_(particles, options_for_potential(options)), with_gradient_(options.hessian), alike_(true) {}
BiotSavart::BiotSavart(const Points& particles, const Points& targets, const Options& options)
    : plan_(particles, targets, options_for_potential(options)), with_gradient_(options.hessian), alike_(false) {}

void BiotSavart::move(const Points& particles) {
  plan_.move(particles);
  alike_ = true;
}
void BiotSavart::move(const Points& particles, const Points& targets) {
  plan_.move(particles, targets);
  alike_ = false;
}

/// Of a symmetric matrix xx yy zz xy xz yz, where row i, column k stand.
static constexpr int place_in_hessian[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};

/// Component i of a curl is the derivative of A_{i+2} along i + 1 less that of A_{i+1} along i + 2, by cycles of axes.
template <class T>
static void take_curl(const std::vector<T>& gradient, std::size_t count, std::vector<T>& velocity) {
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t next = (axis + 1) % 3, last = (axis + 2) % 3;
      velocity[3 * i + axis] = gradient[3 * (last * count + i) + next] - gradient[3 * (next * count + i) + last];
    }
}

template <class T>
static void differentiate_curl(const std::vector<T>& hessian, std::size_t count, std::vector<T>& of_velocity) {
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (std::size_t along = 0; along < 3; ++along) {
        const std::size_t next = (axis + 1) % 3, last = (axis + 2) % 3;
        const auto of = [&](std::size_t density, std::size_t k) {
          return hessian[6 * (density * count + i) + static_cast<std::size_t>(place_in_hessian[k][along])];
        };
        of_velocity[9 * i + 3 * axis + along] = of(last, next) - of(next, last);
      }
}

template <class T>
static void stretch(std::span<const T> strengths, const std::vector<T>& of_velocity, std::vector<T>& stretching) {
  for (std::size_t i = 0; i < stretching.size(); ++i) {
    const T *own = &strengths[3 * (i / 3)], *row = &of_velocity[3 * i];
    stretching[i] = own[0] * row[0] + own[1] * row[1] + own[2] * row[2];
  }
}

template <Real T>
VortexField<T> BiotSavart::evaluate(std::span<const T> strengths) {
  const std::int64_t particles = plan_.source_count();
  if (std::ssize(strengths) != 3 * particles)
    throw Error(ErrorCode::input, std::to_string(strengths.size()) + " numbers were given as strengths of " +
                                      std::to_string(particles) + " vortex particles; pass three for each");
  const std::size_t count = static_cast<std::size_t>(plan_.target_count());
  std::vector<T> gradient(9 * count), hessian(with_gradient_ ? 18 * count : 0);
  Outputs outputs;
  outputs.scalar = scalar_of<T>;
  outputs.gradient = gradient.data();
  if (with_gradient_) outputs.hessian = hessian.data();
  const Strengths three{strengths.data(), particles, 3, 3, 1, scalar_of<T>};
  VortexField<T> field;
  field.report = plan_.evaluate(three, outputs);
  field.velocity.resize(3 * count);
  take_curl(gradient, count, field.velocity);
  if (!with_gradient_) return field;
  field.velocity_gradient.resize(9 * count);
  differentiate_curl(hessian, count, field.velocity_gradient);
  if (!alike_) return field;
  field.stretching.resize(3 * count);
  stretch(strengths, field.velocity_gradient, field.stretching);
  return field;
}

template VortexField<float> BiotSavart::evaluate<float>(std::span<const float>);
template VortexField<double> BiotSavart::evaluate<double>(std::span<const double>);

}  // namespace farfield

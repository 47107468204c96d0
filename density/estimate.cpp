#include "density/estimate.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <farfield/error.hpp>
#include <memory>
#include <numbers>

#include "density/sums.hpp"

namespace farfield::density {
namespace {

/// L^-1 (x - origin) of all points, with zeros for axes that they lack. Each thread touches its part of the memory
/// first: 1e6 points take 5 ms of two cores.
class Whitened {
 public:
  Whitened(const std::vector<double>& positions, const Bandwidth& bandwidth, const std::array<double, 3>& origin,
           int threads)
      : count_(static_cast<std::int64_t>(positions.size()) / bandwidth.dimension),
        xyz_(std::make_unique_for_overwrite<double[]>(3 * static_cast<std::size_t>(count_))) {
    const auto d = static_cast<std::size_t>(bandwidth.dimension);
#pragma omp parallel for num_threads(threads > 0 ? threads : omp_get_max_threads())
    for (std::int64_t i = 0; i < count_; ++i) {
      std::array<double, 3> x{};
      for (std::size_t a = 0; a < d; ++a) x[a] = positions[d * static_cast<std::size_t>(i) + a] - origin[a];
      const auto y = bandwidth.whitened(x.data());
      std::copy(y.begin(), y.end(), &xyz_[3 * static_cast<std::size_t>(i)]);
    }
  }
  Points view() const { return points(xyz_.get(), count_); }

 private:
  std::int64_t count_;
  std::unique_ptr<double[]> xyz_;
};

std::array<double, 3> middle(const Box& box) {
  std::array<double, 3> m{};
  for (std::size_t a = 0; a < 3; ++a) m[a] = 0.5 * box.low[a] + 0.5 * box.high[a];
  return m;
}

std::vector<double> wrapped(std::vector<double> positions, int dimension, const Cell& cell) {
  for (std::size_t i = 0; i < positions.size(); ++i)
    positions[i] = cell.wrapped(positions[i], static_cast<int>(i % static_cast<std::size_t>(dimension)), 0);
  return positions;
}

void require_bandwidth(const Bandwidth& bandwidth) {
  for (int axis = 0; axis < bandwidth.dimension; ++axis)
    if (!(bandwidth.get(axis, axis) > 0) || !std::isfinite(bandwidth.get(axis, axis)))
      throw Error(ErrorCode::usage, "A bandwidth must be a finite number above 0; choose such a one.");
}

/// Images that are left out bring less than a hundredth of the tolerance, all together: along an axis their number
/// within each period falls faster than the last of them.
double reach_of(double tolerance) { return std::sqrt(2 * std::log(100 / std::clamp(tolerance, 1e-16, 1e-1))); }

}  // namespace

double sphere_norm(double kappa) { return kappa / (2 * std::numbers::pi * -std::expm1(-2 * kappa)); }

double peak(const Bandwidth& bandwidth) {
  return std::pow(2 * std::numbers::pi, -0.5 * bandwidth.dimension) / bandwidth.determinant();
}

Estimate estimate(const Sample& sample, const std::optional<std::vector<double>>& targets, const Bandwidth& bandwidth,
                  const Cell& cell, const Options& options) {
  require_sample(sample);
  require_bandwidth(bandwidth);
  const int d = sample.dimension;
  const double scale = peak(bandwidth) / total(sample.weights);
  if (!(scale > 0) || !std::isfinite(scale))
    throw Error(ErrorCode::usage, "The bandwidth makes densities that no number can hold; change the units.");
  const Kernels standard{1, scale};
  const auto white = [&](const std::vector<double>& positions, const Box& box) {
    return Whitened(positions, bandwidth, middle(box), options.threads);
  };
  if (!cell.any()) {
    const std::vector<double>& at = targets ? *targets : sample.positions;
    const Box box = box_of(at, d);
    const Whitened sources = white(sample.positions, box);
    if (!targets) return sums(sources.view(), sample.weights, nullptr, standard, options);
    const Whitened own = white(at, box);
    const Points view = own.view();
    return sums(sources.view(), sample.weights, &view, standard, options);
  }
  const std::vector<double> at = wrapped(targets ? *targets : sample.positions, d, cell);
  const Box box = box_of(at, d);
  const Sample all = with_images(sample, cell, box, bandwidth, reach_of(options.tolerance));
  const Whitened sources = white(all.positions, box), own = white(at, box);
  const Points view = own.view();
  return sums(sources.view(), all.weights, &view, standard, options);
}

Estimate estimate_on_sphere(const Sample& sample, const std::optional<std::vector<double>>& targets, double s,
                            const Options& options) {
  require_sample(sample);
  require_bandwidth(Bandwidth::of(1, s));
  const Kernels kernels{s, sphere_norm(1 / (s * s)) / total(sample.weights)};
  const Points at = points(targets ? *targets : sample.positions);
  return sums(points(sample.positions), sample.weights, targets ? &at : nullptr, kernels, options);
}

}  // namespace farfield::density

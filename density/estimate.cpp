#include "density/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <farfield/error.hpp>
#include <numbers>

#include "density/sums.hpp"

namespace farfield::density {
namespace {

/// L^-1 (x - origin) of all points, with zeros for axes that they lack.
std::vector<double> whitened(const std::vector<double>& positions, const Bandwidth& bandwidth,
                             const std::array<double, 3>& origin) {
  const auto d = static_cast<std::size_t>(bandwidth.dimension), n = positions.size() / d;
  std::vector<double> xyz(3 * n);
  for (std::size_t i = 0; i < n; ++i) {
    std::array<double, 3> x{};
    for (std::size_t a = 0; a < d; ++a) x[a] = positions[d * i + a] - origin[a];
    const auto y = bandwidth.whitened(x.data());
    std::copy(y.begin(), y.end(), &xyz[3 * i]);
  }
  return xyz;
}

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
  const Kernels standard{d, 1, scale};
  if (!targets && !cell.any()) {
    const auto xyz = whitened(sample.positions, bandwidth, middle(box_of(sample.positions, d)));
    return sums(xyz, sample.weights, nullptr, standard, options);
  }
  const std::vector<double> at = wrapped(targets ? *targets : sample.positions, d, cell);
  const Box box = box_of(at, d);
  const Sample all = with_images(sample, cell, box, bandwidth, reach_of(options.tolerance));
  const auto sources = whitened(all.positions, bandwidth, middle(box)), xyz = whitened(at, bandwidth, middle(box));
  return sums(sources, all.weights, &xyz, standard, options);
}

Estimate estimate_on_sphere(const Sample& sample, const std::optional<std::vector<double>>& targets, double s,
                            const Options& options) {
  require_sample(sample);
  require_bandwidth(Bandwidth::of(1, s));
  const Kernels kernels{3, s, sphere_norm(1 / (s * s)) / total(sample.weights)};
  return sums(sample.positions, sample.weights, targets ? &*targets : nullptr, kernels, options);
}

}  // namespace farfield::density

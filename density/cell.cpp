#include "density/cell.hpp"

#include <algorithm>
#include <cmath>
#include <farfield/error.hpp>
#include <numbers>
#include <string>

namespace farfield::density {
namespace {

double circular_mean(const Sample& sample, int axis, double length) {
  double sine = 0, cosine = 0;
  for (std::int64_t i = 0; i < sample.count(); ++i) {
    const double angle = 2 * std::numbers::pi * sample.at(i, axis) / length;
    sine += sample.weights[static_cast<std::size_t>(i)] * std::sin(angle);
    cosine += sample.weights[static_cast<std::size_t>(i)] * std::cos(angle);
  }
  return std::atan2(sine, cosine) / (2 * std::numbers::pi) * length;
}

void wrap(Sample& sample, const Cell& cell, int axis, double low) {
  for (std::int64_t i = 0; i < sample.count(); ++i) {
    double& x = sample.positions[static_cast<std::size_t>(i * sample.dimension + axis)];
    x = cell.wrapped(x, axis, low);
  }
}

/// Every point beside its images along one axis that lie from `low` to `high`; it itself may not.
Sample repeated(const Sample& sample, int axis, double length, double low, double high) {
  Sample all{sample.dimension, {}, {}};
  for (std::int64_t i = 0; i < sample.count(); ++i) {
    const double x = sample.at(i, axis);
    for (double k = std::ceil((low - x) / length); x + k * length <= high; ++k) {
      for (int a = 0; a < sample.dimension; ++a)
        all.positions.push_back(sample.at(i, a) + (a == axis ? k * length : 0));
      all.weights.push_back(sample.weights[static_cast<std::size_t>(i)]);
    }
  }
  return all;
}

}  // namespace

double Cell::wrapped(double x, int axis, double low) const {
  if (!periodic(axis)) return x;
  const double period = length[static_cast<std::size_t>(axis)];
  const double rest = x - period * std::floor((x - low) / period);
  return rest < low + period ? std::max(rest, low) : low;  // rounding may have left the cell
}

Sample unwrapped(const Sample& sample, const Cell& cell) {
  Sample whole = sample;
  for (int axis = 0; axis < sample.dimension; ++axis) {
    if (!cell.periodic(axis)) continue;
    const double length = cell.length[static_cast<std::size_t>(axis)];
    wrap(whole, cell, axis, circular_mean(sample, axis, length) - 0.5 * length);
  }
  return whole;
}

Box box_of(const std::vector<double>& positions, int dimension) {
  Box box;
  const auto d = static_cast<std::size_t>(dimension);
  for (std::size_t axis = 0; axis < d && !positions.empty(); ++axis) {
    double low = positions[axis], high = low;
#pragma omp parallel for reduction(min : low) reduction(max : high)
    for (std::size_t i = axis; i < positions.size(); i += d)
      low = std::min(low, positions[i]), high = std::max(high, positions[i]);
    box.low[axis] = low, box.high[axis] = high;
  }
  return box;
}

Sample with_images(const Sample& sample, const Cell& cell, const Box& box, const Bandwidth& bandwidth, double reach) {
  Sample all = sample;
  for (int axis = 0; axis < sample.dimension; ++axis) {
    if (!cell.periodic(axis)) continue;
    const auto at = static_cast<std::size_t>(axis);
    const double sigma = bandwidth.along(axis), length = cell.length[at];
    if (sigma > length)
      throw Error(ErrorCode::usage, "The bandwidth along " + std::string(1, "xyz"[axis]) + ", " +
                                        std::to_string(sigma) + ", exceeds the period " + std::to_string(length) +
                                        ", and so the density is the same all along; choose a smaller bandwidth.");
    wrap(all, cell, axis, 0);
    // Coordinates along one axis apart by reach sigma are apart by that much in units of the kernel, or more.
    all = repeated(all, axis, length, box.low[at] - reach * sigma, box.high[at] + reach * sigma);
  }
  return all;
}

}  // namespace farfield::density

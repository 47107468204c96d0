#include "density/rules/rules.hpp"

#include <cmath>
#include <farfield/error.hpp>
#include <limits>

#include "density/rules/isj.hpp"
#include "density/rules/moments.hpp"

namespace farfield::density {
namespace {

[[noreturn]] void refuse_flat() {
  throw Error(
      ErrorCode::input,
      "The points spread in fewer directions than they have coordinates, so that no rule finds a bandwidth; give "
      "one as a number.");
}

/// L with L L^T = factor^2 times the covariance.
Bandwidth from_covariance(const Sample& sample, double factor) {
  const int d = sample.dimension;
  const auto covariance = covariance_of(sample);
  // Beside the variances: what rounding leaves of a plane that is not along the axes.
  constexpr double least = 64 * std::numeric_limits<double>::epsilon();
  Bandwidth b{d, {}};
  for (int row = 0; row < d; ++row)
    for (int column = 0; column <= row; ++column) {
      double rest = covariance[static_cast<std::size_t>(3 * row + column)];
      const double whole = rest;
      for (int k = 0; k < column; ++k) rest -= b.get(row, k) * b.get(column, k);
      if (row == column && !(rest > least * whole)) refuse_flat();
      b.set(row, column, row == column ? std::sqrt(rest) : rest / b.get(column, column));
    }
  for (double& value : b.factor) value *= factor;
  return b;
}

double robust_deviation(const Sample& sample) {
  const double deviation = std::sqrt(covariance_of(sample)[0]);
  const double quartiles = quantile(sample, 0.75) - quantile(sample, 0.25);
  const double robust = quartiles > 0 ? std::fmin(deviation, quartiles / 1.34) : deviation;
  if (!(robust > 0)) refuse_flat();
  return robust;
}

}  // namespace

Bandwidth scott(const Sample& sample, const Cell& cell) {
  const double n = effective_count(sample.weights);
  return from_covariance(unwrapped(sample, cell), std::pow(n, -1.0 / (sample.dimension + 4)));
}

Bandwidth silverman(const Sample& sample, const Cell& cell) {
  const double n = effective_count(sample.weights), d = sample.dimension;
  const Sample whole = unwrapped(sample, cell);
  if (sample.dimension == 1) return Bandwidth::of(1, 0.9 * robust_deviation(whole) * std::pow(n, -0.2));
  return from_covariance(whole, std::pow(n * (d + 2) / 4, -1 / (d + 4)));
}

Bandwidth improved_sheather_jones(const Sample& sample, const Cell& cell) {
  const Sample whole = unwrapped(sample, cell);
  Bandwidth b{sample.dimension, {}};
  for (int axis = 0; axis < sample.dimension; ++axis) {
    const double length = cell.length[static_cast<std::size_t>(axis)];
    const auto found = isj_bandwidth(whole.along(axis), sample.weights, length);
    if (!found)
      throw Error(ErrorCode::input, std::string("The rule isj finds no bandwidth along ") + "xyz"[axis] +
                                        ": the points are too few or lie too regularly; use silverman, or a number.");
    b.set(axis, axis, *found);
  }
  return b;
}

double sphere_rule(const Sample& sample) {
  const double n = effective_count(sample.weights), sum = total(sample.weights);
  double mean[3] = {};
  for (std::int64_t i = 0; i < sample.count(); ++i)
    for (int axis = 0; axis < 3; ++axis)
      mean[axis] += sample.weights[static_cast<std::size_t>(i)] / sum * sample.at(i, axis);
  const double resultant = std::hypot(mean[0], mean[1], mean[2]);
  const double kappa = concentration(resultant);
  if (!(kappa < 1e14)) refuse_flat();
  // 8 sinh^2 k / (k ((1 + 4 k^2) sinh 2k - 2 k cosh 2k)), numerator and denominator times 2 exp(-2 k).
  const double decay = std::exp(-4 * kappa);
  const double top = 4 * (1 - std::exp(-2 * kappa)) * (1 - std::exp(-2 * kappa));
  double bottom = kappa * ((1 + 4 * kappa * kappa) * (1 - decay) - 2 * kappa * (1 + decay));
  // Where the two terms cancel: sinh 2k - 2k cosh 2k = -8 k^3 / 3 - ..., 4 k^2 sinh 2k = 8 k^3 + ...; 32 k^4 / 3 in
  // all.
  if (kappa < 1e-3) bottom = 32.0 / 3 * kappa * kappa * kappa * kappa * std::exp(-2 * kappa);
  const double h = std::pow(top / (bottom * n), 1.0 / 6);
  return std::fmin(h, 2.0);  // points without any direction ask for no structure at all
}

}  // namespace farfield::density

#include "density/sample.hpp"

#include <cmath>
#include <farfield/error.hpp>
#include <string>

namespace farfield::density {
namespace {

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::input, sentence); }

}  // namespace

std::vector<double> Sample::along(int axis) const {
  std::vector<double> values(weights.size());
  for (std::int64_t i = 0; i < count(); ++i) values[static_cast<std::size_t>(i)] = at(i, axis);
  return values;
}

double total(const std::vector<double>& weights) {
  double sum = 0;
  for (const double w : weights) sum += w;
  return sum;
}

double effective_count(const std::vector<double>& weights) {
  const double sum = total(weights);
  double squares = 0;  // of shares, which neither overflow nor vanish
  for (const double w : weights) squares += (w / sum) * (w / sum);
  return 1 / squares;
}

void require_sample(const Sample& sample) {
  if (sample.weights.empty()) refuse("There are no points, and so no density; give a file with at least one.");
  for (std::size_t i = 0; i < sample.positions.size(); ++i)
    if (!std::isfinite(sample.positions[i]))
      refuse("Point " + std::to_string(i / static_cast<std::size_t>(sample.dimension)) + ": its coordinate along " +
             std::string(1, "xyz"[i % static_cast<std::size_t>(sample.dimension)]) +
             " is not a finite number; correct it or remove the point.");
  for (std::size_t i = 0; i < sample.weights.size(); ++i)
    if (!(sample.weights[i] >= 0) || !std::isfinite(sample.weights[i]))
      refuse("Point " + std::to_string(i) + ": its weight is " + std::to_string(sample.weights[i]) +
             "; a density needs finite weights of 0 or more.");
  const double sum = total(sample.weights);
  if (!(sum > 0)) refuse("All weights are 0, and so there is no density; choose another column.");
  if (!std::isfinite(sum)) refuse("The weights' sum leaves the range of numbers; divide them by a common factor.");
}

}  // namespace farfield::density

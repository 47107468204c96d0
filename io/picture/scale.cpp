#include "io/picture/scale.hpp"

#include <algorithm>
#include <cmath>

namespace farfield::io {
namespace {

// The ends of the colours: those of the numbers, but where the last 2 % take up more room than a third of all others,
// these share the colour at the end.
Range coloured_range(const std::vector<double>& values, const Range& all) {
  const Range most = quantiles(values.data(), values.size(), 1, 0.02);
  if (!(most.half() > 0)) return all;
  const double room = 0.66 * most.half();
  return {most.low - all.low > room ? most.low : all.low, all.high - most.high > room ? most.high : all.high};
}

}  // namespace

double Scale::place(double value) const {
  const double t = (0.5 * value - 0.5 * range.low) / range.half();
  return std::clamp(falling ? 1 - t : t, 0.0, 1.0);
}

Scale make_scale(const std::vector<double>& values) {
  Scale scale;
  scale.finite = std::count_if(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  scale.all = quantiles(values.data(), values.size(), 1, 0);
  const double size = std::max(std::abs(scale.all.low), std::abs(scale.all.high));
  scale.coloured = scale.finite > 0 && scale.all.half() > 1e-12 * size && size > 1e-290;
  if (!scale.coloured) return scale;
  Range& range = scale.range = coloured_range(values, scale.all);
  const double most = std::max(std::abs(range.low), std::abs(range.high));
  if (std::min(-range.low, range.high) > 0.02 * most) {
    scale.palette = Palette::diverging;
    range = {-most, most};
  } else {
    scale.falling = range.high <= 0 && range.low < 0;
  }
  return scale;
}

}  // namespace farfield::io

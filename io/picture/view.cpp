#include "io/picture/view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace farfield::io {
namespace {

// A shortest axis is looked along; where others are hardly longer, z is, or else y.
std::size_t shortest(const std::array<Range, 3>& extent) {
  std::size_t best = 2;
  for (const std::size_t axis : {std::size_t{1}, std::size_t{0}})
    if (1.25 * extent[axis].half() < extent[best].half()) best = axis;
  return best;
}

// All of an axis, unless the outermost few make it more than three times as long as the others need.
Range shown_extent(const Bodies& bodies, std::size_t axis, const Range& most) {
  const Range all = quantiles(bodies.positions.data() + axis, static_cast<std::size_t>(bodies.count()), 3, 0);
  return all.half() > 3 * most.half() && most.half() > 0 ? most : all;
}

}  // namespace

Range quantiles(const double* values, std::size_t count, std::size_t stride, double outside) {
  const std::size_t thin = outside > 0 ? std::max<std::size_t>(1, count / 200000) : 1;
  std::vector<double> sample;
  Range all{HUGE_VAL, -HUGE_VAL};
  for (std::size_t i = 0; i < count; i += thin) {
    const double value = values[i * stride];
    if (!std::isfinite(value)) continue;
    all = {std::min(all.low, value), std::max(all.high, value)};
    if (outside > 0) sample.push_back(value);
  }
  if (all.low > all.high) return {};
  if (outside <= 0) return all;
  const auto at = [&](double part) {
    const auto place =
        sample.begin() + static_cast<std::ptrdiff_t>(std::lround(part * static_cast<double>(sample.size() - 1)));
    std::nth_element(sample.begin(), place, sample.end());
    return *place;
  };
  const double low = at(outside);
  return {low, at(1 - outside)};
}

std::string View::words() const {
  // Across, up and towards the viewer are right-handed: so one looks along minus the third axis, or plus it.
  const bool right_handed = (up + 3 - across) % 3 == 1;
  return fmt::format("seen along {}{}, {} to the right, {} up", right_handed ? '-' : '+', "xyz"[along], "xyz"[across],
                     "xyz"[up]);
}

View make_view(const Bodies& bodies, char axis, int width, int height) {
  const auto n = static_cast<std::size_t>(bodies.count());
  std::array<Range, 3> extent;
  const double* const first = bodies.positions.data();  // null where there are none
  for (std::size_t c = 0; c < 3; ++c) extent[c] = quantiles(n > 0 ? first + c : first, n, 3, 0.0025);
  View view;
  view.along = axis ? static_cast<std::size_t>(axis - 'x') : shortest(extent);
  view.up = bodies.up != view.along ? bodies.up : view.along == 2 ? 1 : 2;
  view.across = 3 - view.along - view.up;
  view.width = width;
  view.height = height;

  const std::array<std::size_t, 2> axes{view.across, view.up};
  double dots = HUGE_VAL, reach = 0;
  for (std::size_t c = 0; c < 2; ++c) {
    const Range range = shown_extent(bodies, axes[c], extent[axes[c]]);
    view.centre[c] = range.middle();
    reach = std::max({reach, std::abs(range.low), std::abs(range.high)});
    const double room = c == 0 ? view.width : view.height, margin = std::max(0.04 * room, 10.0);
    const double half = range.half() > 1e-14 * reach ? range.half() : 0;
    if (half > 1e-290) dots = std::min(dots, (room / 2 - margin) / half);
  }
  // One point alone: what is around it, as far as a tenth of its distance from the origin.
  if (!std::isfinite(dots)) dots = 0.5 * std::min(view.width, view.height) / (reach > 1e-290 ? 0.1 * reach : 0.5);
  view.dots = dots;
  return view;
}

View confined(View view, const Range& across, const Range& up) {
  view.centre = {across.middle(), up.middle()};
  view.dots = std::min(0.5 * view.width / across.half(), 0.5 * view.height / up.half());
  return view;
}

}  // namespace farfield::io

#include "io/drawing/line.hpp"

#include <algorithm>
#include <cmath>

namespace farfield::io {
namespace {

/// Of a point from the segment that begins at the origin and ends at (dx, dy).
double distance(double x, double y, double dx, double dy) {
  const double square = dx * dx + dy * dy;
  const double along = square > 0 ? std::clamp((x * dx + y * dy) / square, 0.0, 1.0) : 0;
  return std::hypot(x - along * dx, y - along * dy);
}

}  // namespace

void draw_line(Image& image, double x0, double y0, double x1, double y1, double width, Colour colour) {
  const double reach = width / 2 + 1;
  const auto first = [&](double a, double b) { return std::max(0, static_cast<int>(std::min(a, b) - reach)); };
  const auto last = [&](double a, double b, int most) {
    return static_cast<int>(std::min(most - 1.0, std::max(a, b) + reach));
  };
  for (int y = first(y0, y1); y <= last(y0, y1, image.height); ++y)
    for (int x = first(x0, x1); x <= last(x0, x1, image.width); ++x) {
      const double away = distance(x + 0.5 - x0, y + 0.5 - y0, x1 - x0, y1 - y0);
      const auto cover = static_cast<float>(std::clamp(width / 2 + 0.5 - away, 0.0, 1.0));
      for (std::size_t c = 0; c < 3; ++c) image.at(x, y)[c] = std::lerp(image.at(x, y)[c], colour[c], cover);
    }
}

}  // namespace farfield::io

#include "io/map/heat.hpp"

#include <algorithm>
#include <cmath>

#include "io/drawing/line.hpp"
#include "io/map/paint.hpp"

namespace farfield::io {
namespace {

constexpr int canvas_width = 1200, canvas_height = 900;
constexpr double sliver = 5;  // times as long as wide

/// The frame shrunk to the shape of what it shows; `height` of the canvas shrinks with it.
Layout fitted(Layout l, const std::array<double, 4>& limits, int& height) {
  const double shape = (limits[1] - limits[0]) / (limits[3] - limits[2]);
  if (!(shape < sliver && shape > 1 / sliver)) return l;
  const int tall = std::min(l.height, static_cast<int>(l.width / shape));
  height -= l.height - tall;
  l.height = tall;
  l.width = std::min(l.width, static_cast<int>(tall * shape));
  return l;
}

/// Colours and outlines on a canvas of the frame's size.
Image painted(const Raster& raster, const Decades& decades, const std::vector<Outline>& outlines, int width,
              int height) {
  Image image(width, height, map_ground);
  const auto& [left, right, low, high] = raster.limits;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const double across = std::lerp(left, right, (x + 0.5) / width), up = std::lerp(high, low, (y + 0.5) / height);
      image.at(x, y) = heat_colour(decades.place(raster.at(across, up)));
    }
  const auto across = [&, l = left, r = right](double x) { return (x - l) / (r - l) * width; };
  const auto up = [&, l = low, h = high](double y) { return (h - y) / (h - l) * height; };
  for (const Outline& line : outlines)
    for (std::size_t i = 1; i < line.size(); ++i) {
      const auto &a = line[i - 1], &b = line[i];
      // Around the world, not across the map; and the edge of a map is no coast.
      const bool seam = raster.around && (std::fabs(a[0] - b[0]) > 180 || std::fabs(a[0] + b[0]) >= 359.99);
      if (!seam) draw_line(image, across(a[0]), up(a[1]), across(b[0]), up(b[1]), 1.3, coast_ink);
    }
  return image;
}

void paste(const Image& part, int left, int top, Image& image) {
  for (int y = 0; y < part.height; ++y)
    for (int x = 0; x < part.width; ++x) image.at(left + x, top + y) = part.at(x, y);
}

}  // namespace

void draw_heat(const std::string& path, const Raster& raster, const HeatStyle& style) {
  const Decades decades = decades_of(raster.values);
  int height = canvas_height;
  const Layout l = fitted(make_layout(canvas_width, height, style.title, true), raster.limits, height);
  Image image(canvas_width, height, map_ground);
  draw_title(image, l);
  paste(painted(raster, decades, style.outlines, l.width, l.height), l.left, l.top, image);
  draw_box(image, l);
  const auto& [left, right, low, high] = raster.limits;
  draw_axis_across(image, l, make_ticks(left, right, std::clamp(l.width / (8 * l.letter()), 6, 11)), left, right,
                   style.axes[0]);
  draw_axis_up(image, l, make_ticks(low, high, std::clamp(l.height / (3 * l.line()), 6, 11)), low, high, style.axes[1]);
  draw_decades(image, l, decades, style.label);
  draw_words(image, l, style.words);
  write_png(path, image);
}

}  // namespace farfield::io

#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/drawing/line.hpp"
#include "io/map/heat.hpp"
#include "io/map/paint.hpp"

namespace farfield::io {
namespace {

constexpr double radian = std::numbers::pi / 180;
constexpr int graticule = 30;  // degrees between lines of equal longitude or latitude

/// The globe seen from above a place, orthographic: x to the right, y upward, z towards the eye, radius 1.
class Sight {
 public:
  Sight(double longitude, double latitude)
      : longitude_(longitude), sine_(std::sin(latitude * radian)), cosine_(std::cos(latitude * radian)) {}

  std::array<double, 3> seen(double longitude, double latitude) const {
    const double away = (longitude - longitude_) * radian, ring = std::cos(latitude * radian);
    const double x = ring * std::sin(away), front = ring * std::cos(away), up = std::sin(latitude * radian);
    return {x, cosine_ * up - sine_ * front, sine_ * up + cosine_ * front};
  }
  /// Longitude and latitude of a point of the visible half.
  std::array<double, 2> place(double x, double y, double z) const {
    const double up = cosine_ * y + sine_ * z, front = cosine_ * z - sine_ * y;
    const double longitude = longitude_ + std::atan2(x, front) / radian;
    return {std::remainder(longitude, 360), std::asin(std::clamp(up, -1.0, 1.0)) / radian};
  }

 private:
  double longitude_, sine_, cosine_;
};

struct Disc {
  double x, y, radius;  ///< on the canvas, in dots
};

void draw_seen(Image& image, const Disc& disc, const Sight& sight, const Outline& line, double width, Colour colour) {
  for (std::size_t i = 1; i < line.size(); ++i) {
    const auto a = sight.seen(line[i - 1][0], line[i - 1][1]), b = sight.seen(line[i][0], line[i][1]);
    if (a[2] < 0 || b[2] < 0) continue;
    draw_line(image, disc.x + disc.radius * a[0], disc.y - disc.radius * a[1], disc.x + disc.radius * b[0],
              disc.y - disc.radius * b[1], width, colour);
  }
}

std::vector<Outline> net() {
  std::vector<Outline> lines;
  for (int longitude = -180; longitude < 180; longitude += graticule) {
    lines.emplace_back();
    for (int latitude = -90; latitude <= 90; latitude += 3)
      lines.back().push_back({static_cast<double>(longitude), static_cast<double>(latitude)});
  }
  for (int latitude = -90 + graticule; latitude < 90; latitude += graticule) {
    lines.emplace_back();
    for (int longitude = -180; longitude <= 180; longitude += 3)
      lines.back().push_back({static_cast<double>(longitude), static_cast<double>(latitude)});
  }
  return lines;
}

/// Colours, darker towards the rim as a lit ball is; the rim itself is smooth.
void draw_disc(Image& image, const Disc& disc, const Sight& sight, const Raster& raster, const Decades& decades) {
  constexpr Colour sea{0.050f, 0.065f, 0.125f};
  constexpr double shades = 24;
  for (int row = static_cast<int>(disc.y - disc.radius) - 1; row <= disc.y + disc.radius + 1; ++row)
    for (int column = static_cast<int>(disc.x - disc.radius) - 1; column <= disc.x + disc.radius + 1; ++column) {
      double x = (column + 0.5 - disc.x) / disc.radius, y = (disc.y - row - 0.5) / disc.radius;
      const double r = std::hypot(x, y), cover = std::clamp((1 - r) * disc.radius + 0.5, 0.0, 1.0);
      if (cover <= 0) continue;
      if (r > 1) x /= r, y /= r;
      const double z = std::sqrt(std::max(0.0, 1 - x * x - y * y));
      const auto [longitude, latitude] = sight.place(x, y, z);
      const double t = decades.place(raster.at(longitude, latitude));
      Colour colour = mixed(sea, heat_colour(t), std::clamp(4 * t, 0.0, 1.0));
      for (float& c : colour) c *= static_cast<float>(0.6 + 0.4 * std::ceil(shades * z) / shades);
      image.at(column, row) = mixed(image.at(column, row), colour, cover);
    }
}

void draw_ball(Image& image, const Disc& disc, const Sight& sight, const Raster& raster, const Decades& decades,
               const std::vector<Outline>& outlines) {
  draw_disc(image, disc, sight, raster, decades);
  for (const Outline& line : net()) draw_seen(image, disc, sight, line, 0.8, grid_ink);
  for (const Outline& line : outlines) draw_seen(image, disc, sight, line, 1.3, coast_ink);
}

void draw_map(Image& image, const Layout& l, const Raster& raster, const Decades& decades,
              const std::vector<Outline>& outlines) {
  const auto across = [&](double longitude) { return l.left + (longitude + 180) / 360 * l.width; };
  const auto up = [&](double latitude) { return l.top + (90 - latitude) / 180 * l.height; };
  for (int y = 0; y < l.height; ++y)
    for (int x = 0; x < l.width; ++x)
      image.at(l.left + x, l.top + y) =
          heat_colour(decades.place(raster.at(-180 + 360 * (x + 0.5) / l.width, 90 - 180 * (y + 0.5) / l.height)));
  const auto draw = [&](const Outline& line, double width, Colour colour) {
    for (std::size_t i = 1; i < line.size(); ++i) {
      const auto &a = line[i - 1], &b = line[i];
      // Around the world, not across the map; and the map's edge is no coast.
      if (std::fabs(a[0] - b[0]) > 180 || std::fabs(a[0] + b[0]) >= 359.99) continue;
      draw_line(image, across(a[0]), up(a[1]), across(b[0]), up(b[1]), width, colour);
    }
  };
  for (const Outline& line : net()) draw(line, 0.8, grid_ink);
  for (const Outline& line : outlines) draw(line, 1.3, coast_ink);
  draw_box(image, l);
}

std::string degrees(int value, char below, char above) {
  return value == 0 ? "0" : std::to_string(std::abs(value)) + " " + (value < 0 ? below : above);
}

void draw_degrees(Image& image, const Layout& l) {
  Ticks across, up;
  for (int longitude = -180; longitude <= 180; longitude += 2 * graticule) {
    across.places.push_back(longitude);
    across.labels.push_back(std::abs(longitude) == 180 ? "180" : degrees(longitude, 'W', 'E'));
  }
  for (int latitude = -90 + graticule; latitude < 90; latitude += graticule) {
    up.places.push_back(latitude);
    up.labels.push_back(degrees(latitude, 'S', 'N'));
  }
  draw_axis_across(image, l, across, -180, 180, "");
  draw_axis_up(image, l, up, -90, 90, "");
}

}  // namespace

void draw_globe(const std::string& path, const Raster& raster, const HeatStyle& style) {
  constexpr int width = 1200;
  const Decades decades = decades_of(raster.values);
  Layout l = make_layout(width, 900, style.title, true);
  l.height = l.width / 2;
  const int radius = (l.width - 4 * l.letter()) / 4, below = l.bottom() + 3 * l.line();
  Image image(width, below + 2 * radius + 4 * l.line(), map_ground);
  draw_title(image, l);
  draw_map(image, l, raster, decades, style.outlines);
  draw_degrees(image, l);
  draw_decades(image, l, decades, style.label);
  // The Pacific with its ring; Africa and Europe with the Atlantic ridge.
  for (const auto& [share, longitude, latitude] : {std::array{0.25, 175.0, 10.0}, std::array{0.75, -5.0, 20.0}})
    draw_ball(image, {l.left + share * l.width, static_cast<double>(below + radius), static_cast<double>(radius)},
              {longitude, latitude}, raster, decades, style.outlines);
  Layout words = l;
  words.height = below + 2 * radius - l.line() - l.top;
  draw_words(image, words, style.words);
  write_png(path, image);
}

}  // namespace farfield::io

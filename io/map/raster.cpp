#include "io/map/raster.hpp"

#include <algorithm>
#include <cmath>

namespace farfield::io {
namespace {

constexpr double most_decades = 3, least_decades = 0.3;

/// The two boxes beside a place, and the share of the second.
struct Pair {
  std::int64_t first, second;
  double part;
};

Pair beside(double place, std::int64_t count, bool around) {
  const double low = std::floor(place);
  const auto first = static_cast<std::int64_t>(low);
  if (around) return {(first % count + count) % count, ((first + 1) % count + count) % count, place - low};
  if (place <= 0 || count == 1) return {0, 0, 0};
  if (place >= static_cast<double>(count - 1)) return {count - 1, count - 1, 0};
  return {first, first + 1, place - low};
}

}  // namespace

double Raster::at(double x, double y) const {
  const auto place = [](double value, double low, double high, std::int64_t count) {
    return (value - low) / (high - low) * static_cast<double>(count) - 0.5;
  };
  const Pair across = beside(place(x, limits[0], limits[1], width), width, around);
  const Pair up = beside(place(y, limits[2], limits[3], height), height, false);
  const auto value = [&](std::int64_t column, std::int64_t row) {
    return values[static_cast<std::size_t>(row * width + column)];
  };
  return std::lerp(std::lerp(value(across.first, up.first), value(across.second, up.first), across.part),
                   std::lerp(value(across.first, up.second), value(across.second, up.second), across.part), up.part);
}

double Decades::place(double value) const { return value > 0 ? (std::log10(value) - low) / (high - low) : -1; }

Decades decades_of(const std::vector<double>& values) {
  double least = HUGE_VAL, most = 0;
  for (const double value : values)
    if (std::isfinite(value)) least = std::min(least, value), most = std::max(most, value);
  if (!(most > 0)) return {};
  const double high = std::log10(most), low = least > 0 ? std::log10(least) : -HUGE_VAL;
  return {std::min(std::max(low, high - most_decades), high - least_decades), high};
}

}  // namespace farfield::io

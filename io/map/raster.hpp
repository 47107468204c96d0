// Numbers on a regular grid in the plane, or of longitude and latitude, as a picture takes them.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace farfield::io {

struct Raster {
  std::int64_t width = 0, height = 0;  ///< how many boxes, at least 1 each
  std::array<double, 4> limits{};      ///< left, right, low, high: outer edges of the outer boxes
  std::vector<double> values;          ///< in the middle of each box; rows from low to high, x fastest
  bool around = false;                 ///< the right edge is the left one: longitudes

  /// Between the middles of boxes linear in x and in y; outside them the nearest.
  double at(double x, double y) const;
};

/// Colours for numbers over several powers of ten: none (ground) below `low`, the lightest from `high` on.
struct Decades {
  double low = 0, high = 1;          ///< log10
  double place(double value) const;  ///< 0 to 1 from low to high, below 0 for less
};

/// From the greatest value three powers of ten down, or to the least where that is more.
Decades decades_of(const std::vector<double>& values);

}  // namespace farfield::io

// Regular grids of places, each in the middle of a box of its own, so that the sum of a density over them times the
// volume of a box is its integral.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "density/bandwidth.hpp"
#include "density/cell.hpp"
#include "density/sample.hpp"

namespace farfield::density {

struct Grid {
  int dimension = 2;
  std::array<std::int64_t, 3> count{1, 1, 1};
  std::array<double, 3> low{}, high{};  ///< of the whole: outer faces of the outer boxes

  std::int64_t size() const { return count[0] * count[1] * count[2]; }
  double step(int axis) const {
    const auto a = static_cast<std::size_t>(axis);
    return (high[a] - low[a]) / static_cast<double>(count[a]);
  }
  double place(int axis, std::int64_t i) const {
    return low[static_cast<std::size_t>(axis)] + (static_cast<double>(i) + 0.5) * step(axis);
  }
  std::vector<double> places(int axis) const;
  std::vector<double> points() const;  ///< dimension * size, x fastest
  double volume() const;               ///< of a box
};

/// Around the points: three bandwidths more than their extent, along a periodic axis one period, which begins at 0 or
/// at minus half of it where all points lie in that, else at the least of them.
Grid grid_around(const Sample& sample, const Bandwidth& bandwidth, const Cell& cell,
                 const std::array<std::int64_t, 3>& count);

/// Longitudes -180 to 180, latitudes -90 to 90.
Grid grid_of_globe(std::int64_t longitudes, std::int64_t latitudes);

double integral(const Grid& grid, const std::vector<double>& density);
/// Per steradian, over the sphere: each box counts by its exact area.
double integral_over_globe(const Grid& grid, const std::vector<double>& density);

}  // namespace farfield::density

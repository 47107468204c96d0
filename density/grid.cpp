#include "density/grid.hpp"

#include <cmath>

#include "density/sphere.hpp"

namespace farfield::density {
namespace {

constexpr double margin = 3;  // bandwidths; 0.3 % of the outermost kernels lie beyond

void set_period(Grid& grid, const Box& box, std::size_t a, double length) {
  const bool from_zero = box.low[a] >= 0 && box.high[a] <= length;
  const bool around_zero = box.low[a] >= -0.5 * length && box.high[a] <= 0.5 * length;
  grid.low[a] = from_zero ? 0 : around_zero ? -0.5 * length : box.low[a];
  grid.high[a] = grid.low[a] + length;
}

}  // namespace

std::vector<double> Grid::places(int axis) const {
  std::vector<double> all;
  for (std::int64_t i = 0; i < count[static_cast<std::size_t>(axis)]; ++i) all.push_back(place(axis, i));
  return all;
}

std::vector<double> Grid::points() const {
  std::vector<double> all;
  all.reserve(static_cast<std::size_t>(size() * dimension));
  for (std::int64_t z = 0; z < count[2]; ++z)
    for (std::int64_t y = 0; y < count[1]; ++y)
      for (std::int64_t x = 0; x < count[0]; ++x) {
        all.push_back(place(0, x));
        if (dimension > 1) all.push_back(place(1, y));
        if (dimension > 2) all.push_back(place(2, z));
      }
  return all;
}

double Grid::volume() const {
  double product = 1;
  for (int axis = 0; axis < dimension; ++axis) product *= step(axis);
  return product;
}

Grid grid_around(const Sample& sample, const Bandwidth& bandwidth, const Cell& cell,
                 const std::array<std::int64_t, 3>& count) {
  Grid grid{sample.dimension, count, {}, {}};
  const Box box = box_of(sample.positions, sample.dimension);
  for (int axis = 0; axis < sample.dimension; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (cell.periodic(axis)) {
      set_period(grid, box, a, cell.length[a]);
    } else {
      grid.low[a] = box.low[a] - margin * bandwidth.along(axis);
      grid.high[a] = box.high[a] + margin * bandwidth.along(axis);
    }
  }
  return grid;
}

Grid grid_of_globe(std::int64_t longitudes, std::int64_t latitudes) {
  return {2, {longitudes, latitudes, 1}, {-180, -90, 0}, {180, 90, 0}};
}

double integral(const Grid& grid, const std::vector<double>& density) {
  double sum = 0;
  for (const double p : density) sum += p;
  return sum * grid.volume();
}

double integral_over_globe(const Grid& grid, const std::vector<double>& density) {
  double whole = 0;
  for (std::int64_t y = 0; y < grid.count[1]; ++y) {
    double row = 0;
    for (std::int64_t x = 0; x < grid.count[0]; ++x) row += density[static_cast<std::size_t>(y * grid.count[0] + x)];
    const double south = grid.low[1] + static_cast<double>(y) * grid.step(1);
    whole += row * radians(grid.step(0)) * (std::sin(radians(south + grid.step(1))) - std::sin(radians(south)));
  }
  return whole;
}

}  // namespace farfield::density

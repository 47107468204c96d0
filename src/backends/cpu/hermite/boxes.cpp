#include "backends/cpu/hermite/boxes.hpp"

#include <algorithm>
#include <cmath>

#include "expansions/hermite/translations.hpp"

namespace farfield::cpu {

static constexpr double most_boxes = 0x1p20;  // along an axis: keys of three axes are 60 bits

struct Range {
  double low = INFINITY, high = -INFINITY;
};
static Range range_of(const PointsOfAxes& a, const PointsOfAxes& b, int axis) {
  Range range;
  for (const PointsOfAxes* points : {&a, &b})
    for (std::int64_t i = 0; i < points->count; ++i) {
      range.low = std::min(range.low, points->axis[axis][i]);
      range.high = std::max(range.high, points->axis[axis][i]);
    }
  return range;
}

/// Where exp(-t^2), or the gradient's sqrt(2) t exp(-t^2), has fallen to the tolerance.
static double cutoff_of(double tolerance, bool gradient) {
  double t = std::sqrt(-std::log(tolerance));
  if (gradient)
    for (int i = 0; i < 8; ++i) t = std::sqrt(-std::log(tolerance) + std::log(std::sqrt(2.0) * std::max(t, 1.0)));
  return t;
}

static int terms_for(double half, int axes, double tolerance, bool gradient) {
  for (int p = 2; p <= hermite::most_terms; ++p) {
    const double value = hermite::translated_bound(p, half), slope = gradient ? hermite::slope_bound(p, half) : 0;
    const double components = gradient ? std::sqrt(axes) : 1;
    if (components * hermite::product_bound(std::max(value, slope), axes) <= tolerance) return p;
  }
  return 0;
}

HermiteGrid hermite_grid(const PointsOfAxes& sources, const PointsOfAxes& targets, double bandwidth, double tolerance,
                         bool gradient) {
  HermiteGrid grid;
  grid.length = std::sqrt(2.0) * bandwidth;
  double extent = 0, extents[3] = {};
  int used = 0, unused = 2;
  for (int axis = 0; axis < 3; ++axis) {
    const Range range = range_of(sources, targets, axis);
    const double here = std::max(0.0, range.high - range.low);
    const int place = here > 0 ? used++ : unused--;
    grid.axis[place] = axis, grid.low[place] = range.low, extents[place] = here;
    extent = std::max(extent, here);
  }
  grid.shape.axes = std::max(1, used);
  grid.side = std::max(std::min(grid.length, extent), extent / most_boxes);
  if (!(grid.side > 0)) grid.side = grid.length;
  for (int i = 0; i < grid.shape.axes; ++i) grid.boxes[i] = static_cast<std::int64_t>(extents[i] / grid.side) + 1;
  grid.cutoff = cutoff_of(tolerance, gradient);
  const double reach = std::ceil(grid.cutoff * grid.length / grid.side);
  grid.reach =
      static_cast<int>(std::min<double>(reach, static_cast<double>(*std::max_element(grid.boxes, grid.boxes + 3) - 1)));
  grid.shape.p = terms_for(0.5 * grid.side / grid.length, grid.shape.axes, tolerance, gradient);
  for (int i = 0; i < grid.shape.axes; ++i) grid.shape.terms[i] = std::max(1, grid.shape.p);
  return grid;
}

static std::uint64_t key_of(const HermiteGrid& grid, const PointsOfAxes& points, std::int64_t point) {
  std::uint64_t key = 0;
  for (int i = grid.shape.axes - 1; i >= 0; --i) {
    const double from_low = points.axis[grid.axis[i]][point] - grid.low[i];
    const auto box = std::min(static_cast<std::int64_t>(from_low / grid.side), grid.boxes[i] - 1);
    key = key * static_cast<std::uint64_t>(grid.boxes[i]) + static_cast<std::uint64_t>(box);
  }
  return key;
}

void sort_into_boxes(const HermiteGrid& grid, const PointsOfAxes& points, BoxedPoints& to) {
  struct Keyed {
    std::uint64_t key;
    std::uint32_t point;
    bool operator<(const Keyed& b) const { return key < b.key || (key == b.key && point < b.point); }
  };
  Array<Keyed> keyed;
  keyed.resize(points.count);
  to.order.resize(points.count);
  for (std::int64_t i = 0; i < points.count; ++i)
    keyed.data()[i] = {key_of(grid, points, i), static_cast<std::uint32_t>(i)};
  std::sort(keyed.data(), keyed.data() + points.count);
  std::int64_t boxes = 0;
  for (std::int64_t i = 0; i < points.count; ++i) boxes += i == 0 || keyed.data()[i].key != keyed.data()[i - 1].key;
  to.key.resize(boxes), to.begin.resize(boxes + 1);
  for (Array<double>& axis : to.coordinate) {
    axis.resize(points.count + 16);
    std::fill_n(axis.data(), points.count + 16, 0.0);
  }
  for (std::int64_t i = 0, box = 0; i < points.count; ++i) {
    const Keyed& here = keyed.data()[i];
    to.order.data()[i] = here.point;
    if (i == 0 || here.key != keyed.data()[i - 1].key) to.key.data()[box] = here.key, to.begin.data()[box++] = i;
    for (int axis = 0; axis < grid.shape.axes; ++axis)
      to.coordinate[axis].data()[i] = points.axis[grid.axis[axis]][here.point] - grid.low[axis];
  }
  to.begin.data()[boxes] = points.count;
}

}  // namespace farfield::cpu

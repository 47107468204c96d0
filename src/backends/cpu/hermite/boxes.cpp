#include "backends/cpu/hermite/boxes.hpp"

#include <algorithm>
#include <cmath>

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

HermiteGrid hermite_grid(const PointsOfAxes& sources, const PointsOfAxes& targets, double bandwidth, double tolerance,
                         bool gradient) {
  double low[3], high[3];
  for (int axis = 0; axis < 3; ++axis) {
    const Range range = range_of(sources, targets, axis);
    low[axis] = range.low, high[axis] = range.high;
  }
  return hermite::make_grid(low, high, bandwidth, tolerance, gradient, most_boxes);
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

// The grid of boxes of the fast Gaussian transform: their side, how far they are looked at, and the terms of a series.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "expansions/hermite/series.hpp"
#include "expansions/hermite/translations.hpp"

namespace farfield::hermite {

/// What the grid and the series are: lengths in the plan's scaled units.
struct Grid {
  double length = 1;        ///< sqrt(2) bandwidths
  double side = 1;          ///< of a box
  double low[3] = {};       ///< corner of box (0, 0, 0), along the axes in use
  int axis[3] = {0, 1, 2};  ///< axes in use, first those along which points differ
  int reach = 0;            ///< boxes this far along an axis may be within the cut-off
  double cutoff = 0;        ///< in lengths
  std::int64_t boxes[3] = {1, 1, 1};
  Shape shape;  ///< p = 0: pairs alone
};

/// Where exp(-t^2), or the gradient's sqrt(2) t exp(-t^2), has fallen to the tolerance.
inline double cutoff_of(double tolerance, bool gradient) {
  double t = std::sqrt(-std::log(tolerance));
  if (gradient)
    for (int i = 0; i < 8; ++i) t = std::sqrt(-std::log(tolerance) + std::log(std::sqrt(2.0) * std::max(t, 1.0)));
  return t;
}

inline int terms_for(double half, int axes, double tolerance, bool gradient) {
  for (int p = 2; p <= most_terms; ++p) {
    const double value = translated_bound(p, half), slope = gradient ? slope_bound(p, half) : 0;
    const double components = gradient ? std::sqrt(axes) : 1;
    if (components * product_bound(std::max(value, slope), axes) <= tolerance) return p;
  }
  return 0;
}

/// The grid over the cuboid of all points: p so that series and cut-off keep `tolerance`. `most_boxes`: along an axis.
inline Grid make_grid(const double low[3], const double high[3], double bandwidth, double tolerance, bool gradient,
                      double most_boxes) {
  Grid grid;
  grid.length = std::sqrt(2.0) * bandwidth;
  double extent = 0, extents[3] = {};
  int used = 0, unused = 2;
  for (int axis = 0; axis < 3; ++axis) {
    const double here = std::max(0.0, high[axis] - low[axis]);
    const int place = here > 0 ? used++ : unused--;
    grid.axis[place] = axis, grid.low[place] = low[axis], extents[place] = here;
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

/// Points from which on a box has a series of its own, sqrt(axes p / 4 p^axes): a translation between two such boxes
/// then takes as long as their pairs.
inline std::int64_t points_for_series(const Shape& shape) {
  return std::lround(std::ceil(std::sqrt(0.25 * shape.axes * shape.p * static_cast<double>(shape.count()))));
}

}  // namespace farfield::hermite

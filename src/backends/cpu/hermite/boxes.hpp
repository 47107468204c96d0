// Boxes of one uniform grid, of side about sqrt(2) bandwidths, that have points: for the fast Gaussian transform.
#pragma once
#include <cstdint>

#include "core/array.hpp"
#include "expansions/hermite/series.hpp"

namespace farfield::cpu {

/// What the grid and the series are: lengths in the plan's scaled units.
struct HermiteGrid {
  double length = 1;        ///< sqrt(2) bandwidths
  double side = 1;          ///< of a box
  double low[3] = {};       ///< corner of box (0, 0, 0), along the axes in use
  int axis[3] = {0, 1, 2};  ///< axes in use, first those along which points differ
  int reach = 0;            ///< boxes this far along an axis may be within the cut-off
  double cutoff = 0;        ///< in lengths
  std::int64_t boxes[3] = {1, 1, 1};
  hermite::Shape shape;  ///< p = 0: pairs alone
};

/// Boxes with points, by rising key x + nx (y + ny z); points sorted by box.
struct BoxedPoints {
  Array<std::uint64_t> key;
  Array<std::int64_t> begin;    ///< [boxes + 1]
  Array<std::uint32_t> order;   ///< of the plan's points
  Array<double> coordinate[3];  ///< along the axes in use, sorted, from `low`; 16 readable elements beyond
  std::int64_t boxes() const { return key.size(); }
};

struct PointsOfAxes {
  const double* axis[3];
  std::int64_t count;
};

/// The grid for these points: p so that series and cut-off keep `tolerance`.
HermiteGrid hermite_grid(const PointsOfAxes& sources, const PointsOfAxes& targets, double bandwidth, double tolerance,
                         bool gradient);

void sort_into_boxes(const HermiteGrid& grid, const PointsOfAxes& points, BoxedPoints& to);

}  // namespace farfield::cpu

// Boxes of one uniform grid, of side about sqrt(2) bandwidths, that have points: for the fast Gaussian transform.
#pragma once
#include <cstdint>

#include "core/array.hpp"
#include "expansions/hermite/grid.hpp"

namespace farfield::cpu {

using HermiteGrid = hermite::Grid;

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

// Geometry: what `choose` may know about the points: extents and how they fill space. Found by a backend's survey.
#pragma once
#include <cstdint>

namespace farfield {

struct Geometry {
  std::int64_t sources = 0, targets = 0;
  bool alike = true;           ///< targets are the sources
  double low[3] = {}, high[3] = {};  ///< bounding box of all points, in the caller's units
  int exponent = 0;            ///< scaled coordinate = coordinate * 2^exponent; the extent becomes <= 1
  double extent = 0;           ///< largest side of the bounding box, scaled
  double largest = 0;          ///< largest |coordinate|, scaled
  /// How the sources and targets fill a grid of `grid`^3 cells over the bounding cube: cells that hold a point, and
  /// the same on the grid of half the resolution. The grid is chosen so that occupied cells hold >= 8 points on average.
  int grid = 1;
  std::int64_t occupied = 1, occupied_coarse = 1;
};

}  // namespace farfield

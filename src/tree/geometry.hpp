// Geometry: what `choose` may know about the points: extents and how they fill space. Found by a backend's survey.
#pragma once
#include <cmath>
#include <cstdint>

#include "core/hd.hpp"

namespace farfield {

struct Geometry {
  std::int64_t sources = 0, targets = 0;
  bool alike = true;                 ///< targets are the sources
  double low[3] = {}, high[3] = {};  ///< bounding box of all points, in the caller's units
  int exponent = 0;                  ///< scaled coordinate = coordinate * 2^exponent; the extent becomes <= 1
  double extent = 0;                 ///< largest side of the bounding box, scaled
  double largest = 0;                ///< largest |coordinate|, scaled
  /// How the sources and targets fill a grid of `grid`^3 cells over the bounding cube: cells that hold a point, and
  /// the same on the grid of half the resolution. The grid is chosen so that occupied cells hold >= 8 points on
  /// average.
  int grid = 1;
  std::int64_t occupied = 1, occupied_coarse = 1;
};

/// Multiplication by 2^exponent in two steps: exponents from -1025 to 1074 are needed (extents from twice the largest
/// double down to the smallest subnormal) and neither end is a normal double itself.
struct Scaling {
  double first = 1, second = 1;
  Scaling() = default;
  explicit Scaling(int exponent)
      : first(std::ldexp(1.0, exponent / 2)), second(std::ldexp(1.0, exponent - exponent / 2)) {}
  FARFIELD_HD double operator()(double x) const { return x * first * second; }
};

}  // namespace farfield

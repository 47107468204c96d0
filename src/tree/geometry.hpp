// Geometry: what `choose` may know about the points: extents and how they fill space. Found by a backend's survey.
#pragma once
#include <cmath>
#include <cstdint>
#include <farfield/views.hpp>

#include "core/hd.hpp"

namespace farfield {

/// Range of the softening lengths of points, in the caller's units.
struct LengthRange {
  bool given = false;                    ///< by points, not by Options::softening alone
  double longest = 0, least = INFINITY;  ///< of all
  double shortest = INFINITY;            ///< of those above 0
  FARFIELD_HD void add(double length) {
    longest = fmax(longest, length), least = fmin(least, length);
    if (length > 0) shortest = fmin(shortest, length);
  }
  bool vary() const { return least < longest; }
};

/// Corners of a box around points, in the caller's units.
struct PointBox {
  double low[3] = {}, high[3] = {};
};
/// A periodic cell that boxes are to divide.
struct DividedCell {
  PointBox box;
  int blocks = 0;  ///< see Geometry
};

struct Geometry {
  std::int64_t sources = 0, targets = 0;
  bool alike = true;                 ///< targets are the sources
  double low[3] = {}, high[3] = {};  ///< bounding box of all points, in the caller's units
  PointBox of_targets;               ///< that of the targets, unless they are the sources
  bool of_cell = false;              ///< that box is a periodic cell, and the sources are images of the targets
  int blocks = 0;                    ///< of it along its shortest side, which boxes should divide, too; 0: none
  int exponent = 0;                  ///< scaled coordinate = coordinate * 2^exponent; the extent becomes <= 1
  double extent = 0;                 ///< largest side of the bounding box, scaled
  double largest = 0;                ///< largest |coordinate|, scaled
  double least = 0;                  ///< smallest |coordinate| that is not 0, scaled
  /// How the sources and targets fill a grid of `grid`^3 cells over the bounding cube: the number of cells that hold a
  /// point (`occupied`), and the same on the grid of half the resolution (`occupied_coarse`). The grid is chosen so
  /// that occupied cells hold >= 8 points on average.
  int grid = 1;
  std::int64_t occupied = 1, occupied_coarse = 1;
  /// How the points crowd: crowding[l] is the mean over targets of the number of sources in the target's cell, where
  /// the extent is divided into 2^l cells. Zeros where nobody surveyed it.
  static constexpr int crowding_levels = 21;
  double crowding[crowding_levels] = {};
  bool lengths = false;        ///< points have softening lengths of their own; Options::softening is the longest
  double shortest_length = 0;  ///< the shortest of these above 0, scaled
};

/// Multiplication by 2^exponent in two steps: exponents from -1025 to 1074 are needed (extents from twice the largest
/// double down to the smallest subnormal), and at neither end is 2^exponent a normal double.
struct Scaling {
  double first = 1, second = 1;
  Scaling() = default;
  FARFIELD_HD explicit Scaling(int exponent)
      : first(std::ldexp(1.0, exponent / 2)), second(std::ldexp(1.0, exponent - exponent / 2)) {}
  FARFIELD_HD double operator()(double x) const { return x * first * second; }
};

/// Is a coordinate finite and kept to the last bit by the scaling? A plan accepts no others. Beside an extent of 1e269
/// the difference of 1e-300 and 2e-300 is lost, though 1/r is a number.
struct Kept {
  Scaling scale, back;
  FARFIELD_HD explicit Kept(int exponent) : scale(exponent), back(-exponent) {}
  FARFIELD_HD bool operator()(double x) const { return std::isfinite(x) && back(scale(x)) == x; }
};

/// Must the coordinates be tested by Kept? Up to an extent of 2^50 only distances below 2^-1024 are lost, whose inverse
/// is no number.
FARFIELD_HD bool may_lose_digits(const Geometry& g) { return g.exponent < -50; }

/// Exponent that brings the largest side, or else the largest |coordinate|, into (0.5, 1]. No scaled coordinate exceeds
/// 2^1000: a side of 1e-300 beside a constant coordinate of 1e300 stays below that range.
FARFIELD_HD int scaling_exponent(const double low[3], const double high[3], double largest) {
  const int halved = largest > 1;  // high - low may overflow, their halves may underflow
  double wanted = 0;
  for (int d = 0; d < 3; ++d) {
    const double side = halved ? high[d] / 2 - low[d] / 2 : high[d] - low[d];
    wanted = side > wanted ? side : wanted;
  }
  if (!(wanted > 0)) wanted = halved ? largest / 2 : largest;
  if (wanted == 0) return 0;
  int exponent = 0, top = 0;
  if (std::frexp(wanted, &exponent) == 0.5) --exponent;  // a power of two becomes 1, not 1/2
  std::frexp(largest, &top);
  exponent = -exponent - halved;
  return exponent < 1000 - top ? exponent : 1000 - top;
}

/// Sets bounding box, exponent, extent, largest and least coordinate of `g` from the box of at least one point.
FARFIELD_HD void set_box(Geometry& g, const double low[3], const double high[3], double least) {
  double largest = 0;
  for (int d = 0; d < 3; ++d) {
    g.low[d] = low[d];
    g.high[d] = high[d];
    const double reach = -low[d] > high[d] ? -low[d] : high[d];
    largest = reach > largest ? reach : largest;
  }
  g.exponent = scaling_exponent(low, high, largest);
  const Scaling scale(g.exponent);
  g.largest = scale(largest);
  g.least = least <= largest ? scale(least) : 0;
  g.extent = 0;
  for (int d = 0; d < 3; ++d) {
    const double side = scale(high[d]) - scale(low[d]);
    g.extent = side > g.extent ? side : g.extent;
  }
}

/// Grids on which a survey counts occupied cells have 2^0 ... 2^finest_grid cells a side.
inline constexpr int finest_grid = 7;

/// Where a scaled coordinate lies on the finest grid over the bounding cube.
struct GridCells {
  double low[3] = {}, cells = 1;
  GridCells() = default;
  FARFIELD_HD explicit GridCells(const Geometry& g) : cells((1 << finest_grid) / g.extent) {
    const Scaling scale(g.exponent);
    for (int d = 0; d < 3; ++d) low[d] = scale(g.low[d]);
  }
  FARFIELD_HD int along(double x, int axis) const {
    const int i = static_cast<int>((x - low[axis]) * cells);
    return i < (1 << finest_grid) ? i : (1 << finest_grid) - 1;
  }
};

/// Does the survey count cells? Not for fewer than 8 points or points of no extent.
FARFIELD_HD bool has_grid(const Geometry& g) {
  return g.sources + (g.alike ? 0 : g.targets) >= 8 && g.extent > 0x1p-1000;
}

/// Most scalars of a view or a result: their bytes are counted in 64 bits.
inline constexpr std::int64_t most_elements = std::int64_t(1) << 58;

/// Shortest side of the targets' box where they are a set of their own, scaled; 0 where they are not, or lie in a
/// plane.
double target_side(const Geometry& g);

/// Throws Error(input) for a count that is negative or beyond 2^40; `what` is "source" or "target".
void require_count(std::int64_t count, const char* what);

/// Throws Error(input) for a count, a stride or a pointer that cannot be that of points.
void check_view(const Points& points, const char* what);

/// Throws Error(input) for a coordinate that Kept refuses.
[[noreturn]] void refuse_coordinate(const char* what, std::int64_t index, int axis, double x);

}  // namespace farfield

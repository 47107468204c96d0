#include "tree/lattice.hpp"

#include <algorithm>
#include <cfloat>
#include <farfield/error.hpp>
#include <string>

#include "tree/geometry.hpp"

namespace farfield {
namespace {

constexpr int edge_bits = 12;      // mantissa bits of an edge: centres up to 2^41 half edges from zero stay exact
constexpr int cell_bits = 32;      // the same of boxes that divide a cell; up to 2^21 then
constexpr int corner_bits = 10;    // the root's corner is a multiple of h 2^-10, h the edge of a box of level k
constexpr double margin = 0x1p-9;  // in h, space around the data: thrice the rounding of the corner, and a little

struct Box {
  double low[3], high[3];
};

/// The smallest number >= x with at most `bits` mantissa bits.
double round_up(double x, int bits) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::ceil(std::ldexp(fraction, bits)), exponent - bits);
}

/// The largest number <= x with at most `bits` mantissa bits.
double round_down(double x, int bits) { return -round_up(-x, bits); }

/// The deepest lattice of at most 62 levels whose indices are below 2^62 and whose unit is a normal number.
Lattice deepest(double root_edge, const double corner[3]) {
  double reach = 0;
  for (int axis = 0; axis < 3; ++axis)
    reach = std::max({reach, std::abs(corner[axis]), std::abs(corner[axis] + root_edge)});
  Lattice lattice;
  lattice.depth = max_levels;
  const auto too_deep = [&](double unit) { return unit < DBL_MIN || reach / unit >= 0x1p62; };
  while (lattice.depth > 0 && too_deep(std::ldexp(root_edge, -lattice.depth))) --lattice.depth;
  lattice.unit = std::ldexp(root_edge, -lattice.depth);
  for (int axis = 0; axis < 3; ++axis) lattice.origin[axis] = std::llround(corner[axis] / lattice.unit);
  return lattice;
}

/// A cube with power-of-two edges for data of no extent or very far from zero (in units of their extent).
Lattice plain_cube(const Box& data, double extent, double largest) {
  const double wanted = std::max(extent, largest * 0x1p-38);
  const double edge = wanted > 0 ? round_up(std::max(wanted, DBL_MIN * 0x1p10), 1) : 1;
  double corner[3];
  for (int axis = 0; axis < 3; ++axis) corner[axis] = std::floor(data.low[axis] / edge) * edge;
  return deepest(2 * edge, corner);  // twice: the data may begin anywhere in the first edge
}

/// A corner that is a multiple of a small part of an edge.
double on_grain(double corner, double h) {
  const double grain = std::ldexp(h, -corner_bits);
  return std::round(corner / grain) * grain;
}

/// Lowest corner along one axis. The free space is divided 1 : 2, so that points in a plane across this axis lie at 1/3
/// or 2/3 of their boxes on the next ten levels instead of on box faces.
double corner_along(double low, double high, double h) {
  const double boxes = std::max(1.0, std::ceil((high - low) / h + margin));
  return on_grain(low - (boxes * h - (high - low)) / 3, h);
}

Box scaled(const Scaling& scale, const double low[3], const double high[3]) {
  Box box;
  for (int axis = 0; axis < 3; ++axis) box.low[axis] = scale(low[axis]), box.high[axis] = scale(high[axis]);
  return box;
}

/// The least edge, or so much more that no side of the box needs another box for less than a sixteenth of its edge: of
/// water in a cube the sides of the atoms' box differ by 0.01 nm. `free`: edges that remain beside the points.
double fitted_edge(const Box& box, double least, double free) {
  double edge = least;
  for (int axis = 0; axis < 3; ++axis) {
    const double side = box.high[axis] - box.low[axis], boxes = std::ceil(side / edge - 1.0 / 16);
    edge = std::max(edge, side / (boxes - free));
  }
  return edge;
}

/// The smallest root around all data of whose boxes of edge h every other one along each axis begins at `corner`, up to
/// which it is moved.
double root_around(const Box& data, double corner[3], double h) {
  double edge = h;
  for (int axis = 0; axis < 3; ++axis) {
    corner[axis] -= 2 * h * std::max(0.0, std::ceil((corner[axis] - data.low[axis]) / (2 * h)));
    while (corner[axis] + edge <= data.high[axis]) edge *= 2;
  }
  return edge;
}

}  // namespace

double finest_relative_edge(const Lattice& lattice) {
  int exponent = 0, bits = 1;
  const double fraction = std::frexp(lattice.unit, &exponent);
  while (bits < 52 && std::ldexp(fraction, bits) != std::floor(std::ldexp(fraction, bits))) ++bits;
  return std::ldexp(1.0, -std::min(49, 52 - bits));
}

int deepest_level(const Lattice& lattice, double least_edge) {
  for (int level = 0; level < lattice.depth; ++level)
    if (lattice.edge(level + 1) < least_edge) return level;
  return max_levels + 1;
}

void refuse_narrow_boxes(int depth, int level) {
  throw Error(ErrorCode::usage,
              "depth " + std::to_string(depth) +
                  " makes boxes narrower than softening or core and tolerance allow; the deepest level "
                  "here is " +
                  std::to_string(level));
}

Lattice make_lattice(const Geometry& geometry, const RootBoxes& root) {
  const int m = root.m, k = root.k;
  if (k < 0 || k > 30 || m < 1 || m > (std::int64_t(1) << k))
    throw Error(ErrorCode::internal, "make_lattice needs 1 <= m <= 2^k, got m = " + std::to_string(m) +
                                         ", k = " + std::to_string(k) + "; please report this");
  const Scaling scale(geometry.exponent);
  const Box data = scaled(scale, geometry.low, geometry.high);
  const Box spanned = root.at_targets ? scaled(scale, geometry.of_targets.low, geometry.of_targets.high) : data;
  const double side = root.at_targets ? target_side(geometry) : geometry.extent;
  const bool divides = root.at_targets && geometry.of_cell;
  const double free = divides ? 0 : 2 * margin, least = side / (m - free),
               wanted = root.at_targets ? fitted_edge(spanned, least, free) : least;
  const double h = side > 0 ? (divides ? round_down(wanted, cell_bits) : round_up(wanted, edge_bits)) : 0;
  if (!(std::ldexp(h, 40 - corner_bits) > geometry.largest) || h < 0x1p-900)
    return plain_cube(data, geometry.extent, geometry.largest);
  double corner[3];
  for (int axis = 0; axis < 3; ++axis)
    corner[axis] = divides ? on_grain(spanned.low[axis], h) : corner_along(spanned.low[axis], spanned.high[axis], h);
  const double edge = root.at_targets ? root_around(data, corner, h) : std::ldexp(h, k);
  return deepest(edge, corner);
}

}  // namespace farfield

#include "tree/geometry.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <farfield/error.hpp>
#include <string>
#include <vector>

#include "tree/crowding.hpp"
#include "tree/lattice.hpp"

namespace farfield {

double target_side(const Geometry& g) {
  if (g.alike || g.targets == 0) return 0;
  const Scaling scale(g.exponent);
  double side = g.extent;
  for (int d = 0; d < 3; ++d) side = std::min(side, scale(g.of_targets.high[d]) - scale(g.of_targets.low[d]));
  constexpr double flat = 0x1p-10;
  return side > flat * g.extent ? side : 0;
}

void require_count(std::int64_t count, const char* what) {
  constexpr std::int64_t most = std::int64_t(1) << 40;  // a few hundred times what the indices of a plan reach
  if (count < 0)
    throw Error(ErrorCode::input, std::string("the number of ") + what + "s is negative: " + std::to_string(count) +
                                      "; pass how many there are");
  if (count > most)
    throw Error(ErrorCode::input, std::string("the number of ") + what + "s, " + std::to_string(count) +
                                      ", is more than any plan can hold; pass how many there are");
}

void check_view(const Points& points, const char* what) {
  require_count(points.count, what);
  if (points.count > 1 && (points.stride < 1 || points.count - 1 > most_elements / points.stride))
    throw Error(ErrorCode::input, std::string("the stride of the ") + what + "s is " + std::to_string(points.stride) +
                                      "; pass the distance between two of them in scalars: 3 for x y z of each after "
                                      "the other, 1 for three arrays");
  const int least = points.space == MemorySpace::device ? 1 : 3;  // the plan has looked what its kernel needs there
  for (int d = 0; d < least; ++d)
    if (points.count > 0 && !points.axis[static_cast<std::size_t>(d)])
      throw Error(ErrorCode::input, std::string("coordinate ") + "xyz"[d] + " of the " + what + "s is a null pointer");
}

void refuse_coordinate(const char* what, std::int64_t index, int axis, double x) {
  const std::string where = std::string(what) + " " + std::to_string(index) + ": coordinate " + "xyz"[axis] + " is ";
  if (!std::isfinite(x))
    throw Error(ErrorCode::input, where +
                                      (std::isnan(x) ? "nan"
                                       : x > 0       ? "inf"
                                                     : "-inf") +
                                      "; every coordinate must be a finite number");
  char number[40];
  std::snprintf(number, sizeof number, "%.4g", x);
  throw Error(ErrorCode::input, where + number +
                                    ", whose digits are lost beside the extent of the points; remove the points that "
                                    "lie far out, or set what is meant to be 0 to 0");
}

namespace {

constexpr int finest = Geometry::crowding_levels - 1;

/// A drawn point: the Morton number of its cell on the finest grid, and in the lowest bit whether it is a target.
using Drawn = std::uint64_t;

std::uint64_t spread_wide(std::uint32_t v) { return std::uint64_t(spread_bits(v >> 10)) << 30 | spread_bits(v & 1023); }

void add_cells(std::vector<Drawn>& all, const std::vector<double>& points, const Geometry& g, unsigned target) {
  const Scaling scale(g.exponent);
  const double cells = std::ldexp(1 / g.extent, finest);
  for (std::size_t i = 0; i + 2 < points.size(); i += 3) {
    Drawn cell = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const double along = (points[i + d] - scale(g.low[d])) * cells;
      cell |= spread_wide(static_cast<std::uint32_t>(std::clamp(along, 0.0, std::ldexp(1.0, finest) - 1))) << d;
    }
    all.push_back(cell << 1 | target);
  }
}

/// Cells of one level that hold more than one drawn point each, as ranges of the sorted points.
struct Range {
  std::size_t begin, end;
};
using Ranges = std::vector<Range>;

/// The cells within those of the level above.
Ranges divided(const std::vector<Drawn>& all, const Ranges& above, int level) {
  const int shift = 3 * (finest - level) + 1;
  Ranges own;
  for (const Range& cell : above)
    for (std::size_t begin = cell.begin, end = begin; begin < cell.end; begin = end) {
      while (end < cell.end && all[end] >> shift == all[begin] >> shift) ++end;
      if (end - begin > 1) own.push_back({begin, end});
    }
  return own;
}

/// For every drawn point, and for the end, the targets among those before it.
std::vector<std::uint32_t> targets_before(const std::vector<Drawn>& all) {
  std::vector<std::uint32_t> before(all.size() + 1, 0);
  for (std::size_t i = 0; i < all.size(); ++i) before[i + 1] = before[i] + static_cast<std::uint32_t>(all[i] & 1);
  return before;
}

/// Pairs of a target and a source of the same cell; `alike`: every drawn point is both, and no pair with itself.
double pairs_in(const std::vector<std::uint32_t>& before, const Range& cell, bool alike) {
  const auto all = static_cast<double>(cell.end - cell.begin);
  if (alike) return all * (all - 1);
  const auto targets = static_cast<double>(before[cell.end] - before[cell.begin]);
  return (all - targets) * targets;
}

}  // namespace

void find_crowding(Geometry& g, const std::vector<double>& sources, const std::vector<double>* targets) {
  if (!has_grid(g) || sources.empty() || (targets && targets->empty())) return;
  std::vector<Drawn> all;
  add_cells(all, sources, g, 0);
  if (targets) add_cells(all, *targets, g, 1);
  const auto of_sources = static_cast<double>(sources.size() / 3),
             of_targets = static_cast<double>((targets ? *targets : sources).size() / 3);
  std::sort(all.begin(), all.end());
  const double one = targets ? 0 : 1, each = (static_cast<double>(g.sources) - one) / std::max(1.0, of_sources - one);
  const std::vector<std::uint32_t> before = targets_before(all);
  Ranges cells{{0, all.size()}};
  for (int level = 0; level <= finest; ++level) {
    cells = divided(all, cells, level);
    double pairs = 0;
    for (const Range& cell : cells) pairs += pairs_in(before, cell, !targets);
    g.crowding[level] = one + each * pairs / of_targets;
  }
}

}  // namespace farfield

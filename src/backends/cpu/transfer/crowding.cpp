#include "backends/cpu/transfer/crowding.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tree/lattice.hpp"
#include "tree/reader.hpp"

namespace farfield::cpu {
namespace {

constexpr int finest = Geometry::crowding_levels - 1;

/// A sampled point: the Morton number of its cell on the finest grid, and in the lowest bit whether it is a target.
using Sampled = std::uint64_t;

std::uint64_t spread_wide(std::uint32_t v) { return std::uint64_t(spread_bits(v >> 10)) << 30 | spread_bits(v & 1023); }

/// One point of each of `count` equal parts of the caller's order, at a place in it that looks random.
std::int64_t sample(std::vector<Sampled>& all, const Points& points, const Geometry& g, unsigned target,
                    std::int64_t most) {
  const std::int64_t count = std::min(points.count, most);
  const Scaling scale(g.exponent);
  const double cells = std::ldexp(1 / g.extent, finest);
  with_reader(points, scale, [&](const auto& read) {
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t begin = points.count * k / count, end = points.count * (k + 1) / count;
      const auto chance = static_cast<std::int64_t>(static_cast<std::uint64_t>(k) * 0x9e3779b97f4a7c15u >> 24);
      Sampled cell = 0;
      for (int d = 0; d < 3; ++d) {
        const double along = (read(begin + chance % (end - begin), d) - scale(g.low[d])) * cells;
        cell |= spread_wide(static_cast<std::uint32_t>(std::clamp(along, 0.0, std::ldexp(1.0, finest) - 1))) << d;
      }
      all.push_back(cell << 1 | target);
    }
  });
  return count;
}

/// The sources in the target's cell, summed over the sampled targets. `sources_each`: how many sources a sampled one
/// stands for. `alike`: every sampled point is a source and a target.
double crowd(const std::vector<Sampled>& all, int level, double sources_each, bool alike) {
  const int shift = 3 * (finest - level) + 1;
  double sum = 0;
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    double sources = 0, targets = 0;
    for (; end < all.size() && all[end] >> shift == all[begin] >> shift; ++end) (all[end] & 1 ? targets : sources) += 1;
    sum += alike ? sources * (1 + (sources - 1) * sources_each) : targets * sources * sources_each;
  }
  return sum;
}

}  // namespace

void survey_crowding(Geometry& g, const Points& sources, const Points* targets, std::int64_t most) {
  if (!has_grid(g) || sources.count == 0 || (targets && targets->count == 0)) return;
  std::vector<Sampled> all;
  const std::int64_t of_sources = sample(all, sources, g, 0, most);
  const std::int64_t of_targets = targets ? sample(all, *targets, g, 1, most) : of_sources;
  std::sort(all.begin(), all.end());
  const double one = targets ? 0 : 1,
               each = (static_cast<double>(sources.count) - one) / std::max(1.0, static_cast<double>(of_sources) - one);
  for (int level = 0; level <= finest; ++level)
    g.crowding[level] = crowd(all, level, each, !targets) / static_cast<double>(of_targets);
}

}  // namespace farfield::cpu

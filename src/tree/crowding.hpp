// How points crowd (Geometry::crowding): what boxes that must not be narrow will hold.
#pragma once
#include <cstdint>
#include <vector>

#include "core/hd.hpp"
#include "tree/geometry.hpp"

namespace farfield {

/// The k-th of `drawn` points: one of each of `drawn` equal parts of the caller's order, at a place that looks random.
FARFIELD_HD std::int64_t drawn_point(std::int64_t k, std::int64_t drawn, std::int64_t points) {
  const std::int64_t begin = points * k / drawn, end = points * (k + 1) / drawn;
  const auto chance = static_cast<std::int64_t>(static_cast<std::uint64_t>(k) * 0x9e3779b97f4a7c15u >> 24);
  return begin + chance % (end - begin);
}

/// Fills in g.crowding from drawn points, scaled and interleaved; `g` is the survey of all points. `targets` null: the
/// sources.
void find_crowding(Geometry& g, const std::vector<double>& sources, const std::vector<double>* targets);

}  // namespace farfield

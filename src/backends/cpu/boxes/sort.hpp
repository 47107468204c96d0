// Sort: items by key, and points gathered into that order.
#pragma once
#include <cstdint>

#include "backends/cpu/boxes/keys.hpp"
#include "core/array.hpp"

namespace farfield::cpu {

/// Elements behind the last point that vector loads may read.
inline constexpr std::int64_t padding = 16;

/// Points in the order of the tree. Arrays hold count + padding elements, the last point repeated (0 for no points).
struct SortedPoints {
  std::int64_t count = 0;
  Array<double> axis[3];       ///< the caller's coordinates times 2^Geometry::exponent, exactly
  Array<std::uint32_t> order;  ///< the caller's index of each point
};

/// Sorts items [0, count) ascending; scratch has room for as many.
void sort_items(Item* items, Item* scratch, std::int64_t count, int threads);

/// Reads the cloud's points in the order of its items.
void gather(SortedPoints& sorted, const Cloud& cloud, int threads);

}  // namespace farfield::cpu

// Sort: items by key, and points gathered into that order.
#pragma once
#include "backends/cpu/boxes/keys.hpp"

namespace farfield::cpu {

using SortedPoints = farfield::SortedPoints<Array>;

/// Sorts items [0, count) ascending; scratch has room for as many.
void sort_items(Item* items, Item* scratch, std::int64_t count, int threads);

/// Repeats the last point in the elements behind it.
void pad(SortedPoints& sorted);

/// Reads the cloud's points in the order of its items.
void gather(SortedPoints& sorted, const Cloud& cloud, int threads);

}  // namespace farfield::cpu

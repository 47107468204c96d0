// Keys: sorted in place of the points. The first keys hold ten levels of the tree in 30 bits. Boxes that are still
// overfull ten levels down get new keys of five levels for their own points only, so that depth costs nothing where it
// is not needed.
#pragma once
#include "tree/built_tree.hpp"

namespace farfield::cpu {

using Cloud = KeyedPoints<Array>;

/// Throws Error(usage) beyond 2^32 - 2 points: an index has 32 bits.
void require_indices(std::int64_t count);

/// Items of all points in the caller's order, with keys of levels 1-10. Throws as require_indices.
void make_items(Cloud& cloud, int threads);

/// New keys, of KeyLayout().levels(level), for items [begin, end).
void rekey(Cloud& cloud, std::int64_t begin, std::int64_t end, int level, int threads);

/// Do all points of items [begin, end) have the same coordinates, those of the point `with`?
bool coincide(const Cloud& cloud, std::int64_t begin, std::int64_t end, const double with[3]);

/// Scaled coordinates of an item's point.
void coordinates(const Cloud& cloud, Item item, double x[3]);

}  // namespace farfield::cpu

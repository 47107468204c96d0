// Item: key and index of a point while the points are sorted.
#pragma once
#include <cstdint>

#include "core/hd.hpp"

namespace farfield {

/// Morton key of up to ten levels in the upper half, the caller's index of the point in the lower. Items are distinct,
/// so that every sorting algorithm yields the same order, the stable one.
using Item = std::uint64_t;
FARFIELD_HD Item make_item(std::uint32_t key, std::uint32_t index) { return Item(key) << 32 | index; }
FARFIELD_HD std::uint32_t key_of(Item item) { return static_cast<std::uint32_t>(item >> 32); }
FARFIELD_HD std::uint32_t index_of(Item item) { return static_cast<std::uint32_t>(item); }

inline constexpr std::int64_t most_points = 0xfffffffell;  ///< in one set of points: an index has 32 bits

}  // namespace farfield

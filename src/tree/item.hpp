// Item: a point on its way into order.
#pragma once
#include <cstdint>

#include "core/hd.hpp"

namespace farfield {

/// Morton key of up to ten levels above, the caller's index below. Items are distinct and their order as numbers is the
/// stable order, whatever sorts them.
using Item = std::uint64_t;
FARFIELD_HD Item make_item(std::uint32_t key, std::uint32_t index) { return Item(key) << 32 | index; }
FARFIELD_HD std::uint32_t key_of(Item item) { return static_cast<std::uint32_t>(item >> 32); }
FARFIELD_HD std::uint32_t index_of(Item item) { return static_cast<std::uint32_t>(item); }

inline constexpr std::int64_t most_points = 0xfffffffell;  ///< of one set: an index has 32 bits

}  // namespace farfield

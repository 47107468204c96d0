// Item: key and index of a point while the points are sorted.
#pragma once
#include <cstdint>

#include "core/hd.hpp"

namespace farfield {

/// Levels [begin, end) of the boxes whose children one Morton key tells apart: 3 bits a level.
struct KeyLevels {
  int begin, end;
  FARFIELD_HD constexpr int bits() const { return 3 * (end - begin); }
};

/// How many levels the first key holds, which all points get, and so how an item is shared between key and index.
///
/// Ten: half of 64 bits, and as deep as most boxes are (8^10 = 1e9). The later keys hold five levels: most boxes that
/// are divided further have their leaves there, and 15 bits leave 17 of a word of 32 for the number of the box
/// (131,072), by which the device sorts. Twelve leave 28 bits for the index; more points have items `in_parts`, with
/// the lower half of the key and 32 bits for the index, and are sorted part by part
/// (backends/cuda/boxes/key_parts.hpp).
struct KeyLayout {
  int first = 10;
  bool in_parts = false;  ///< of a first key of twelve levels

  /// Of the key that tells apart the children of a box at `level`.
  FARFIELD_HD constexpr KeyLevels levels(int level) const {
    constexpr int later = 5;
    if (level < first) return {0, first};
    const int begin = level - (level - first) % later;
    return {begin, begin + later};
  }
  FARFIELD_HD constexpr int index_bits() const { return first > 10 && !in_parts ? 64 - 3 * first : 32; }
};

/// Morton key in the upper part, the caller's index of the point in the lower. Items are distinct, so that every
/// sorting algorithm yields the same order, the stable one.
using Item = std::uint64_t;
/// In parts the upper bits of a key are left out.
FARFIELD_HD Item make_item(std::uint64_t key, std::uint32_t index, KeyLayout layout = {}) {
  return key << layout.index_bits() | index;
}
FARFIELD_HD std::uint64_t key_of(Item item, KeyLayout layout = {}) { return item >> layout.index_bits(); }
FARFIELD_HD std::uint32_t index_of(Item item, KeyLayout layout = {}) {
  return static_cast<std::uint32_t>(item & ((Item(1) << layout.index_bits()) - 1));
}

inline constexpr std::int64_t most_points = 0xfffffffell;  ///< in one set of points: an index has 32 bits

}  // namespace farfield

// Keys: items (key and index) are sorted instead of points, as on the CPU. Ten or twelve levels of the tree fill 30 or
// 36 bits of an item, the caller's index the rest; where 28 bits are not enough for that, items hold the lower 32 bits
// of the key (key_parts.hpp). Boxes that are still overfull so far down get new keys of five
// levels for their own points only.
#pragma once
#include "backends/cuda/boxes/key_parts.hpp"
#include "backends/cuda/runtime/array.hpp"
#include "tree/built_tree.hpp"
#include "tree/reader.hpp"

namespace farfield::cuda {

struct Cloud : KeyedPoints<DeviceArray> {
  KeyLayout layout = {};              ///< of the items
  KeyParts parts = {};                ///< of sorted items in parts
  DeviceArray<std::uint8_t> upper{};  ///< upper bits of the keys of items in parts, until these are sorted
};

/// How deep the first keys go, in trees over points as these or over a part of them, of whose sets none has more than
/// `most` points.
KeyLayout layout_of_keys(const Geometry& geometry, std::int64_t leaf_size, std::int64_t most);

/// Items of all points in the caller's order, with first keys of the cloud's layout.
/// Throws Error(usage) beyond 2^32 - 2 points: an index has 32 bits.
void make_items(Cloud& cloud, DeviceMemory& memory);

/// Selected ranges of the sorted items, none empty, in ascending order. Among the selected items alone, range r begins
/// at offset[r]; skipped[r] items before the range are not selected.
struct Ranges {
  std::int64_t ranges = 0, selected = 0;   ///< how many, and their items
  const std::uint32_t* offset = nullptr;   ///< [ranges], device memory; ascends from 0
  const std::uint32_t* skipped = nullptr;  ///< [ranges], device memory
};

/// Gives the selected ranges new keys, of layout.levels(level), and sorts each range by them. The points of a range
/// share their old key, as those of a box at `level` do.
void renew_keys(Cloud& cloud, const Ranges& ranges, int level, DeviceMemory& memory);

}  // namespace farfield::cuda

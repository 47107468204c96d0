// Key parts: items of keys whose upper bits they do not hold (KeyLayout::in_parts). Those of the same upper bits lie
// together, and a table says where. So surfaces have keys of twelve levels, 36 bits, beside an index of 32.
#pragma once
#include <cstdint>

#include "backends/cuda/runtime/array.hpp"
#include "tree/item.hpp"

namespace farfield::cuda {

struct KeyParts {
  static constexpr int upper_bits = 4, lower_bits = 32, parts = 1 << upper_bits;
  static constexpr int levels = 2;  ///< whose octants have bits among the upper ones

  std::int64_t begin[parts + 1] = {};  ///< of sorted items

  /// The upper bits of the key of sorted item i, where they belong in it.
  FARFIELD_HD std::uint64_t upper_at(std::int64_t i) const {
    int part = 0;
    while (part + 1 < parts && begin[part + 1] <= i) ++part;
    return std::uint64_t(part) << lower_bits;
  }
};

/// Sorts items ascending, those of the same key stay in their order. `upper`: the upper bits of each item's key;
/// released. Waits for the stream. As many passes as a sort of keys of 36 bits has: one by the upper bits and four of
/// each part.
KeyParts sort_in_parts(DeviceArray<Item>& items, DeviceArray<Item>& scratch, DeviceArray<std::uint8_t>& upper,
                       DeviceMemory& memory);

}  // namespace farfield::cuda

// Keys: what is sorted instead of points, as on the CPU: ten levels of the tree fill 30 bits of an item, the caller's
// index the rest. Boxes that are still overfull ten levels down get new keys of five levels for their own points only.
#pragma once
#include <cstdint>
#include <farfield/views.hpp>

#include "backends/cuda/runtime/array.hpp"
#include "tree/geometry.hpp"
#include "tree/item.hpp"
#include "tree/lattice.hpp"
#include "tree/reader.hpp"

namespace farfield::cuda {

/// One set of points (sources or targets) in device memory with what makes keys of it.
struct Cloud {
  Points points;
  Scaling scale;
  Lattice lattice;
  DeviceArray<Item> items, scratch;  ///< `scratch` is the sort's other half

  std::int64_t count() const { return points.count; }
  AnyReader reader() const { return AnyReader(points, scale); }
};

/// Items of all points in the caller's order, with keys of levels 1-10.
/// Throws Error(usage) beyond 2^32 - 2 points: an index has 32 bits.
void make_items(Cloud& cloud, DeviceMemory& memory);

/// Ranges selected of sorted items, none empty, in ascending order: of the selected items together, range r begins with
/// item offset[r], and skipped[r] items that are not selected come before it.
struct Ranges {
  std::int64_t ranges = 0, selected = 0;   ///< how many, and their items
  const std::uint32_t* offset = nullptr;   ///< [ranges], device memory; ascends from 0
  const std::uint32_t* skipped = nullptr;  ///< [ranges], device memory
};

/// New keys, of key_levels(level), for the selected ranges, and each of them sorted anew. All its points share their
/// old key, as those of a box at `level` do.
void renew_keys(Cloud& cloud, const Ranges& ranges, int level, DeviceMemory& memory);

}  // namespace farfield::cuda

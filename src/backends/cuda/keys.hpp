// Keys: what is sorted instead of points, as on the CPU: ten levels of the tree at a time fill 30 bits of an item, the
// caller's index the rest. Boxes that are still overfull ten levels down get new keys for their own points only.
#pragma once
#include <cstdint>
#include <farfield/views.hpp>

#include "backends/cuda/array.hpp"
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

/// Some of the ranges [begin[r], end[r]) of sorted items: range r has offset[r + 1] - offset[r] selected items, all of
/// them or none.
struct Ranges {
  std::int64_t ranges = 0, selected = 0;  ///< selected == offset[ranges]
  const std::int64_t* offset = nullptr;   ///< [ranges + 1], device memory
  const std::uint32_t* begin = nullptr;   ///< [ranges], device memory
};

/// New keys, of the ten levels below `level`, for the selected ranges, and each of them sorted anew. All its points
/// share their old key, as those of a box at `level` do.
void renew_keys(Cloud& cloud, const Ranges& ranges, int level, DeviceMemory& memory);

}  // namespace farfield::cuda

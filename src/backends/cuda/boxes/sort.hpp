// Sort: items by key, and points gathered into that order.
#pragma once
#include <cstdint>

#include "backends/cuda/boxes/keys.hpp"
#include "backends/cuda/runtime/array.hpp"

namespace farfield::cuda {

/// Elements behind the last point that wide loads may read.
inline constexpr std::int64_t padding = 16;

/// Points in the order of the tree. Arrays hold count + padding elements, the last point repeated (0 for no points).
struct SortedPoints {
  std::int64_t count = 0;
  DeviceArray<double> axis[3];       ///< the caller's coordinates times 2^Geometry::exponent, exactly
  DeviceArray<std::uint32_t> order;  ///< the caller's index of each point
};

/// Sorts all items ascending: a radix sort by the keys alone; it is stable, and items start in the order of indices.
void sort_items(Cloud& cloud, DeviceMemory& memory);

/// The caller's indices along the curve of the keys. Leaves the cloud without items.
void order_along_curve(DeviceArray<std::uint32_t>& order, Cloud& cloud, DeviceMemory& memory);

/// Reads the cloud's points in the order of its items, or in the caller's order where it has none.
void gather(SortedPoints& sorted, const Cloud& cloud, cudaStream_t stream);

}  // namespace farfield::cuda

// Sort: items by key, and points gathered into that order.
#pragma once
#include "backends/cuda/boxes/keys.hpp"

namespace farfield::cuda {

using SortedPoints = farfield::SortedPoints<DeviceArray>;

/// Sorts all items ascending: a radix sort by the keys alone; it is stable, and items start in the order of indices.
void sort_items(Cloud& cloud, DeviceMemory& memory);

/// The caller's indices along the curve of the keys. Leaves the cloud without items.
void order_along_curve(DeviceArray<std::uint32_t>& order, Cloud& cloud, DeviceMemory& memory);

/// Reads the cloud's points in the order of its items, or in the caller's order where it has none.
void gather(SortedPoints& sorted, const Cloud& cloud, cudaStream_t stream);
/// Into elements [first, first + points) of arrays that have room for them.
void gather_at(SortedPoints& sorted, std::int64_t first, const Cloud& cloud, cudaStream_t stream);

}  // namespace farfield::cuda

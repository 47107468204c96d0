// Boxes: the tree over sorted items, made level by level from the top, as on the CPU.
//
// Only the device knows the number of boxes of a level: one kernel per level makes the children of all its boxes. The
// kernels of ten levels (as many as one key holds) are launched without waiting, and one read-back tells the host the
// result. Where the capacity was too small, the device stops at the level that did not fit; the host enlarges the
// capacity and continues from that level. Only boxes that are divided below level 10, 15, ... cost further read-backs:
// of the number of points that get new keys, and of the next five levels.
#pragma once
#include "backends/cuda/boxes/keys.hpp"

namespace farfield::cuda {

/// Builds all boxes, without their colleagues, over the sorted items of `sources` and, unless null, `targets`. Items
/// get new keys below level 10, 15, ... where boxes are divided further, so their order is final only afterwards. A
/// leaf holds more than leaf_size points where all of them coincide or boxes reach the resolution of the coordinates.
/// No points at all: no boxes. Throws Error(usage) when a uniform depth is beyond that resolution. Memory is first
/// taken for `expected_boxes` boxes; 0: for as many as are likely.
void build_boxes(Tree<DeviceArray>& tree, Cloud& sources, Cloud* targets, const TreeOptions& options,
                 std::int64_t expected_boxes, DeviceMemory& memory);

}  // namespace farfield::cuda

// Boxes: the tree over sorted items, made level by level from the top, as on the CPU.
//
// Only the device knows the number of boxes of a level: one kernel per level makes the children of all its boxes. The
// kernels of ten levels (as many as one key holds) are launched without waiting, and one read-back tells the host the
// result. Where the capacity was too small, the device stops at the level that did not fit; the host enlarges the
// capacity and continues from that level. Only boxes that are divided below level 10, 15, ... cost further read-backs:
// of the number of points that get new keys, and of the next five levels.
#pragma once
#include <cstdint>

#include "backends/cuda/boxes/keys.hpp"
#include "backends/cuda/runtime/array.hpp"
#include "tree/tree.hpp"

namespace farfield::cuda {

struct BoxOptions {
  std::int64_t leaf_size = 64;      ///< most sources or targets of a leaf
  int depth = -1;                   ///< >= 0: every box is refined to this level, whatever it holds; -1: adaptive
  std::int64_t expected_boxes = 0;  ///< memory is first taken for so many boxes; 0: for as many as are likely
};

/// Builds all boxes, without their colleagues, over the sorted items of `sources` and, unless null, `targets`. Items
/// get new keys below level 10, 15, ... where boxes are divided further, so their order is final only afterwards. A
/// leaf holds more than leaf_size points where all of them coincide or boxes reach the resolution of the coordinates.
/// No points at all: no boxes. Throws Error(usage) when a uniform depth is beyond that resolution.
void build_boxes(Tree<DeviceArray>& tree, Cloud& sources, Cloud* targets, const BoxOptions& options,
                 DeviceMemory& memory);

}  // namespace farfield::cuda

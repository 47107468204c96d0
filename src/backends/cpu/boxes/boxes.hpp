// Boxes: the tree over sorted items, made level by level from the top.
#pragma once
#include "backends/cpu/boxes/keys.hpp"

namespace farfield::cpu {

/// Builds all boxes over the sorted items of `sources` and, unless null, `targets`. Items of boxes that are subdivided
/// below level 10, 15, ... are given new keys, so that the order of items is final only afterwards. A leaf holds more
/// than leaf_size points where all of them coincide or boxes reach the resolution of the coordinates. No points at all:
/// no boxes.
/// Throws Error(usage) when a uniform depth is beyond that resolution.
void build_boxes(Tree<Array>& tree, Cloud& sources, Cloud* targets, const TreeOptions& options);

/// Fills Tree::colleague, level by level from the top. Part of build_boxes.
void find_colleagues(Tree<Array>& tree, int threads);

}  // namespace farfield::cpu

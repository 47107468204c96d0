// Boxes: the tree over sorted items, made level by level from the top.
#pragma once
#include <cstdint>

#include "backends/cpu/boxes/keys.hpp"
#include "core/array.hpp"
#include "tree/tree.hpp"

namespace farfield::cpu {

struct BoxOptions {
  std::int64_t leaf_size = 64;  ///< most sources or targets of a leaf
  int depth = -1;               ///< >= 0: every box is refined to this level, whatever it holds; -1: adaptive
  int threads = 0;
};

/// Builds all boxes over the sorted items of `sources` and, unless null, `targets`. Items of boxes that are subdivided
/// below level 10, 15, ... are given new keys, so that the order of items is final only afterwards. A leaf holds more
/// than leaf_size points where all of them coincide or boxes reach the resolution of the coordinates. No points at all:
/// no boxes.
/// Throws Error(usage) when a uniform depth is beyond that resolution.
void build_boxes(Tree<Array>& tree, Cloud& sources, Cloud* targets, const BoxOptions& options);

/// Fills Tree::colleague, level by level from the top. Part of build_boxes.
void find_colleagues(Tree<Array>& tree, int threads);

}  // namespace farfield::cpu

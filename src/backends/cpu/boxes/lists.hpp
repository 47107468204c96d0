// Lists: which source boxes reach a target box by p2p, by m2p and by p2l (tree/lists.hpp defines them).
#pragma once
#include "tree/lists.hpp"

namespace farfield::cpu {

/// Builds all rows; the same for any number of threads.
void build_lists(Lists<Array>& lists, const TreeView& tree, const ListThresholds& thresholds, int threads);

}  // namespace farfield::cpu

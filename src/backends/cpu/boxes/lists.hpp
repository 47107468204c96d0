// Lists: which source boxes reach a target box by p2p, by m2p and by p2l (tree/lists.hpp defines them).
#pragma once
#include "tree/acceptance.hpp"
#include "tree/expandable.hpp"

namespace farfield::cpu {

/// Builds all rows; the same for any number of threads.
void build_lists(Lists<Array>& lists, const TreeView& tree, const ListThresholds& thresholds, int threads);

/// The same for a treecode: a leaf's near list and m2p list cover all sources, nothing is far. `target`: coordinates of
/// the sorted targets.
void build_accepted(Lists<Array>& lists, const TreeView& tree, const double* const target[3], const Acceptance& rule,
                    const Expandable& expandable, const ListThresholds& thresholds, int threads);

}  // namespace farfield::cpu

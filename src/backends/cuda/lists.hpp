// Lists: which boxes a target box hears from directly, by m2p and by p2l (tree/lists.hpp defines them).
//
// A warp per target box, a lane per colleague, no level waits for another, and rows come out in order without a sort:
// boxes are numbered level by level and along the Morton curve within each. So a row is ascending if coarser leaves are
// looked for ancestor by ancestor, finer boxes depth by depth, and lanes take colleagues in the order of their numbers.
// Rows are counted, summed (one read-back, of three lengths) and filled.
#pragma once
#include "backends/cuda/array.hpp"
#include "tree/lists.hpp"

namespace farfield::cuda {

/// Builds all rows. `tree` is in device memory.
void build_lists(Lists<DeviceArray>& lists, const TreeView& tree, const ListThresholds& thresholds,
                 DeviceMemory& memory);

}  // namespace farfield::cuda

// Lists: which source boxes reach a target box by p2p, by m2p and by p2l (tree/lists.hpp defines them).
//
// Rows are ascending without a sort of pairs: boxes are numbered level by level and along the Morton curve within each
// level. So a row is ascending if the coarser leaves are searched ancestor by ancestor, the finer boxes depth by depth,
// and the lanes store colleagues in the order of their numbers (SlotOrder). No level waits for another. One launch
// counts and sums the rows' entries, the three totals are read back, and a second launch fills the rows, a warp per
// row.
#pragma once
#include "backends/cuda/lists/surroundings.hpp"
#include "backends/cuda/runtime/array.hpp"

namespace farfield::cuda {

/// Finds the colleagues of all boxes; owns the arrays behind Around.
class Neighbourhood {
 public:
  explicit Neighbourhood(DeviceMemory& memory);

  /// Fills Tree::colleague; returns what the list builder needs to know of every box.
  Around find(Tree<DeviceArray>& tree, const ListThresholds& thresholds, cudaStream_t stream);

 private:
  DeviceArray<std::uint8_t> kind_;
  DeviceArray<Surroundings> of_;
};

/// Builds all rows. `tree` is in device memory; thresholds are those of `around`.
void build_lists(Lists<DeviceArray>& lists, const TreeView& tree, const Around& around, DeviceMemory& memory);

}  // namespace farfield::cuda

// Lists: which source boxes reach a target box by p2p, by m2p and by p2l (tree/lists.hpp defines them).
//
// Rows come out in order without a sort of pairs: boxes are numbered level by level and along the Morton curve within
// each. So a row is ascending if coarser leaves are looked for ancestor by ancestor, finer boxes depth by depth, and
// lanes take colleagues in the order of their numbers (SlotOrder). No level waits for another. Rows are counted and
// summed in one launch, their three lengths read back, and filled, a warp per row.
#pragma once
#include "backends/cuda/boxes/surroundings.hpp"
#include "backends/cuda/runtime/array.hpp"

namespace farfield::cuda {

/// Finds colleagues; keeps the memory behind what it finds out about them.
class Neighbourhood {
 public:
  explicit Neighbourhood(DeviceMemory& memory);

  /// Fills Tree::colleague.
  Around find(Tree<DeviceArray>& tree, const ListThresholds& thresholds, cudaStream_t stream);

 private:
  DeviceArray<std::uint8_t> kind_;
  DeviceArray<Surroundings> of_;
};

/// Builds all rows. `tree` is in device memory; thresholds are those of `around`.
void build_lists(Lists<DeviceArray>& lists, const TreeView& tree, const Around& around, DeviceMemory& memory);

}  // namespace farfield::cuda

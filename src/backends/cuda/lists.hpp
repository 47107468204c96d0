// Lists: which boxes a target box hears from directly, by m2p and by p2l (tree/lists.hpp defines them).
//
// Rows come out in order without a sort of pairs: boxes are numbered level by level and along the Morton curve within
// each. So a row is ascending if coarser leaves are looked for ancestor by ancestor, finer boxes depth by depth, and
// lanes take colleagues in the order of their numbers. No level waits for another. Rows are counted and summed in one
// launch, their three lengths read back, and filled, a warp per row.
#pragma once
#include "backends/cuda/array.hpp"
#include "tree/lists.hpp"

namespace farfield::cuda {

/// What a box is to a target leaf among its colleagues.
enum Kind : std::uint8_t { empty = 0, taken_whole = 1, opened = 2, source_leaf = 4 };

/// What lies around each box: sets of slots as in TreeView::colleague.
struct Around {
  std::uint8_t* kind;    ///< of the box itself
  std::uint32_t* whole;  ///< colleagues that a leaf takes whole, and a_leaf
  std::uint32_t* open;   ///< colleagues that it looks into
  /// The nearest ancestor with a colleague that is a leaf with sources and touches the box: of those with children.
  BoxId* reach;
  BoxId* above;  ///< where coarser leaves that touch the parent are looked for first; from there on by `reach`

  __host__ __device__ bool has_leaf(BoxId box) const { return whole[box] >> 31; }
};
inline constexpr std::uint32_t a_leaf = 1u << 31;  ///< some colleague is a leaf with sources

/// Finds colleagues; keeps the memory behind what it finds out about them.
class Neighbourhood {
 public:
  explicit Neighbourhood(DeviceMemory& memory);

  /// Fills Tree::colleague. Boxes with at most `few` sources are taken whole.
  Around find(Tree<DeviceArray>& tree, std::int64_t few, cudaStream_t stream);

 private:
  DeviceArray<std::uint8_t> kind_;
  DeviceArray<std::uint32_t> whole_, open_;
  DeviceArray<BoxId> reach_, above_;
};

/// Builds all rows. `tree` is in device memory, `around` of the same thresholds.
void build_lists(Lists<DeviceArray>& lists, const TreeView& tree, const Around& around,
                 const ListThresholds& thresholds, DeviceMemory& memory);

}  // namespace farfield::cuda

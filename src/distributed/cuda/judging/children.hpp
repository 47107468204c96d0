// ChildrenOfOthers: how many sources the children of boxes hold, by octant, where not all children are in the rank's
// essential tree: of ghosts, told by their owners, and of boxes that several ranks share, of whose children the shared
// ones alone may be there; these were counted when points were shared out.
#pragma once
#include "backends/cuda/judge/placement/placement.hpp"
#include "distributed/cuda/placed.hpp"

namespace farfield::distributed {

class ChildrenOfOthers {
 public:
  /// Called by all ranks.
  explicit ChildrenOfOthers(DevicePlaced& placed);
  farfield::cuda::ChildrenElsewhere view() const { return {row_.data(), held_.data()}; }

 private:
  OnDevice<std::int32_t> row_;
  OnDevice<std::uint32_t> out_, held_;
};

}  // namespace farfield::distributed

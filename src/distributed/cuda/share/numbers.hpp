// Numbers of boxes in the essential tree, for each level and rank: settled on the host from how many boxes there are.
#pragma once
#include "distributed/cuda/share/essential.hpp"

namespace farfield::distributed {

/// On a device; [levels][ranks].
struct NumbersView {
  const BoxId* offset;  ///< the number of a rank's box less its place among the boxes of this rank
  const BoxId* front;   ///< the shared box of a level that the rank owns with lower ones, or no_box
  const BoxId* back;    ///< the one whose first owner it is, or no_box
  int ranks;

  __device__ BoxId of(int level, int rank, std::int64_t place) const {
    return offset[level * ranks + rank] + static_cast<BoxId>(place);
  }
  /// `parent` as in BoxRow.
  __device__ BoxId of_parent(int level, int rank, std::int64_t parent) const {
    if (parent == BoxRow::front) return front[level * ranks + rank];
    if (parent == BoxRow::back) return back[level * ranks + rank];
    return of(level, rank, parent);
  }
};

struct BoxNumbers {
  /// Places of this rank's own boxes are their numbers in its own tree.
  BoxNumbers(const DeviceShare& share, const OwnLevels& own, const Halos& received, int rank);

  std::int64_t boxes = 0;
  int levels = 0;
  BoxId level_begin[max_levels + 2] = {};
  std::vector<BoxId> offset, front, back;  ///< see NumbersView
  std::vector<BoxId> shared;               ///< [coarse boxes]: numbers of those that are shared
  std::vector<BoxRun> mine, summed;        ///< Essential::mine and summed, level by level
};

}  // namespace farfield::distributed

// BoxNumbering: the numbers that a rank's boxes have in the tree of all points: by level, those of a level rank by
// rank; a shared box is its first rank's (judging/order.hpp).
#pragma once
#include "distributed/cuda/placed.hpp"

namespace farfield::distributed {

/// In device memory.
struct BoxNumbers {
  const BoxId* mine;  ///< ascending
  int count;
  const std::int64_t* offset;  ///< [levels]: of a level, what is added to the place among `mine`

  /// Of a box that is one of `mine`.
  __device__ std::uint32_t operator()(const TreeView& tree, BoxId box) const {
    int low = 0, high = count;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (mine[middle] <= box ? low : high) = middle;
    }
    return at(tree, low);
  }
  __device__ std::uint32_t at(const TreeView& tree, int place) const {
    return static_cast<std::uint32_t>(offset[tree.level[mine[place]]] + place);
  }
};

class BoxNumbering {
 public:
  /// All ranks make it; waits for memory.stream.
  explicit BoxNumbering(DevicePlaced& placed);

  int levels() const { return static_cast<int>(begin_.size()) - 1; }
  /// Of all ranks: boxes before those of a level.
  std::int64_t level_begin(int level) const { return begin_[static_cast<std::size_t>(level)]; }
  std::int64_t boxes_of(int level) const { return level_begin(level + 1) - level_begin(level); }
  /// Places among this rank's.
  int first(int level) const { return place_[static_cast<std::size_t>(level)]; }
  int end(int level) const { return place_[static_cast<std::size_t>(level) + 1]; }
  BoxNumbers view() const { return view_; }

 private:
  std::vector<std::int64_t> begin_;  ///< [levels + 1]
  std::vector<int> place_;           ///< [levels + 1]
  OnDevice<std::int64_t> offset_;
  BoxNumbers view_{};
};

/// place[l]: the first of ascending boxes that is of level l or finer.
std::vector<int> places_of_levels(const BoxId* boxes, int count, const TreeView& tree, int levels,
                                  farfield::cuda::DeviceMemory& memory);

}  // namespace farfield::distributed

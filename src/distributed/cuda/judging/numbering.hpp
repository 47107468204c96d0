// BoxNumbering: the numbers that a rank's boxes have in the tree of all points: by level, those of a level rank by
// rank; a shared box is its first rank's (judging/order.hpp). Boxes of a level that are one rank's follow one another
// in its essential tree, too, so that numbers follow from how many there are.
#pragma once
#include "distributed/cuda/placed.hpp"

namespace farfield::distributed {

/// For kernels: of boxes that are this rank's.
struct NumberOfBox {
  std::int64_t shift[max_levels + 1] = {};  ///< of a level: the number of a box less its place in the essential tree
  __device__ std::uint32_t operator()(const TreeView& tree, BoxId box) const {
    return static_cast<std::uint32_t>(shift[tree.level[box]] + box);
  }
};

class BoxNumbering {
 public:
  explicit BoxNumbering(const DevicePlaced& placed);

  int levels() const { return static_cast<int>(begin_.size()) - 1; }
  /// Of all ranks: boxes before those of a level.
  std::int64_t level_begin(int level) const { return begin_[static_cast<std::size_t>(level)]; }
  std::int64_t boxes_of(int level) const { return level_begin(level + 1) - level_begin(level); }
  /// Places among this rank's.
  std::int64_t first(int level) const { return place_[static_cast<std::size_t>(level)]; }
  std::int64_t end(int level) const { return place_[static_cast<std::size_t>(level) + 1]; }
  /// The number of the shared box of a level whose first owner a rank is: the last of the rank's boxes there.
  std::int64_t of_shared(int level, int first_rank) const;
  /// In the essential tree, ascending: this rank's boxes whose number is a multiple of a stride.
  std::vector<BoxId> every(std::int64_t stride) const;
  const NumberOfBox& view() const { return view_; }

 private:
  std::int64_t count(int rank, int level) const;

  const DevicePlaced& placed_;
  std::vector<std::int64_t> begin_;  ///< [levels + 1]
  std::vector<std::int64_t> place_;  ///< [levels + 1]
  NumberOfBox view_;
};

}  // namespace farfield::distributed

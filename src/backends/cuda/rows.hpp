// Rows: lists of boxes that follow from the tree, made on the device once per build: boxes by octant for the products,
// tiles of targets for p2p.
#pragma once
#include "backends/cuda/array.hpp"
#include "backends/cuda/work.hpp"

namespace farfield::cuda {

class Rows {
 public:
  explicit Rows(DeviceMemory& memory);

  /// `tile`: targets per PairTile, `targets`: of the whole tree.
  void build(const TreeView& tree, const ListsView& lists, std::int64_t targets, int tile, cudaStream_t stream);

  ClassRows classes() const { return {box_.data(), begin_.data(), levels_}; }
  const PairTile* tiles() const { return tile_.data(); }
  const std::int32_t* tile_count() const { return count_.data(); }
  std::int64_t most_tiles() const { return most_tiles_; }

 private:
  int levels_ = 0;
  std::int64_t most_tiles_ = 0;
  DeviceArray<BoxId> box_, box_scratch_;
  DeviceArray<std::uint8_t> key_, key_scratch_, scratch_;
  DeviceArray<std::int32_t> begin_, level_begin_, first_tile_, count_;
  DeviceArray<PairTile> tile_;
};

}  // namespace farfield::cuda

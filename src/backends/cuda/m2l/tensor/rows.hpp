// TensorRowLists: the parents of each class of children, made on the device once per tree.
#pragma once

#include "backends/cuda/m2l/tensor/view.hpp"
#include "backends/cuda/runtime/array.hpp"

namespace farfield::cuda {

class TensorRowLists {
 public:
  explicit TensorRowLists(DeviceMemory& memory);

  /// Rows: boxes first ... last - 1 of the tree with children that have targets. Classes: few sets of `group` children
  /// (1, 2, 4 or 8) that cover every set of children. `wave`: how many tiles run at a time. If the last wave is at most
  /// half full, its tiles are cut into halves, which all run at once. 0: no halves.
  void build(const TreeView& tree, BoxId first, BoxId last, int group, int tile_rows, int wave, cudaStream_t stream);

  const TensorRows& view() const { return view_; }

 private:
  void keep_cover(int group, cudaStream_t stream);
  std::int64_t most_tiles(const TreeView& tree, std::int64_t rows, int tile_rows, cudaStream_t stream) const;

  TensorRows view_;
  int classes_ = 0;
  DeviceArray<std::uint8_t> cover_, members_, key_, key_scratch_, scratch_;
  DeviceArray<BoxId> parent_, parent_scratch_;
  DeviceArray<std::int32_t> begin_;
  DeviceArray<TensorTileRange> tile_;
};

}  // namespace farfield::cuda

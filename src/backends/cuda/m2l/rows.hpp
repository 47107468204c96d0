// Rows: boxes sorted by octant, for the products by FMA and for m2l by rotation; made on the device once per build.
#pragma once
#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/work.hpp"

namespace farfield::cuda {

class Rows {
 public:
  explicit Rows(DeviceMemory& memory);

  void build(const TreeView& tree, cudaStream_t stream);
  void release();

  ClassRows classes() const { return {box_.data(), begin_.data(), levels_}; }

 private:
  int levels_ = 0;
  DeviceArray<BoxId> box_, box_scratch_;
  DeviceArray<std::uint8_t> key_, key_scratch_, scratch_;
  DeviceArray<std::int32_t> begin_, level_begin_;
};

}  // namespace farfield::cuda

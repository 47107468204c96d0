#include <cub/device/device_radix_sort.cuh>

#include "backends/cuda/m2l/rows.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/runtime/parallel.hpp"

namespace farfield::cuda {

/// Class of a box: its octant if it is at level 2 or deeper and has targets, else 8.
__global__ void class_keys(TreeView tree, std::uint8_t* key, BoxId* box) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x;
  if (i >= tree.boxes) return;
  const auto b = static_cast<BoxId>(i);
  key[i] = tree.level[b] >= 2 && tree.target_count(b) > 0 ? tree.octant[b] : std::uint8_t(8);
  box[i] = b;
}

/// begin[c][l]: row of the first box of class c at level l or deeper.
__global__ void class_begins(const std::uint8_t* key, const BoxId* box, BoxId boxes, const std::int32_t* level_begin,
                             int levels, std::int32_t* begin) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= 8 * (levels + 1)) return;
  const int c = i / (levels + 1);
  const BoxId from = level_begin[i % (levels + 1)];
  BoxId low = 0, high = boxes;
  while (low < high) {
    const BoxId middle = low + (high - low) / 2;
    if (key[middle] < c || (key[middle] == c && box[middle] < from))
      low = middle + 1;
    else
      high = middle;
  }
  begin[i] = low;
}

Rows::Rows(DeviceMemory& memory) {
  for (DeviceArray<BoxId>* a : {&box_, &box_scratch_, &begin_, &level_begin_}) a->use(memory);
  for (DeviceArray<std::uint8_t>* a : {&key_, &key_scratch_, &scratch_}) a->use(memory);
}

void Rows::build(const TreeView& tree, cudaStream_t stream) {
  levels_ = tree.levels;
  if (tree.boxes == 0) return;
  const std::int64_t boxes = tree.boxes;
  box_.resize(boxes);
  box_scratch_.resize(boxes);
  key_.resize(boxes);
  key_scratch_.resize(boxes);
  begin_.resize(8 * (levels_ + 1));
  upload(level_begin_, tree.level_begin, levels_ + 1, stream);
  class_keys<<<blocks_for(boxes), block_threads, 0, stream>>>(tree, key_scratch_.data(), box_scratch_.data());
  require_launch("class_keys");

  std::size_t sort_bytes = 0;
  const int count = tree.boxes;
  require(cub::DeviceRadixSort::SortPairs(nullptr, sort_bytes, key_scratch_.data(), key_.data(), box_scratch_.data(),
                                          box_.data(), count, 0, 4, stream),
          "cub::DeviceRadixSort");
  scratch_.resize(static_cast<std::int64_t>(sort_bytes));
  require(cub::DeviceRadixSort::SortPairs(scratch_.data(), sort_bytes, key_scratch_.data(), key_.data(),
                                          box_scratch_.data(), box_.data(), count, 0, 4, stream),
          "cub::DeviceRadixSort");
  class_begins<<<blocks_for(8 * (levels_ + 1)), block_threads, 0, stream>>>(
      key_.data(), box_.data(), tree.boxes, level_begin_.data(), levels_, begin_.data());
  require_launch("class_begins");
}

void Rows::release() {
  levels_ = 0;
  for (DeviceArray<BoxId>* a : {&box_, &box_scratch_, &begin_, &level_begin_}) a->release();
  for (DeviceArray<std::uint8_t>* a : {&key_, &key_scratch_, &scratch_}) a->release();
}

}  // namespace farfield::cuda

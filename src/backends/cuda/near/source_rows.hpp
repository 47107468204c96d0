// The sources of a tile of targets, however many boxes they come from; a block takes them in order.
#pragma once
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/work.hpp"

namespace farfield::cuda {

/// The sources of all boxes of one row of the near list, up to 32 boxes at a time.
class RowSources {
 public:
  struct Shared {
    std::uint32_t offset[33];  ///< how many sources there are in the boxes before each; the last is the sum
    std::uint32_t first[32];   ///< the box's first source less its offset
  };
  /// By all threads of a block.
  __device__ RowSources(const TreeView& tree, const BoxId* row, int boxes, Shared& shared)
      : tree_(tree), row_(row), boxes_(boxes), shared_(shared) {
    load();
  }
  __device__ bool ready() {
    while (taken_ == shared_.offset[32]) {
      if (boxes_ <= 32) return false;
      boxes_ -= 32;
      row_ += 32;
      taken_ = 0;
      load();
    }
    return true;
  }
  __device__ std::uint32_t left() const { return shared_.offset[32] - taken_; }
  __device__ void take(std::uint32_t count) { taken_ += count; }
  __device__ std::uint32_t operator()(std::uint32_t i) const {
    int box = 0;
    i += taken_;
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
      if (shared_.offset[box + step] <= i) box += step;
    return shared_.first[box] + i;
  }

 private:
  __device__ void load() {
    __syncthreads();
    const int lane = static_cast<int>(threadIdx.x);
    if (lane < 32) {
      const BoxId box = row_[min(lane, boxes_ - 1)];
      const std::int64_t begin = tree_.source_begin[box], end = tree_.source_end[box];
      const auto own = lane < boxes_ ? static_cast<std::uint32_t>(end - begin) : 0u;
      const std::uint32_t length = sum_up_to(lane, own);
      shared_.first[lane] = static_cast<std::uint32_t>(begin) - (length - own);
      shared_.offset[lane + 1] = length;
      if (lane == 0) shared_.offset[0] = 0;
    }
    __syncthreads();
  }

  const TreeView& tree_;
  const BoxId* row_;
  int boxes_;
  Shared& shared_;
  std::uint32_t taken_ = 0;
};

/// All sources, for the direct sum. In the curve's order the sources close to a tile are consecutive, so that few of
/// the tile's batches hold close pairs.
struct AllSources {
  const std::uint32_t* curve;
  std::uint32_t count, taken = 0;
  __device__ bool ready() const { return taken < count; }
  __device__ std::uint32_t left() const { return count - taken; }
  __device__ void take(std::uint32_t more) { taken += more; }
  __device__ std::uint32_t operator()(std::uint32_t i) const { return curve ? curve[taken + i] : taken + i; }
};

}  // namespace farfield::cuda

// The sources of a tile of targets, however many boxes they come from; a block takes them in order.
#pragma once
#include "backends/cuda/near/staging.hpp"
#include "backends/cuda/runtime/parallel.hpp"

namespace farfield::cuda {

/// Sources [begin, begin + count).
struct SourceRange {
  std::uint32_t begin, count;
};

/// A source of a range, which has `first` for its first source.
__device__ inline std::uint32_t behind(std::uint32_t first, std::uint32_t i) { return first + i; }
__device__ inline LeafSource behind(const LeafSource& first, std::uint32_t i) {
  return {first.index + i, {first.by[0], first.by[1], first.by[2]}};
}

/// The sources of many ranges, up to 32 of them at a time, each found by a lane. Ranges: of(lane) is the lane's range
/// of these, empty beyond the last; source(lane, s) is what is known of its source s, Ranges::Source; advance() moves
/// on to the next 32, if there are any; wait() lets all threads that take sources wait for each other.
template <class Ranges>
class RangeSources {
 public:
  using Source = typename Ranges::Source;
  struct Shared {
    std::uint32_t offset[33];  ///< how many sources there are in the ranges before each; the last is the sum
    Source first[32];          ///< the range's first source less its offset
  };
  /// By all threads that take sources.
  __device__ RangeSources(const Ranges& ranges, Shared& shared) : ranges_(ranges), shared_(shared) { load(); }
  __device__ bool ready() {
    while (taken_ == shared_.offset[32]) {
      if (!ranges_.advance()) return false;
      taken_ = 0;
      load();
    }
    return true;
  }
  __device__ std::uint32_t left() const { return shared_.offset[32] - taken_; }
  __device__ void take(std::uint32_t count) { taken_ += count; }
  __device__ Source operator()(std::uint32_t i) const {
    int range = 0;
    i += taken_;
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
      if (shared_.offset[range + step] <= i) range += step;
    return behind(shared_.first[range], i);
  }

 private:
  __device__ void load() {
    Ranges::wait();
    const int lane = static_cast<int>(threadIdx.x);
    if (Ranges::a_warp || lane < 32) {
      const SourceRange own = ranges_.of(lane);
      const std::uint32_t length = sum_up_to(lane, own.count);
      shared_.first[lane] = ranges_.source(lane, own.begin - (length - own.count));
      shared_.offset[lane + 1] = length;
      if (lane == 0) shared_.offset[0] = 0;
    }
    Ranges::wait();
  }

  Ranges ranges_;
  Shared& shared_;
  std::uint32_t taken_ = 0;
};

/// The boxes of one row of the near list; for a block.
struct BoxRanges {
  using Source = std::uint32_t;
  static constexpr bool a_warp = false;
  const TreeView& tree;
  const BoxId* row;
  int boxes;

  __device__ static void wait() { __syncthreads(); }
  __device__ bool advance() {
    if (boxes <= 32) return false;
    boxes -= 32;
    row += 32;
    return true;
  }
  __device__ SourceRange of(int lane) const {
    const BoxId box = row[min(lane, boxes - 1)];
    const std::int64_t begin = tree.source_begin[box], end = tree.source_end[box];
    return {static_cast<std::uint32_t>(begin), lane < boxes ? static_cast<std::uint32_t>(end - begin) : 0u};
  }
  __device__ static std::uint32_t source(int, std::uint32_t s) { return s; }
};
using RowSources = RangeSources<BoxRanges>;

/// The same of leaves at home and images of them, in a frame.
struct LeafRanges : BoxRanges {
  using Source = LeafSource;
  const PairFrame<float>& frame;

  __device__ LeafSource source(int lane, std::uint32_t s) const {
    return leaf_source(tree, row[min(lane, boxes - 1)], s, frame);
  }
};
using LeafSources = RangeSources<LeafRanges>;

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

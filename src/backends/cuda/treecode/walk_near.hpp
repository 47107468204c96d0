// walk_near_kernel: a warp per group of targets walks the tree and sums the sources of the boxes that it does not
// expand. The group's own sources, where targets are sources, come first and apart, since only they are surely close.
#pragma once
#include "backends/cuda/near/source_rows.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/treecode/walk.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {

inline constexpr int near_threads = 32;  ///< a warp: it walks
inline constexpr int most_ranges = 128;

/// A list of ranges; for a warp.
struct ListedRanges {
  using Source = std::uint32_t;
  static constexpr bool a_warp = true;
  const SourceRange* range;
  int count;

  __device__ static void wait() { __syncwarp(); }
  __device__ bool advance() {
    if (count <= 32) return false;
    count -= 32;
    range += 32;
    return true;
  }
  __device__ static std::uint32_t source(int, std::uint32_t s) { return s; }
  __device__ SourceRange of(int lane) const {
    const SourceRange own = range[min(lane, count - 1)];
    return {own.begin, lane < count ? own.count : 0u};
  }
};
using ListedSources = RangeSources<ListedRanges>;

/// Appends the part [begin, end) of a lane's range, if there is any; by a whole warp.
__device__ inline void append(std::int64_t begin, std::int64_t end, SourceRange* list, int& listed) {
  const unsigned some = __ballot_sync(~0u, begin < end), before = some & ((1u << threadIdx.x) - 1);
  if (begin < end)
    list[listed + __popc(before)] = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end - begin)};
  listed += __popc(some);
}

/// What the warp of a group needs in shared memory.
template <class Sum>
struct NearStage {
  typename Sum::Shared sum;
  ListedSources::Shared row;
  Walk::Stack stack;
  Group group;
  SourceRange list[most_ranges];
};

/// Sums the near field of the targets first ... first + count.
template <class Sum, class Real>
__device__ void sum_near(const NearWork<Real>& work, std::int64_t first, int count, NearStage<Sum>& stage) {
  static_assert(Sum::most_targets >= most_group_targets);
  stage.group.enclose(work, first, first + count, true);
  if (threadIdx.x == 0) {
    Sum::settle(stage.sum, stage.group);
    stage.list[0] = {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count)};
  }
  __syncwarp();
  Sum sum(work, stage.sum, first, count);
  const auto add = [&](int listed) {
    ListedSources sources({stage.list, listed}, stage.row);
    sum.add(sources);
    __syncwarp();
  };
  if (work.alike) {
    add(1);
    sum.flush(true);
  }
  Walk walk(work, stage.group, stage.stack);
  int listed = 0;
  for (bool more = true; more;) {
    const Walk::Found found = walk.next(more);
    const std::int64_t begin = found.source_begin, end = found.kind == Walk::near ? begin + found.sources : begin;
    if (work.alike) {
      append(begin, min(end, first), stage.list, listed);
      append(max(begin, first + count), end, stage.list, listed);
    } else {
      append(begin, end, stage.list, listed);
    }
    __syncwarp();
    if (listed == 0 || (more && listed <= most_ranges - 2 * near_threads)) continue;
    add(listed);
    listed = 0;
  }
  sum.flush(false);
  sum.deliver();
}

template <class Sum, class Real>
__global__ void __launch_bounds__(near_threads, tuning::tile_residents<Real> / near_threads)
    walk_near_kernel(const __grid_constant__ NearWork<Real> work) {
  __shared__ NearStage<Sum> stage;
  for_each_group(work, blockIdx.x, [&](std::int64_t first, std::int64_t end) {
    sum_near(work, first, static_cast<int>(end - first), stage);
  });
}

/// For all groups of targets.
template <class Sum, class Real>
void launch_walk_near(const NearWork<Real>& work) {
  walk_near_kernel<Sum><<<static_cast<unsigned>(groups_of(work.targets)), near_threads, 0, work.stream>>>(work);
  require_launch("p2p");
}

}  // namespace farfield::cuda

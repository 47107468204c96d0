// p2p of a treecode: a warp per group of targets walks the tree and sums the sources of the boxes that it does not
// expand. The group's own sources, where targets are sources, come first and apart, since only they are surely close.
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/treecode/group_sum.hpp"
#include "backends/cuda/treecode/walk.hpp"

namespace farfield::cuda {

/// Sources [begin, begin + count).
struct SourceRange {
  std::uint32_t begin, count;
};
inline constexpr int near_threads = 32;  ///< a warp: it walks
inline constexpr int most_ranges = 128;

/// The sources of a list of ranges, up to 32 ranges at a time.
class RangeSources {
 public:
  struct Shared {
    std::uint32_t offset[33];  ///< how many sources there are in the ranges before each; the last is the sum
    std::uint32_t first[32];   ///< the range's first source less its offset
  };
  __device__ RangeSources(const SourceRange* ranges, int count, Shared& shared)
      : ranges_(ranges), count_(count), shared_(shared) {
    load();
  }
  __device__ bool ready() {
    while (taken_ == shared_.offset[32]) {
      if (count_ <= 32) return false;
      count_ -= 32;
      ranges_ += 32;
      taken_ = 0;
      load();
    }
    return true;
  }
  __device__ std::uint32_t left() const { return shared_.offset[32] - taken_; }
  __device__ void take(std::uint32_t count) { taken_ += count; }
  __device__ std::uint32_t operator()(std::uint32_t i) const {
    int range = 0;
    i += taken_;
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
      if (shared_.offset[range + step] <= i) range += step;
    return shared_.first[range] + i;
  }

 private:
  __device__ void load() {
    __syncwarp();
    const int lane = static_cast<int>(threadIdx.x);
    const SourceRange own = ranges_[min(lane, count_ - 1)];
    const std::uint32_t count = lane < count_ ? own.count : 0u, length = sum_up_to(lane, count);
    shared_.first[lane] = own.begin - (length - count);
    shared_.offset[lane + 1] = length;
    if (lane == 0) shared_.offset[0] = 0;
    __syncwarp();
  }

  const SourceRange* ranges_;
  int count_;
  Shared& shared_;
  std::uint32_t taken_ = 0;
};

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
  RangeSources::Shared row;
  Walk::Stack stack;
  Group group;
  SourceRange list[most_ranges];
};

/// The frame of a group is the cube about its cuboid.
template <class Kernel, class Real>
__device__ PairFrame<Real> frame_around(const Group& group) {
  double size = 0x1p-20;
  for (const float half : group.half) size = fmax(size, 2 * static_cast<double>(half));
  return make_frame<Kernel, Real>(group.middle[0], group.middle[1], group.middle[2], size);
}

/// Sums the near field of the targets first ... first + count.
template <class Kernel, class Real, int parts>
__device__ void sum_near(const NearWork<Real>& work, std::int64_t first, int count,
                         NearStage<GroupSum<Kernel, Real, parts>>& stage) {
  static_assert(GroupSum<Kernel, Real, parts>::most_targets >= most_group_targets);
  stage.group.enclose(work, first, first + count, true);
  if (threadIdx.x == 0) {
    stage.sum.frame = frame_around<Kernel, Real>(stage.group);
    stage.list[0] = {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count)};
  }
  __syncwarp();
  GroupSum<Kernel, Real, parts> sum(work, stage.sum, first, count);
  const auto add = [&](int listed) {
    RangeSources sources(stage.list, listed, stage.row);
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

template <class Kernel, class Real, int parts>
__global__ void __launch_bounds__(near_threads, tuning::tile_residents<Real> / near_threads)
    walk_near_kernel(const __grid_constant__ NearWork<Real> work) {
  __shared__ NearStage<GroupSum<Kernel, Real, parts>> stage;
  for_each_group(work, blockIdx.x, [&](std::int64_t first, std::int64_t end) {
    sum_near<Kernel, Real, parts>(work, first, static_cast<int>(end - first), stage);
  });
}

template <class Kernel, class Real>
void walk_near(const NearWork<Real>& work) {
  const auto kernel =
      with_parts(work.result.parts(), [](auto parts) { return &walk_near_kernel<Kernel, Real, parts()>; });
  kernel<<<static_cast<unsigned>(groups_of(work.targets)), near_threads, 0, work.stream>>>(work);
  require_launch("p2p");
}

FARFIELD_INSTANTIATE(walk_near, NearWork)

}  // namespace farfield::cuda

// Pair sums of a group of targets by one warp: p2p of a treecode. Like PairSum (near/pair_sum.hpp), but small: sources
// are staged 64 at a time and all sums stay in registers, so that a multiprocessor holds 24 warps, which hide each
// other's walks; with PairSum's shared memory it would hold 17.
#pragma once
#include "backends/cuda/near/pair_targets.hpp"
#include "backends/cuda/treecode/lanes.hpp"
#include "backends/cuda/treecode/walk.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {

template <class Kernel, class Real, int parts, Softened softened>
class GroupSum {
  using Sums = PairSums<Real>;
  static constexpr int n = tuning::targets_per_thread<Real>, batch = 64;
  /// A softening or a core may leave so many sources to a group that sums have three levels: the batch, many batches,
  /// the total.
  static constexpr bool deep = softened != Softened::no || HasCore<Kernel>;
  static constexpr int many = 64;

 public:
  static constexpr int most_targets = 32 * n;
  struct Shared {
    Staged<Real> source[batch];
    std::uint32_t index[batch];
    PairFrame<Real> frame;
  };

  /// Makes the frame of a group, the cube about its cuboid; by one thread.
  __device__ static void settle(Shared& shared, const Group& group) {
    double size = 0x1p-20;
    for (const float half : group.half) size = fmax(size, 2 * static_cast<double>(half));
    shared.frame = make_frame<Kernel, Real>(group.middle[0], group.middle[1], group.middle[2], size);
  }

  /// For targets first ... first + count of a group that is settled. By a whole warp, as all below.
  __device__ GroupSum(const NearWork<Real>& work, Shared& shared, std::int64_t first, int count)
      : work_(work), shared_(shared), first_(first), lanes_(count, n) {
    targets_.prepare(work, shared.frame.factor);
#pragma unroll
    for (int i = 0; i < n; ++i) {
      const std::int64_t t = first + lanes_.target(i);
      targets_.x[i] = place<Real>(__ldg(work.target[0] + t), shared.frame, 0);
      targets_.y[i] = place<Real>(__ldg(work.target[1] + t), shared.frame, 1);
      targets_.z[i] = place<Real>(__ldg(work.target[2] + t), shared.frame, 2);
    }
  }

  /// Adds `sources` (near/source_rows.hpp); those that do not fill a batch wait for the next call or for `flush`.
  template <class Sources>
  __device__ void add(Sources& sources) {
    while (sources.ready()) {
      const int here = static_cast<int>(min(sources.left(), static_cast<std::uint32_t>(batch - staged_)));
      stage_sources<32, 2>(
          work_, shared_.frame, here, [&](int i) { return sources(static_cast<std::uint32_t>(i)); },
          [&](int i, bool exists, const Staged<Real>& source, std::uint32_t s) {
            store_if(exists, &shared_.source[min(staged_ + i, batch - 1)], source);
            if (exists) shared_.index[staged_ + i] = s;
          });
      sources.take(static_cast<std::uint32_t>(here));
      staged_ += here;
      if (staged_ == batch) flush(false);
    }
  }

  /// Sums what is staged. `guarded`: close pairs are likely, so sum_carefully sums it at once.
  __device__ void flush(bool guarded) {
    __syncwarp();
    Sums part[n] = {};
    bool close = guarded && Kernel::singular;
    if (!close) {
      Watch<Real> watch;
#pragma unroll 2
      for (int s = lanes_.first(staged_); s < staged_; s += lanes_.copies)
        targets_.add(load(shared_.source[s]), part, watch);
      close = Kernel::singular && watch.found_close(targets_.close_square);
    }
    if (close) sum_carefully(part);
#pragma unroll
    for (int i = 0; i < n; ++i) (deep ? some_[i] : total_[i]) += part[i];
    if (deep && ++batches_ % many == 0) close_level();
    staged_ = 0;
    __syncwarp();
  }

  /// Writes the sums of all copies of a target.
  __device__ void deliver() {
    if (deep) close_level();
#pragma unroll
    for (int i = 0; i < n; ++i) {
      const Real own[] = {total_[i].u, total_[i].gx, total_[i].gy, total_[i].gz};
#pragma unroll
      for (int part = first_part(parts); part < end_part(parts); ++part) {
        const Real all = lanes_.sum_of_copies(own[part]);
        if (lanes_.delivers(i)) work_.result[part][first_ + lanes_.target(i)] = all * shared_.frame.scale[part];
      }
    }
  }

 private:
  __device__ void close_level() {
#pragma unroll
    for (int i = 0; i < n; ++i) total_[i] += some_[i], some_[i] = {};
  }

  /// Overwrites `part`. Close pairs come last: added first, their large terms would swallow the many small ones in
  /// single precision.
  __device__ __forceinline__ void sum_carefully(Sums (&part)[n]) const {
#pragma unroll
    for (int i = 0; i < n; ++i) part[i] = {};
    bool any = false;
#pragma unroll 1
    for (int s = lanes_.first(staged_); s < staged_; s += lanes_.copies)
      any |= others(targets_.add_clear(load(shared_.source[s]), part), s) != 0;
    if (!any) return;
#pragma unroll 1
    for (int s = lanes_.first(staged_); s < staged_; s += lanes_.copies)
      add_exact_pairs<Kernel, Real, parts, softened>(
          work_, shared_.frame, others(targets_.close_to(load(shared_.source[s])), s),
          [&](int i) { return first_ + lanes_.target(i); }, shared_.index[s], part);
  }

  /// Of the targets that a source is close to, those that are not that source itself, unless that counts.
  __device__ unsigned others(unsigned close, int s) const {
    if (!CountsCoincident<Kernel> && work_.alike)
#pragma unroll
      for (int i = 0; i < n; ++i)
        if (shared_.index[s] == first_ + lanes_.target(i)) close &= ~(1u << i);
    return close;
  }

  const NearWork<Real>& work_;
  Shared& shared_;
  const std::int64_t first_;
  const GroupLanes lanes_;
  int staged_ = 0;
  PairTargets<Kernel, Real, n, parts, softened> targets_;
  Sums total_[n] = {}, some_[n] = {};
  int batches_ = 0;
};

}  // namespace farfield::cuda

#include "backends/cuda/near/bodies.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/treecode/lanes.hpp"
#include "backends/cuda/treecode/near_lengths.hpp"
#include "backends/cuda/treecode/walk_near.hpp"

namespace farfield::cuda {

/// GroupSum (group_sum.hpp) of bodies. Totals are in double; no pair needs a second look.
template <class Kernel, class Real, int parts, Softened softened>
class GroupBodies {
  static constexpr int n = 2, batch = 64;

 public:
  static constexpr int most_targets = 32 * n;
  struct Shared {
    Body<Real> source[batch];
    std::uint32_t index[batch];
    Centre centre;
  };

  __device__ static void settle(Shared& shared, const Group& group) {
    for (int axis = 0; axis < 3; ++axis) shared.centre.x[axis] = group.middle[axis];
  }
  __device__ GroupBodies(const NearWork<Real>& work, Shared& shared, std::int64_t first, int count)
      : work_(work), shared_(shared), first_(first), lanes_(count, n) {
    for (int i = 0; i < n; ++i) set_body<softened>(own_[i], work.target, work.target_length, target(i), shared.centre);
  }

  template <class Sources>
  __device__ void add(Sources& sources) {
    while (sources.ready()) {
      const int here = static_cast<int>(min(sources.left(), static_cast<std::uint32_t>(batch - staged_)));
      for (int i = static_cast<int>(threadIdx.x); i < here; i += near_threads)
        stage(staged_ + i, sources(static_cast<std::uint32_t>(i)));
      sources.take(static_cast<std::uint32_t>(here));
      staged_ += here;
      if (staged_ == batch) flush(false);
    }
  }

  __device__ void flush(bool /*guarded*/) {
    __syncwarp();
    PairSums<Real> sum[n] = {};
#pragma unroll 1
    for (int s = lanes_.first(staged_); s < staged_; s += lanes_.copies) {
      const Body<Real> source = shared_.source[s];
#pragma unroll
      for (int i = 0; i < n; ++i)
        if (!add_body<Kernel, parts, softened>(own_[i], source, sum[i]))
          total_[i] += exact_sums<Kernel>(work_, target(i), shared_.index[s]);
    }
#pragma unroll
    for (int i = 0; i < n; ++i)
      total_[i] += PairSums<double>{static_cast<double>(sum[i].u), static_cast<double>(sum[i].gx),
                                    static_cast<double>(sum[i].gy), static_cast<double>(sum[i].gz)};
    staged_ = 0;
    __syncwarp();
  }

  __device__ void deliver() const {
#pragma unroll
    for (int i = 0; i < n; ++i) {
      const double own[] = {total_[i].u, total_[i].gx, total_[i].gy, total_[i].gz};
#pragma unroll
      for (int part = 0; part < parts; ++part) {
        const double all = lanes_.sum_of_copies(own[part]);
        if (lanes_.delivers(i)) work_.result[part][target(i)] = static_cast<Real>(all);
      }
    }
  }

 private:
  __device__ std::int64_t target(int i) const { return first_ + lanes_.target(i); }

  __device__ void stage(int at, std::uint32_t s) {
    Body<Real>& body = shared_.source[at];
    set_body<softened>(body, work_.source, work_.source_length, s, shared_.centre);
    body.q = work_.strength[s];
    shared_.index[at] = s;
  }

  const NearWork<Real>& work_;
  Shared& shared_;
  const std::int64_t first_;
  const GroupLanes lanes_;
  int staged_ = 0;
  Body<Real> own_[n];
  PairSums<double> total_[n] = {};
};

template <class Kernel, class Real>
void walk_near_with_lengths(const NearWork<Real>& work) {
  with_lengths<Kernel>(work.softening.kind, [&](auto softened) {
    with_parts(work.result.parts(),
               [&](auto parts) { launch_walk_near<GroupBodies<Kernel, Real, parts(), softened()>>(work); });
  });
}

FARFIELD_INSTANTIATE(walk_near_with_lengths, NearWork)

}  // namespace farfield::cuda

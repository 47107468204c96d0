// p2p and the direct sum of points with softening lengths. A block sums a tile of targets, two of each thread, with
// chunks of sources in shared memory; where there are fewer targets, groups of threads share the sources.
#include <algorithm>

#include "backends/cuda/near/bodies.hpp"
#include "backends/cuda/near/p2p_lengths.hpp"
#include "backends/cuda/near/source_rows.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/stages.hpp"

namespace farfield::cuda {
namespace {

constexpr int threads = 128, n = 2, chunk = 512;

template <class Real>
struct Shared {
  Body<Real> source[chunk];
  std::uint32_t index[chunk];
  PairSums<double> total[n][threads];
  Centre centre;
};

/// A block's targets: target(i) is the index of the i-th.
template <class Kernel, class Real, int parts, Softened softened, class TargetAt>
class TileSum {
 public:
  __device__ TileSum(const NearWork<Real>& work, Shared<Real>& shared, int count, const TargetAt& target)
      : work_(work), shared_(shared), target_(target), count_(count) {
    const int units = (count + n - 1) / n, thread = static_cast<int>(threadIdx.x);
    units_ = units, groups_ = threads / units, group_ = thread / units, unit_ = thread % units;
    for (int i = 0; i < n; ++i) {
      set_body<softened>(own_[i], work.target, work.target_length, target(own(i)), shared.centre);
      shared.total[i][thread] = {};
    }
  }

  /// Sums all of `sources` (source_rows.hpp); by all threads.
  template <class Sources>
  __device__ void add(Sources& sources) {
    for (bool more = true; more;) {
      int staged = 0;
      while (staged < chunk && (more = sources.ready())) {
        const int here = static_cast<int>(min(sources.left(), static_cast<std::uint32_t>(chunk - staged)));
        for (int i = static_cast<int>(threadIdx.x); i < here; i += threads)
          stage(staged + i, sources(static_cast<std::uint32_t>(i)));
        sources.take(static_cast<std::uint32_t>(here));
        staged += here;
      }
      __syncthreads();
      if (group_ < groups_) add_chunk(staged);
      __syncthreads();
    }
  }

  /// Adds the sums of all groups to the results, or `overwrite`s them.
  __device__ void finish(bool overwrite) const {
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < count_; i += threads) {
      PairSums<double> sum = {};
      for (int g = 0; g < groups_; ++g) sum += shared_.total[i / units_][g * units_ + i % units_];
      const double values[] = {sum.u, sum.gx, sum.gy, sum.gz};
      for (int part = 0; part < parts; ++part) {
        Real& result = work_.result[part][target_(i)];
        result = static_cast<Real>(overwrite ? values[part] : static_cast<double>(result) + values[part]);
      }
    }
  }

 private:
  /// Which of the targets is this thread's i-th; those beyond the last repeat it.
  __device__ int own(int i) const { return min(unit_ + i * units_, count_ - 1); }

  __device__ void stage(int at, std::uint32_t s) {
    Body<Real>& body = shared_.source[at];
    set_body<softened>(body, work_.source, work_.source_length, s, shared_.centre);
    body.q = work_.strength[s];
    shared_.index[at] = s;
  }

  __device__ void add_chunk(int staged) {
    PairSums<Real> sum[n] = {};
#pragma unroll 1
    for (int at = group_; at < staged; at += groups_) {
      const Body<Real> source = shared_.source[at];
#pragma unroll
      for (int i = 0; i < n; ++i)
        if (!add_body<Kernel, parts, softened>(own_[i], source, sum[i]))
          shared_.total[i][threadIdx.x] += exact_sums<Kernel>(work_, target_(own(i)), shared_.index[at]);
    }
#pragma unroll
    for (int i = 0; i < n; ++i) {
      PairSums<double>& total = shared_.total[i][threadIdx.x];
      total.u += static_cast<double>(sum[i].u);
      total.gx += static_cast<double>(sum[i].gx);
      total.gy += static_cast<double>(sum[i].gy);
      total.gz += static_cast<double>(sum[i].gz);
    }
  }

  const NearWork<Real>& work_;
  Shared<Real>& shared_;
  const TargetAt& target_;
  const int count_;
  int units_, groups_, group_, unit_;
  Body<Real> own_[n];
};

template <class Kernel, class Real, int parts, Softened softened>
__global__ void __launch_bounds__(threads) tiles_kernel(const __grid_constant__ NearWork<Real> work) {
  __shared__ Shared<Real> shared;
  __shared__ RowSources::Shared row;
  const TreeView& tree = work.tree;
  for (std::int64_t k = blockIdx.x; k < *work.near.tiles; k += gridDim.x) {
    const PairTile tile = work.near.tile[k];
    if (threadIdx.x < 3) shared.centre.x[threadIdx.x] = tree.coordinate(tile.box, static_cast<int>(threadIdx.x));
    RowSources sources({tree, work.lists.near.items + tile.near_begin, tile.near_count}, row);
    const auto target = [&](int i) { return tile.target + i; };
    TileSum<Kernel, Real, parts, softened, decltype(target)> sum(work, shared, tile.targets, target);
    sum.add(sources);
    sum.finish(work.alike);
    __syncthreads();
  }
}

/// A block sums `per_block` targets, in the order of the curve.
template <class Kernel, class Real, int parts, Softened softened>
__global__ void __launch_bounds__(threads) all_pairs_kernel(const __grid_constant__ NearWork<Real> work,
                                                            std::int64_t sources, std::int64_t targets, int per_block) {
  __shared__ Shared<Real> shared;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * per_block, left = targets - first;
  const int count = left < per_block ? static_cast<int>(left) : per_block;
  const auto target = [&](int i) -> std::int64_t {
    return work.target_curve ? work.target_curve[first + i] : first + i;
  };
  if (threadIdx.x < 3) shared.centre.x[threadIdx.x] = work.target[threadIdx.x][target(count / 2)];
  __syncthreads();
  AllSources all{work.source_curve, static_cast<std::uint32_t>(sources)};
  TileSum<Kernel, Real, parts, softened, decltype(target)> sum(work, shared, count, target);
  sum.add(all);
  sum.finish(true);
}

/// Calls launch(parts, softened) for the work.
template <class Kernel, class Real, class Launch>
void with_instance(const NearWork<Real>& work, const Launch& launch) {
  with_lengths<Kernel>(work.softening.kind, [&](auto softened) {
    if (work.result.parts() == 1)
      launch(std::integral_constant<int, 1>{}, softened);
    else
      launch(std::integral_constant<int, 4>{}, softened);
  });
}

}  // namespace

template <class Kernel, class Real>
void p2p_with_lengths(const NearWork<Real>& work, unsigned blocks) {
  if (work.near.most_tiles == 0) return;
  with_instance<Kernel>(work, [&](auto parts, auto softened) {
    tiles_kernel<Kernel, Real, parts(), softened()><<<blocks, threads, 0, work.stream>>>(work);
  });
  require_launch("p2p_with_lengths");
}

template <class Kernel, class Real>
void direct_with_lengths(const NearWork<Real>& work, std::int64_t sources, std::int64_t targets) {
  const int wanted = 16 * device_limits().multiprocessors;
  int per_block = n * threads;
  while (per_block > 32 && (targets + per_block - 1) / per_block < wanted) per_block /= 2;
  const auto blocks = static_cast<unsigned>((targets + per_block - 1) / per_block);
  with_instance<Kernel>(work, [&](auto parts, auto softened) {
    all_pairs_kernel<Kernel, Real, parts(), softened()>
        <<<blocks, threads, 0, work.stream>>>(work, sources, targets, per_block);
  });
  require_launch("direct_with_lengths");
}

FARFIELD_INSTANTIATE(p2p_with_lengths, NearWork, unsigned)
FARFIELD_INSTANTIATE(direct_with_lengths, NearWork, std::int64_t, std::int64_t)

}  // namespace farfield::cuda

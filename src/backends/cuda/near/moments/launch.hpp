// The kernels of pairs with dipoles, Hessians or cores, and their launches. Those of every softening are compiled in
// the files beside.
#pragma once
#include "backends/cuda/near/moments/moments.hpp"
#include "backends/cuda/near/moments/tile_sum.hpp"
#include "backends/cuda/near/source_rows.hpp"
#include "backends/cuda/near/tile_frame.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {

/// Of softened sums leaves may hold most of all points, so that theirs are those of the direct sum.
template <class Kernel, class Real, int parts, int moments, Softened softened, int threads>
using LeafSum = std::conditional_t<
    softened == Softened::no,
    MomentSum<Kernel, Real, parts, moments, softened, threads, tuning::targets_per_thread<Real>, Real>,
    MomentSum<Kernel, Real, parts, moments, softened, threads, 2, double>>;

template <class Real>
constexpr int moment_blocks(int parts, Softened softened, int threads) {
  return softened == Softened::no ? tuning::moment_residents<Real>(parts) / threads : 1;
}

template <class Kernel, class Real, int parts, int moments, Softened softened, int threads>
__global__ void __launch_bounds__(threads, moment_blocks<Real>(parts, softened, threads))
    p2p_moments_kernel(const __grid_constant__ NearWork<Real> work) {
  using Sum = LeafSum<Kernel, Real, parts, moments, softened, threads>;
  __shared__ typename Sum::Shared shared;
  __shared__ RowSources::Shared row;
  const TreeView& tree = work.tree;
  for (std::int64_t i = blockIdx.x; i < *work.near.tiles; i += gridDim.x) {
    const PairTile tile = work.near.tile[i];
    if (threadIdx.x == threads - 1)
      shared.frame = make_frame<Kernel, Real>(tree.coordinate(tile.box, 0), tree.coordinate(tile.box, 1),
                                              tree.coordinate(tile.box, 2), tree.lattice.edge(tree.level[tile.box]));
    RowSources sources({tree, work.lists.near.items + tile.near_begin, tile.near_count}, row);
    const auto target = [&](int k) { return tile.target + k; };
    Sum sum(work, shared, tile.targets, target);
    sum.add(sources, target);
    sum.finish(work.alike, target);
    __syncthreads();
  }
}

/// Sums of chunks are added up in double, since there are more of them than in a leaf.
template <class Kernel, class Real, int parts, int moments, Softened softened>
__global__ void __launch_bounds__(tuning::direct_threads)
    direct_moments_kernel(const __grid_constant__ NearWork<Real> work, std::int64_t sources, std::int64_t targets,
                          int per_block) {
  using Sum = MomentSum<Kernel, Real, parts, moments, softened, tuning::direct_threads, 2, double>;
  __shared__ typename Sum::Shared shared;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * per_block, left = targets - first;
  const int count = left < per_block ? static_cast<int>(left) : per_block;
  frame_tile<Kernel>(work, first, count, shared.frame);
  const auto target = [&](int k) { return direct_target(work, first + k); };
  Sum sum(work, shared, count, target);
  AllSources all{work.source_curve, static_cast<std::uint32_t>(sources)};
  sum.add(all, target);
  sum.finish(true, target);
}

/// Tiles of softened sums have at most softened_tile targets (p2p_work.hpp): one width of blocks serves them all.
template <class Kernel, Softened softened, class Real>
void launch_p2p_moments(const NearWork<Real>& work, unsigned blocks) {
  if (work.near.most_tiles == 0) return;
  const bool wide = softened != Softened::no || work.near.wide;
  const auto kernel = with_moments<softened>(work, [&](auto parts, auto moments) {
    auto chosen = &p2p_moments_kernel<Kernel, Real, parts(), moments(), softened, tuning::wide_tile>;
    if constexpr (softened == Softened::no)
      if (!wide) chosen = &p2p_moments_kernel<Kernel, Real, parts(), moments(), softened, tuning::narrow_tile>;
    return chosen;
  });
  const int threads = wide ? tuning::wide_tile : tuning::narrow_tile;
  kernel<<<blocks, static_cast<unsigned>(threads), 0, work.stream>>>(work);
  require_launch("p2p_moments");
}

template <class Kernel, Softened softened, class Real>
void launch_direct_moments(const NearWork<Real>& work, std::int64_t sources, std::int64_t targets) {
  const int blocks = tuning::direct_blocks<Real> * device_limits().multiprocessors;
  int per_block = 2 * tuning::direct_threads;
  while (per_block > tuning::fewest_direct_targets && (targets + per_block - 1) / per_block < blocks) per_block /= 2;
  const auto kernel = with_moments<softened>(work, [](auto parts, auto moments) {
    return &direct_moments_kernel<Kernel, Real, parts(), moments(), softened>;
  });
  kernel<<<static_cast<unsigned>((targets + per_block - 1) / per_block), tuning::direct_threads, 0, work.stream>>>(
      work, sources, targets, per_block);
  require_launch("direct_moments");
}

}  // namespace farfield::cuda

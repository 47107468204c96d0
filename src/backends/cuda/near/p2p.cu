// p2p: the near field. Families of small leaves are summed by p2p_families.cu, all other leaves here: a block per tile
// of a leaf's targets sums the pairs with the sources of every box of the near list.
// Cost: 20 flops and one reciprocal square root per pair (with gradient); sources come through shared memory.
// p2p writes the results; other stages add to them.
// direct: the same for tiles of all targets with all sources.
#include <algorithm>

#include "backends/cuda/near/p2p_families.hpp"
#include "backends/cuda/near/p2p_lengths.hpp"
#include "backends/cuda/near/p2p_work.hpp"
#include "backends/cuda/near/pair_sum.hpp"
#include "backends/cuda/near/source_rows.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {

template <class Kernel, class Real, int parts, int threads, Softened softened>
__global__ void __launch_bounds__(threads, tuning::tile_residents<Real> / threads)
    p2p_kernel(const __grid_constant__ NearWork<Real> work) {
  using Sum = PairSum<Kernel, Real, parts, threads, softened, softened != Softened::no>;
  __shared__ typename Sum::Shared shared;
  __shared__ RowSources::Shared row;
  const TreeView& tree = work.tree;
  for (std::int64_t i = blockIdx.x; i < *work.near.tiles; i += gridDim.x) {
    const PairTile tile = work.near.tile[i];
    const BoxId b = tile.box, *items = work.lists.near.items + tile.near_begin;
    if (threadIdx.x == threads - 1)
      shared.frame = make_frame<Kernel, Real>(tree.coordinate(b, 0), tree.coordinate(b, 1), tree.coordinate(b, 2),
                                              tree.lattice.edge(tree.level[b]));
    RowSources sources(tree, items, tile.near_count, row);
    Sum sum(work, shared, tile.target, tile.targets, work.alike ? tile.first : Sum::nowhere);
    if (*items == b) sum.guard(row.offset[1]);
    sum.add(sources);
    sum.finish(work.alike);
    __syncthreads();
  }
}

/// Makes the frame of a tile, the targets first ... first + count; by all threads. The frame is a cube about the tile's
/// middle target. A frame of all points would make every pair in the core of a cluster a close one.
template <class Kernel, class Real>
__device__ void frame_tile(const NearWork<Real>& work, std::int64_t first, int count, PairFrame<Real>& frame) {
  __shared__ unsigned long long reach;  // largest distance as bits: non-negative doubles compare like their bits
  if (threadIdx.x == 0) reach = 0;
  __syncthreads();
  const auto target = [&](int i) { return direct_target(work, first + i); };
  const std::int64_t middle = target(count / 2);
  double furthest = 0;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
    for (int a = 0; a < 3; ++a) furthest = fmax(furthest, fabs(work.target[a][target(i)] - work.target[a][middle]));
  atomicMax(&reach, static_cast<unsigned long long>(__double_as_longlong(furthest)));
  __syncthreads();
  if (threadIdx.x == 0)
    frame = make_frame<Kernel, Real>(work.target[0][middle], work.target[1][middle], work.target[2][middle],
                                     fmax(2 * __longlong_as_double(static_cast<long long>(reach)), 0x1p-20));
  __syncthreads();
}

template <class Kernel, class Real, int parts, Softened softened>
__global__ void __launch_bounds__(tuning::direct_threads)
    direct_kernel(const __grid_constant__ NearWork<Real> work, std::int64_t sources, std::int64_t targets,
                  int per_block) {
  using Sum = PairSum<Kernel, Real, parts, tuning::direct_threads, softened, true>;
  __shared__ typename Sum::Shared shared;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * per_block, left = targets - first;
  const int count = left < per_block ? static_cast<int>(left) : per_block;
  frame_tile<Kernel>(work, first, count, shared.frame);
  Sum sum(work, shared, first, count);
  AllSources all{work.source_curve, static_cast<std::uint32_t>(sources)};
  sum.add(all);
  sum.finish(true);
}

static unsigned blocks_over(std::int64_t most) {
  return static_cast<unsigned>(tuning::p2p_blocks(most, device_limits().multiprocessors));
}

template <class Kernel, class Real, int threads>
static void p2p_tiles(const NearWork<Real>& work) {
  const auto kernel = with_softening<Kernel>(work.softening, [&](auto softened) {
    constexpr Softened as = softened();
    return with_parts(work.result.parts(), [](auto parts) { return &p2p_kernel<Kernel, Real, parts(), threads, as>; });
  });
  kernel<<<blocks_over(work.near.most_tiles), threads, 0, work.stream>>>(work);
  require_launch("p2p");
}

/// For apart targets only. Where sources are targets, every leaf is in its own near list, and p2p stores its results
/// instead of adding to zeros.
template <class Real>
static void clear_results(const NearWork<Real>& work) {
  for (int part = 0; part < work.result.parts(); ++part)
    require(cudaMemsetAsync(work.result[part], 0, static_cast<std::size_t>(work.targets) * sizeof(Real), work.stream),
            "cudaMemsetAsync");
}

template <class Kernel, class Real>
void p2p(const NearWork<Real>& work) {
  if (!work.alike) clear_results(work);
  if constexpr (Kernel::softens)
    if (work.source_length) return p2p_with_lengths<Kernel>(work, blocks_over(work.near.most_tiles));
  if (work.near.most_families > 0) p2p_families<Kernel>(work, blocks_over(work.near.most_families));
  if (work.near.most_tiles == 0) return;
  if (work.near.wide)
    p2p_tiles<Kernel, Real, tuning::wide_tile>(work);
  else
    p2p_tiles<Kernel, Real, tuning::narrow_tile>(work);
}

template <class Kernel, class Real>
void direct(const NearWork<Real>& work, std::int64_t sources, std::int64_t targets) {
  if (targets == 0) return;
  if constexpr (Kernel::softens)
    if (work.source_length) return direct_with_lengths<Kernel>(work, sources, targets);
  const int blocks = tuning::direct_blocks<Real> * device_limits().multiprocessors;
  int per_block = tuning::targets_per_thread<Real> * tuning::direct_threads;
  while (per_block > tuning::fewest_direct_targets && (targets + per_block - 1) / per_block < blocks) per_block /= 2;
  const auto kernel = with_softening<Kernel>(work.softening, [&](auto softened) {
    constexpr Softened as = softened();
    return with_parts(work.result.parts(), [](auto parts) { return &direct_kernel<Kernel, Real, parts(), as>; });
  });
  kernel<<<static_cast<unsigned>((targets + per_block - 1) / per_block), tuning::direct_threads, 0, work.stream>>>(
      work, sources, targets, per_block);
  require_launch("direct");
}

FARFIELD_INSTANTIATE(p2p, NearWork)
template void direct<FARFIELD_KERNEL, float>(const NearWork<float>&, std::int64_t, std::int64_t);
template void direct<FARFIELD_KERNEL, double>(const NearWork<double>&, std::int64_t, std::int64_t);

}  // namespace farfield::cuda

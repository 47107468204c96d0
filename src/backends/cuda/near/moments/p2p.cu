// p2p with dipoles, Hessians or both (tile_sum.hpp): a block per tile of a leaf's targets sums the pairs with the
// sources of every box of the near list. Cost: 22 to 34 instructions and one reciprocal square root per pair.
#include "backends/cuda/near/moments/moments.hpp"
#include "backends/cuda/near/moments/tile_sum.hpp"
#include "backends/cuda/near/source_rows.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {

template <class Kernel, class Real, int parts, int moments, int threads>
__global__ void __launch_bounds__(threads, tuning::moment_residents<Real>(parts) / threads)
    p2p_moments_kernel(const __grid_constant__ NearWork<Real> work) {
  using Sum = MomentSum<Kernel, Real, parts, moments, Softened::no, threads, tuning::targets_per_thread<Real>, Real>;
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

template <class Kernel, class Real>
void p2p_moments(const NearWork<Real>& work, unsigned blocks) {
  if (work.near.most_tiles == 0) return;
  const int threads = work.near.wide ? tuning::wide_tile : tuning::narrow_tile;
  const auto kernel = with_moments(work, [&](auto parts, auto moments) {
    return work.near.wide ? &p2p_moments_kernel<Kernel, Real, parts(), moments(), tuning::wide_tile>
                          : &p2p_moments_kernel<Kernel, Real, parts(), moments(), tuning::narrow_tile>;
  });
  kernel<<<blocks, static_cast<unsigned>(threads), 0, work.stream>>>(work);
  require_launch("p2p_moments");
}

FARFIELD_INSTANTIATE(p2p_moments, NearWork, unsigned)

}  // namespace farfield::cuda

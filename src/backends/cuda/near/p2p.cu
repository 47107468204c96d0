// p2p: the near field. Families of small leaves are summed by p2p_families.cu, all other leaves here: a block per tile
// of a leaf's targets sums the pairs with the sources of every box of the near list.
// Cost: 20 flops and one reciprocal square root per pair (with gradient); sources come through shared memory.
// p2p writes the results; other stages add to them.
#include <algorithm>

#include "backends/cuda/clear_results.hpp"
#include "backends/cuda/near/families/p2p_families.hpp"
#include "backends/cuda/near/moments/moments.hpp"
#include "backends/cuda/near/p2p_lengths.hpp"
#include "backends/cuda/near/p2p_work.hpp"
#include "backends/cuda/near/pair_sum.hpp"
#include "backends/cuda/near/pair_variants.hpp"
#include "backends/cuda/near/source_rows.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {

struct Dynamic {};
/// A block's shared memory: declared, or where sums of several densities take more than a kernel may declare, dynamic.
template <class Shared>
__device__ Shared& memory_of(Shared& declared) {
  return declared;
}
template <class Shared>
__device__ Shared& memory_of(Dynamic&) {
  extern __shared__ __align__(16) unsigned char dynamic[];
  return *reinterpret_cast<Shared*>(dynamic);
}

/// The near boxes of a tile as ranges of the kind that its sources are read by.
template <bool in_leaves, class Real>
__device__ auto ranges_of(const BoxRanges& boxes, [[maybe_unused]] const PairFrame<Real>& frame) {
  if constexpr (in_leaves)
    return LeafRanges{boxes, frame};
  else
    return boxes;
}

/// Are the leaf's targets its sources, in the same order?
template <bool in_leaves, class Real>
__device__ bool are_sources(const NearWork<Real>& work, BoxId leaf) {
  if constexpr (in_leaves) return work.tree.source_begin[leaf] == work.tree.target_begin[leaf];
  return work.alike;
}

template <class Kernel, class Real, int parts, Softened softened, int densities>
constexpr int residents() {
  if (densities > 1) return tuning::moment_residents<Real>(with_hessian);
  return is_plain<Kernel, Real, parts, softened>() ? tuning::gradient_residents : tuning::tile_residents<Real>;
}

/// `n`: targets of a thread; `Source`: LeafSource where sources are targets and images of these.
template <class Kernel, class Real, int parts, int threads, Softened softened, int densities,
          int n = tuning::targets_per_thread<Real>, class Source = std::uint32_t>
__global__ void __launch_bounds__(threads, residents<Kernel, Real, parts, softened, densities>() / threads)
    p2p_kernel(const __grid_constant__ NearWork<Real> work) {
  using Sum = PairSum<Kernel, Real, parts, threads, softened, softened != Softened::no || HasCore<Kernel>, densities, n,
                      Source>;
  constexpr bool in_leaves = std::is_same_v<Source, LeafSource>;
  using Sources = std::conditional_t<in_leaves, LeafSources, RowSources>;
  __shared__ std::conditional_t<densities == 1, typename Sum::Shared, Dynamic> declared;
  __shared__ typename Sources::Shared row;
  typename Sum::Shared& shared = memory_of<typename Sum::Shared>(declared);
  const TreeView& tree = work.tree;
  for (std::int64_t i = blockIdx.x; i < *work.near.tiles; i += gridDim.x) {
    const PairTile tile = work.near.tile[i];
    const BoxId b = tile.box, *items = work.lists.near.items + tile.near_begin;
    if (threadIdx.x == threads - 1)
      shared.frame = make_frame<Kernel, Real>(tree.coordinate(b, 0), tree.coordinate(b, 1), tree.coordinate(b, 2),
                                              tree.lattice.edge(tree.level[b]));
    const BoxRanges ranges{tree, items, tile.near_count};
    Sources sources(ranges_of<in_leaves>(ranges, shared.frame), row);
    Sum sum(work, shared, tile.target, tile.targets, are_sources<in_leaves>(work, b) ? tile.first : Sum::nowhere);
    if (*items == b) sum.guard(row.offset[1]);
    sum.add(sources);
    sum.finish(work.alike);
    __syncthreads();
  }
}

static unsigned blocks_over(std::int64_t most) {
  return static_cast<unsigned>(tuning::p2p_blocks(most, device_limits().multiprocessors));
}

template <class Kernel, class Real, int threads>
static void p2p_tiles(const NearWork<Real>& work) {
  const auto kernel = with_pairs<Kernel>(work, [&](auto of, auto softened, auto parts) {
    using Of = typename decltype(of)::type;
    constexpr int usual = tuning::targets_per_thread<Real>;
    if constexpr (is_plain<Of, Real, parts(), softened()>()) {
      const auto by = [&](auto source) {
        using Source = decltype(source);
        if constexpr (threads == tuning::narrow_tile)
          if (work.near.fives) return &p2p_kernel<Of, Real, parts(), threads, softened(), 1, tuning::five, Source>;
        return &p2p_kernel<Of, Real, parts(), threads, softened(), 1, usual, Source>;
      };
      if (work.in_leaf) return by(LeafSource{});
      return by(std::uint32_t{});
    }
    return &p2p_kernel<Of, Real, parts(), threads, softened(), 1, usual, std::uint32_t>;
  });
  launch_kernel("p2p", kernel, {blocks_over(work.near.most_tiles), threads, 0}, work.stream, work);
}

template <class Kernel, class Real, int threads>
static void p2p_tiles_of_densities(const NearWork<Real>& work) {
  with_parts(work.result.parts(), [&](auto parts) {
    using Sum = PairSum<Kernel, Real, parts(), threads, Softened::no, false, densities_together>;
    launch_kernel("p2p", &p2p_kernel<Kernel, Real, parts(), threads, Softened::no, densities_together>,
                  {blocks_over(work.near.most_tiles), threads, sizeof(typename Sum::Shared)}, work.stream, work);
  });
}

template <class Kernel, class Real, int threads>
static void p2p_by_tiles(const NearWork<Real>& work) {
  if constexpr (Differentiates<Kernel>)
    if (work.densities > 1) return p2p_tiles_of_densities<Kernel, Real, threads>(work);
  p2p_tiles<Kernel, Real, threads>(work);
}

/// How many densities a launch serves.
template <class Kernel, class Real>
static int served(const NearWork<Real>& work) {
  const bool softened = work.softening.length > 0 || work.source_length;
  return Differentiates<Kernel> && work.of(0).plain() && !softened ? densities_together : 1;
}

template <class Kernel, class Real>
void p2p(const NearWork<Real>& work) {
  if (const int most = served<Kernel>(work); work.densities > 1 && work.densities != most)
    return for_each_slice(work, most, p2p<Kernel, Real>);
  if (!work.cleared) clear_results(work);
  if constexpr (Differentiates<Kernel>)
    if (takes_moments(work)) return p2p_moments<Kernel>(work, blocks_over(work.near.most_tiles));
  if constexpr (Kernel::softens)
    if (work.source_length) return p2p_with_lengths<Kernel>(work, blocks_over(work.near.most_tiles));
  if (work.near.most_families > 0) p2p_families<Kernel>(work, blocks_over(work.near.most_families));
  if (work.near.most_tiles == 0) return;
  if (work.near.wide)
    p2p_by_tiles<Kernel, Real, tuning::wide_tile>(work);
  else
    p2p_by_tiles<Kernel, Real, tuning::narrow_tile>(work);
}

FARFIELD_INSTANTIATE(p2p, NearWork)

}  // namespace farfield::cuda

// p2p: the near field. Families of small leaves are summed by p2p_families.cu, all other leaves here: a block per tile
// of a leaf's targets sums the pairs with the sources of every box of the near list.
// Cost: 20 flops and one reciprocal square root per pair (with gradient); sources come through shared memory.
// p2p writes the results; other stages add to them.
#include <algorithm>

#include "backends/cuda/near/p2p_families.hpp"
#include "backends/cuda/near/p2p_work.hpp"
#include "backends/cuda/near/pair_sum.hpp"
#include "backends/cuda/near/pair_variants.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {

/// The sources of all boxes of one row of the near list, up to 32 boxes at a time.
class RowSources {
 public:
  struct Shared {
    std::uint32_t offset[33];  ///< how many sources there are in the boxes before each; the last is the sum
    std::uint32_t first[32];   ///< the box's first source less its offset
  };
  /// By all threads of a block.
  __device__ RowSources(const TreeView& tree, const BoxId* row, int boxes, Shared& shared)
      : tree_(tree), row_(row), boxes_(boxes), shared_(shared) {
    load();
  }
  __device__ bool ready() {
    while (taken_ == shared_.offset[32]) {
      if (boxes_ <= 32) return false;
      boxes_ -= 32;
      row_ += 32;
      taken_ = 0;
      load();
    }
    return true;
  }
  __device__ std::uint32_t left() const { return shared_.offset[32] - taken_; }
  __device__ void take(std::uint32_t count) { taken_ += count; }
  __device__ std::uint32_t operator()(std::uint32_t i) const {
    int box = 0;
    i += taken_;
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
      if (shared_.offset[box + step] <= i) box += step;
    return shared_.first[box] + i;
  }

 private:
  __device__ void load() {
    __syncthreads();
    const int lane = static_cast<int>(threadIdx.x);
    if (lane < 32) {
      const BoxId box = row_[min(lane, boxes_ - 1)];
      const std::int64_t begin = tree_.source_begin[box], end = tree_.source_end[box];
      const auto own = lane < boxes_ ? static_cast<std::uint32_t>(end - begin) : 0u;
      const std::uint32_t length = sum_up_to(lane, own);
      shared_.first[lane] = static_cast<std::uint32_t>(begin) - (length - own);
      shared_.offset[lane + 1] = length;
      if (lane == 0) shared_.offset[0] = 0;
    }
    __syncthreads();
  }

  const TreeView& tree_;
  const BoxId* row_;
  int boxes_;
  Shared& shared_;
  std::uint32_t taken_ = 0;
};

template <class Kernel, class Real, int parts, int threads, Softened softened>
__global__ void __launch_bounds__(threads, tuning::tile_residents<Real> / threads)
    p2p_kernel(const __grid_constant__ NearWork<Real> work) {
  using Sum = PairSum<Kernel, Real, parts, threads, softened, softened != Softened::no || HasCore<Kernel>>;
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

static unsigned blocks_over(std::int64_t most) {
  return static_cast<unsigned>(tuning::p2p_blocks(most, device_limits().multiprocessors));
}

template <class Kernel, class Real, int threads>
static void p2p_tiles(const NearWork<Real>& work) {
  const auto kernel = with_pairs<Kernel>(work, [](auto of, auto softened, auto parts) {
    return &p2p_kernel<typename decltype(of)::type, Real, parts(), threads, softened()>;
  });
  kernel<<<blocks_over(work.near.most_tiles), threads, 0, work.stream>>>(work);
  require_launch("p2p");
}

/// For apart targets only. Where sources are targets, every leaf is in its own near list, and p2p stores its results
/// instead of adding to zeros.
template <class Real>
static void clear_results(const NearWork<Real>& work) {
  for (int part = first_part(work.result.parts()); part < end_part(work.result.parts()); ++part)
    require(cudaMemsetAsync(work.result[part], 0, static_cast<std::size_t>(work.targets) * sizeof(Real), work.stream),
            "cudaMemsetAsync");
}

template <class Kernel, class Real>
void p2p(const NearWork<Real>& work) {
  if (!work.alike) clear_results(work);
  if (work.near.most_families > 0) p2p_families<Kernel>(work, blocks_over(work.near.most_families));
  if (work.near.most_tiles == 0) return;
  if (work.near.wide)
    p2p_tiles<Kernel, Real, tuning::wide_tile>(work);
  else
    p2p_tiles<Kernel, Real, tuning::narrow_tile>(work);
}

FARFIELD_INSTANTIATE(p2p, NearWork)

}  // namespace farfield::cuda

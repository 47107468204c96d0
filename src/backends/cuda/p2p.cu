// p2p: the near field. A block per tile of a leaf's targets gathers the pairs with every box of the near list.
// Cost: 20 flops and one reciprocal square root per pair (with gradient); sources come through shared memory.
// direct: the same for tiles of all targets with all sources.
#include "backends/cuda/check.hpp"
#include "backends/cuda/device.hpp"
#include "backends/cuda/pair_sum.hpp"
#include "backends/cuda/stages.hpp"
#include "kernels/count.hpp"
#include "kernels/laplace3d.hpp"

namespace farfield::cuda {

template <class Kernel, class Real, bool with_gradient>
__global__ void __launch_bounds__(PairShape<Real>::threads) p2p_kernel(Work<Real> work) {
  using Sum = PairSum<Kernel, Real, with_gradient>;
  __shared__ typename Sum::Shared shared;
  if (static_cast<std::int64_t>(blockIdx.x) >= *work.tiles) return;
  const PairTile tile = work.tile[blockIdx.x];
  const TreeView& tree = work.tree;
  const double centre[3] = {tree.coordinate(tile.box, 0), tree.coordinate(tile.box, 1), tree.coordinate(tile.box, 2)};
  const std::int64_t first = tree.target_begin[tile.box] + tile.first, left = tree.target_end[tile.box] - first;
  const int count = left < Sum::most_targets ? static_cast<int>(left) : Sum::most_targets;
  Sum sum(work, make_frame<Real>(centre, tree.lattice.edge(tree.level[tile.box])), shared, first, count);

  constexpr int threads = PairShape<Real>::threads;
  __shared__ std::int64_t listed[2][threads];
  const ListView& near = work.lists.near;
  const std::int64_t last = near.begin[tile.box + 1];
  std::int64_t begin = 0, end = 0;  // boxes that follow one another in memory are one range
  for (std::int64_t i = near.begin[tile.box]; i < last; i += threads) {
    const int batch = last - i < threads ? static_cast<int>(last - i) : threads;
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < batch) {
      const BoxId source = near.items[i + threadIdx.x];
      listed[0][threadIdx.x] = tree.source_begin[source];
      listed[1][threadIdx.x] = tree.source_end[source];
    }
    __syncthreads();
    for (int k = 0; k < batch; ++k) {
      if (listed[0][k] != end) {
        sum.add(begin, end);
        begin = listed[0][k];
      }
      end = listed[1][k];
    }
  }
  sum.add(begin, end);
  sum.finish(false);
}

template <class Kernel, class Real, bool with_gradient, bool softened>
__global__ void __launch_bounds__(PairShape<Real>::threads)
    direct_kernel(Work<Real> work, std::int64_t sources, std::int64_t targets, int per_block) {
  using Sum = PairSum<Kernel, Real, with_gradient, softened>;
  __shared__ typename Sum::Shared shared;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * per_block, left = targets - first;
  PairFrame frame;
  if (sources > 0) {
    const double centre[3] = {work.source[0][0], work.source[1][0], work.source[2][0]};
    frame = make_frame<Real>(centre, 1.0 / 4);
  }
  Sum sum(work, frame, shared, first, left < per_block ? static_cast<int>(left) : per_block);
  sum.add(0, sources);
  sum.finish(true);
}

template <class Kernel, class Real>
void p2p(const Work<Real>& work) {
  if (work.most_tiles == 0) return;
  const auto kernel = work.gradient[0] ? p2p_kernel<Kernel, Real, true> : p2p_kernel<Kernel, Real, false>;
  kernel<<<static_cast<unsigned>(work.most_tiles), PairShape<Real>::threads, 0, work.stream>>>(work);
  require_launch("p2p");
}

template <class Kernel, class Real, bool softened>
static auto direct_kernel_for(const Work<Real>& work) {
  return work.gradient[0] ? direct_kernel<Kernel, Real, true, softened> : direct_kernel<Kernel, Real, false, softened>;
}

template <class Kernel, class Real>
void direct(const Work<Real>& work, std::int64_t sources, std::int64_t targets) {
  if (targets == 0) return;
  int per_block = p2p_tile<Real>;  // fewer where that would leave multiprocessors idle
  while (per_block > 32 && (targets + per_block - 1) / per_block < 8 * device_limits().multiprocessors) per_block /= 2;
  auto kernel = direct_kernel_for<Kernel, Real, false>(work);
  if constexpr (Kernel::softens)
    if (work.softening > 0) kernel = direct_kernel_for<Kernel, Real, true>(work);
  kernel<<<static_cast<unsigned>((targets + per_block - 1) / per_block), PairShape<Real>::threads, 0, work.stream>>>(
      work, sources, targets, per_block);
  require_launch("direct");
}

FARFIELD_INSTANTIATE(p2p)
#define FARFIELD_INSTANTIATE_DIRECT(Kernel, Real) \
  template void direct<Kernel, Real>(const Work<Real>&, std::int64_t, std::int64_t);
FARFIELD_INSTANTIATE_DIRECT(Laplace3d, float)
FARFIELD_INSTANTIATE_DIRECT(Laplace3d, double)
FARFIELD_INSTANTIATE_DIRECT(Count, float)
FARFIELD_INSTANTIATE_DIRECT(Count, double)

}  // namespace farfield::cuda

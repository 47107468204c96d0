// The direct sum with dipoles, Hessians or both (tile_sum.hpp), with any softening: a block per tile of targets.
// Sums of chunks are added up in double, since there are more of them than in a leaf.
#include "backends/cuda/near/moments/moments.hpp"
#include "backends/cuda/near/moments/tile_sum.hpp"
#include "backends/cuda/near/source_rows.hpp"
#include "backends/cuda/near/tile_frame.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {

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

/// Calls f(softened), a constant, for the softening of the work.
template <class Kernel, class Real, class F>
static void with_any_softening(const NearWork<Real>& work, const F& f) {
  if (work.source_length)
    with_lengths<Kernel>(work.softening.kind, f);
  else
    with_softening<Kernel>(work.softening, f);
}

template <class Kernel, class Real>
void direct_moments(const NearWork<Real>& work, std::int64_t sources, std::int64_t targets) {
  const int blocks = tuning::direct_blocks<Real> * device_limits().multiprocessors;
  int per_block = 2 * tuning::direct_threads;
  while (per_block > tuning::fewest_direct_targets && (targets + per_block - 1) / per_block < blocks) per_block /= 2;
  with_any_softening<Kernel>(work, [&](auto softened) {
    const auto kernel = with_moments(work, [](auto parts, auto moments) {
      return &direct_moments_kernel<Kernel, Real, parts(), moments(), decltype(softened)::value>;
    });
    kernel<<<static_cast<unsigned>((targets + per_block - 1) / per_block), tuning::direct_threads, 0, work.stream>>>(
        work, sources, targets, per_block);
  });
  require_launch("direct_moments");
}

FARFIELD_INSTANTIATE(direct_moments, NearWork, std::int64_t, std::int64_t)

}  // namespace farfield::cuda

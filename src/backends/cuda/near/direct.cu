// direct: all targets with all sources. A block per tile of targets, as in p2p.
// Cost: 20 flops and one reciprocal square root per pair of 1/r with gradient; sources come through shared memory.
#include "backends/cuda/near/moments/moments.hpp"
#include "backends/cuda/near/p2p_lengths.hpp"
#include "backends/cuda/near/pair_variants.hpp"
#include "backends/cuda/near/source_rows.hpp"
#include "backends/cuda/near/tile_frame.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {

/// A kernel that falls off within a few of its lengths: no pair is close, but in single a frame of many lengths would
/// round positions too coarsely for the pairs that count. Within 8 lengths of the middle they are rounded to 5e-7 of a
/// length at most, and a pair errs by 0.6 of that. Returns how many of the tile's targets the frame is for.
template <class Kernel, class Real>
__device__ int frame_narrow_tile(const NearWork<Real>& work, std::int64_t first, int count, PairFrame<Real>& frame) {
  constexpr double most_lengths = 16;
  for (;; count /= 2) {
    frame_tile<Kernel>(work, first, count, frame);
    if (sizeof(Real) == 8 || count == 1 || most_lengths * work.parameters.length[0] * frame.factor >= 1) return count;
  }
}

template <class Kernel, class Real, int parts, Softened softened>
__global__ void __launch_bounds__(tuning::direct_threads)
    direct_kernel(const __grid_constant__ NearWork<Real> work, std::int64_t sources, std::int64_t targets,
                  int per_block) {
  using Sum = PairSum<Kernel, Real, parts, tuning::direct_threads, softened, true>;
  __shared__ typename Sum::Shared shared;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * per_block, left = targets - first;
  const int count = left < per_block ? static_cast<int>(left) : per_block;
  const auto sum_tile = [&](std::int64_t from, int own) {
    Sum sum(work, shared, from, own);
    // where no pair is close, sources are read as they lie: in the curve's order each would be four sectors of its own
    AllSources all{FallsOff<Kernel> ? nullptr : work.source_curve, static_cast<std::uint32_t>(sources)};
    sum.add(all);
    sum.finish(true);
  };
  if constexpr (FallsOff<Kernel>) {
    for (int done = 0, own; done < count; done += own) {
      own = frame_narrow_tile<Kernel>(work, first + done, count - done, shared.frame);
      sum_tile(first + done, own);
      __syncthreads();
    }
  } else {
    frame_tile<Kernel>(work, first, count, shared.frame);
    sum_tile(first, count);
  }
}

template <class Kernel, class Real>
void direct(const NearWork<Real>& work, std::int64_t sources, std::int64_t targets) {
  if (targets == 0) return;
  if (work.densities > 1)
    return for_each_slice(work, 1, [&](const NearWork<Real>& one) { direct<Kernel>(one, sources, targets); });
  if constexpr (Differentiates<Kernel>)
    if (takes_moments(work)) return direct_moments<Kernel>(work, sources, targets);
  if constexpr (Kernel::softens)
    if (work.source_length) return direct_with_lengths<Kernel>(work, sources, targets);
  // tiles without close pairs take as long as each other: few full blocks, as in double
  const int each = FallsOff<Kernel> ? tuning::direct_blocks<double> : tuning::direct_blocks<Real>,
            blocks = each * device_limits().multiprocessors;
  int per_block = tuning::targets_per_thread<Real> * tuning::direct_threads;
  while (per_block > tuning::fewest_direct_targets && (targets + per_block - 1) / per_block < blocks) per_block /= 2;
  const auto kernel = with_pairs<Kernel>(work, [](auto of, auto softened, auto parts) {
    return &direct_kernel<typename decltype(of)::type, Real, parts(), softened()>;
  });
  kernel<<<static_cast<unsigned>((targets + per_block - 1) / per_block), tuning::direct_threads, 0, work.stream>>>(
      work, sources, targets, per_block);
  require_launch("direct");
}

FARFIELD_INSTANTIATE(direct, NearWork, std::int64_t, std::int64_t)

}  // namespace farfield::cuda

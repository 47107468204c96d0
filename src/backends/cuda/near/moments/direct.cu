// The direct sum with dipoles, Hessians or both (tile_sum.hpp), with any softening: a block per tile of targets.
#include "backends/cuda/near/moments/launch.hpp"

namespace farfield::cuda {

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
  if (has_core(work)) return direct_cores<Kernel>(work, sources, targets);
  with_any_softening<Kernel>(
      work, [&](auto softened) { launch_direct_moments<Kernel, decltype(softened)::value>(work, sources, targets); });
}

FARFIELD_INSTANTIATE(direct_moments, NearWork, std::int64_t, std::int64_t)

}  // namespace farfield::cuda

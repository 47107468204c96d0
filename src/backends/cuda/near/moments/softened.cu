// p2p with dipoles, Hessians or cores where pairs are softened, and the direct sum with cores (tile_sum.hpp).
// Cost, of pairs with cores: algebraic ones take 10 instructions more than 1/r, Gaussian ones within their reach an
// exponential and two polynomials, 60 more.
#include "backends/cuda/near/moments/launch.hpp"

namespace farfield::cuda {

template <class Kernel, class Real>
void p2p_softened_moments(const NearWork<Real>& work, unsigned blocks) {
  with_softening_or_core<Kernel>(work.softening, [&](auto softened) {
    if constexpr (softened() != Softened::no) launch_p2p_moments<Kernel, decltype(softened)::value>(work, blocks);
  });
}

template <class Kernel, class Real>
void direct_cores(const NearWork<Real>& work, std::int64_t sources, std::int64_t targets) {
  with_softening_or_core<Kernel>(work.softening, [&](auto softened) {
    if constexpr (is_core(softened())) launch_direct_moments<Kernel, decltype(softened)::value>(work, sources, targets);
  });
}

FARFIELD_INSTANTIATE(p2p_softened_moments, NearWork, unsigned)
FARFIELD_INSTANTIATE(direct_cores, NearWork, std::int64_t, std::int64_t)

}  // namespace farfield::cuda

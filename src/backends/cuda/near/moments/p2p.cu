// p2p with dipoles, Hessians or both (tile_sum.hpp): a block per tile of a leaf's targets sums the pairs with the
// sources of every box of the near list. Cost: 22 to 34 instructions and one reciprocal square root per pair.
#include "backends/cuda/near/moments/launch.hpp"

namespace farfield::cuda {

template <class Kernel, class Real>
void p2p_moments(const NearWork<Real>& work, unsigned blocks) {
  if (work.softening.length > 0) return p2p_softened_moments<Kernel>(work, blocks);
  launch_p2p_moments<Kernel, Softened::no>(work, blocks);
}

FARFIELD_INSTANTIATE(p2p_moments, NearWork, unsigned)

}  // namespace farfield::cuda

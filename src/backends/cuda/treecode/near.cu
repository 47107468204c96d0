// p2p of a treecode: the near pairs of its walks (walk_near.hpp).
#include "backends/cuda/stages.hpp"
#include "backends/cuda/treecode/group_sum.hpp"
#include "backends/cuda/treecode/near_lengths.hpp"
#include "backends/cuda/treecode/walk_near.hpp"
#include "kernels/softened.hpp"

namespace farfield::cuda {

template <class Kernel, class Real>
void walk_near(const NearWork<Real>& work) {
  if constexpr (Kernel::softens)
    if (work.source_length) return walk_near_with_lengths<Kernel>(work);
  with_softening<Kernel>(work.softening, [&](auto softened) {
    with_parts(work.result.parts(),
               [&](auto parts) { launch_walk_near<GroupSum<Kernel, Real, parts(), softened()>>(work); });
  });
}

FARFIELD_INSTANTIATE(walk_near, NearWork)

}  // namespace farfield::cuda

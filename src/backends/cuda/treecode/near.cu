// p2p of a treecode: the near pairs of its walks (walk_near.hpp).
#include "backends/cuda/near/pair_variants.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/treecode/group_sum.hpp"
#include "backends/cuda/treecode/near_lengths.hpp"
#include "backends/cuda/treecode/walk_near.hpp"

namespace farfield::cuda {

template <class Kernel, class Real>
void walk_near(const NearWork<Real>& work) {
  if constexpr (Kernel::softens)
    if (work.source_length) return walk_near_with_lengths<Kernel>(work);
  with_pairs<Kernel>(work, [&](auto of, auto softened, auto parts) {
    launch_walk_near<GroupSum<typename decltype(of)::type, Real, parts(), softened()>>(work);
  });
}

FARFIELD_INSTANTIATE(walk_near, NearWork)

}  // namespace farfield::cuda

// Sources as pairs read them where these are targets and images of targets (boxes/images/sources_at_home.hpp).
#pragma once
#include "backends/cuda/near/pair_variants.hpp"
#include "backends/cuda/work.hpp"
#include "kernels/registry.hpp"
#include "model/decision.hpp"

namespace farfield::cuda {

/// Has p2p kernels that read sources so for what a plan sums? A treecode has no near lists.
template <class Real>
bool reads_in_leaf(const Decision& d) {
  const bool plain =
      with_device_kernel(d.kernel, [](auto k) { return is_plain<decltype(k), Real, with_gradient, Softened::no>(); });
  return plain && d.method == Method::fmm && d.parts() == with_gradient && !d.lengths && d.softening == 0;
}

/// Fills NearWork::in_leaf. 16 bytes of a source and three multiply-adds in single take the place of 28 bytes and of
/// differences in double, by each of the 27 leaves about it: p2p of 1.1e6 atoms of water takes 0.92 ms for 1.05.
void place_in_leaves(const NearWork<float>& work);

}  // namespace farfield::cuda

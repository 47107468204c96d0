// l2p: locals of the leaves to their targets; adds to the results. Low degrees in single: l2p_fixed.hpp. Any degree:
// evaluate.hpp. Cost: 10 instructions per target and pair (n, m >= 0) with gradient; 32 bytes per target, 56 with
// gradient.
#include "backends/cuda/far/evaluate.hpp"
#include "backends/cuda/far/l2p_fixed.hpp"
#include "backends/cuda/planar/values.hpp"
#include "backends/cuda/stages.hpp"

namespace farfield::cuda {

template <class Kernel, class Real>
void l2p(const Work<Real>& work) {
  if constexpr (InPlane<typename Kernel::Basis>) {
    planar_l2p<Kernel>(work);
  } else {
    using Basis = typename Kernel::Basis;
    if (with_fixed_degree<Basis, Real, Basis::highest_fixed>(work.tables.degree, [&](auto degree) {
          with_parts(work.result.parts(), [&](auto parts) {
            choose_shape<Kernel, Real, degree(), LowerParts<Kernel, Real, parts()>>(work);
          });
        }))
      return;
    evaluate_any_degree<Kernel, Real, false>(work);
  }
}

FARFIELD_INSTANTIATE(l2p, Work)

}  // namespace farfield::cuda

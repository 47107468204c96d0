// p2m: multipoles of the leaves from charges.
#include "backends/cuda/far/sources/p2m.hpp"
#include "backends/cuda/planar/sums.hpp"
#include "backends/cuda/stages.hpp"

namespace farfield::cuda {

template <class Kernel, class Real>
void p2m(const Work<Real>& work) {
  if constexpr (InPlane<typename Kernel::Basis>)
    planar_p2m<Kernel>(work);
  else
    p2m_in_space<Kernel, 1>(work);
}

FARFIELD_INSTANTIATE(p2m, Work)

}  // namespace farfield::cuda

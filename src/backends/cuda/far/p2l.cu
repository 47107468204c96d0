// p2l: charges of coarser leaves into the locals of smaller boxes.
#include "backends/cuda/far/sources/p2l.hpp"
#include "backends/cuda/planar/sums.hpp"
#include "backends/cuda/stages.hpp"

namespace farfield::cuda {

template <class Kernel, class Real>
void p2l(const Work<Real>& work) {
  if constexpr (InPlane<typename Kernel::Basis>)
    planar_p2l<Kernel>(work);
  else
    p2l_in_space<Kernel, 1>(work);
}

FARFIELD_INSTANTIATE(p2l, Work)

}  // namespace farfield::cuda

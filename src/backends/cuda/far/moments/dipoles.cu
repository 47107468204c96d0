// p2m and p2l of sources that carry a charge and a dipole.
#include "backends/cuda/far/moments/moments.hpp"
#include "backends/cuda/far/sources/p2l.hpp"
#include "backends/cuda/far/sources/p2m.hpp"
#include "backends/cuda/stages.hpp"

namespace farfield::cuda {

template <class Kernel, class Real>
void p2m_of_dipoles(const Work<Real>& work) {
  p2m_in_space<Kernel, with_dipole>(work);
}
template <class Kernel, class Real>
void p2l_of_dipoles(const Work<Real>& work) {
  p2l_in_space<Kernel, with_dipole>(work);
}

FARFIELD_INSTANTIATE(p2m_of_dipoles, Work)
FARFIELD_INSTANTIATE(p2l_of_dipoles, Work)

}  // namespace farfield::cuda

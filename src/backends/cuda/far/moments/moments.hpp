// The far stages of sums with dipoles and Hessians, of kernels that are differentiated (kernels/concept.hpp), in units
// of their own: those of charges' potentials and gradients keep their kernels.
#pragma once
#include "backends/cuda/work.hpp"

namespace farfield::cuda {

template <class Kernel, class Real>
void p2m_of_dipoles(const Work<Real>& work);
template <class Kernel, class Real>
void p2l_of_dipoles(const Work<Real>& work);
/// Parts 4 to 9 of what l2p and m2p add.
template <class Kernel, class Real>
void l2p_of_hessians(const Work<Real>& work);
template <class Kernel, class Real>
void m2p_of_hessians(const Work<Real>& work);

}  // namespace farfield::cuda

// The stages of expansions of the plane that are compiled once; those that meet points are templates beside this file.
#pragma once
#include "backends/cuda/work.hpp"

namespace farfield::cuda {

template <class Real>
void planar_m2m(const Work<Real>& work, int level);
template <class Real>
void planar_m2l(const Work<Real>& work);
template <class Real>
void planar_l2l(const Work<Real>& work, int level);

}  // namespace farfield::cuda

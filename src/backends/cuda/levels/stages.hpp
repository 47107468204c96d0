// The stages of expansions whose tables depend on the level: overloads of those in stages.hpp for LevelWork.
#pragma once
#include "backends/cuda/levels/view.hpp"
#include "backends/cuda/stages.hpp"

namespace farfield::cuda {

template <class Kernel, class Real>
void p2m(const LevelWork<Real>& work);
template <class Real>
void m2m(const LevelWork<Real>& work, int level);
template <class Real>
void m2l(const LevelWork<Real>& work);
template <class Kernel, class Real>
void p2l(const LevelWork<Real>& work);
template <class Real>
void l2l(const LevelWork<Real>& work, int level);
template <class Kernel, class Real>
void l2p(const LevelWork<Real>& work);
template <class Kernel, class Real>
void m2p(const LevelWork<Real>& work);
/// m2p of a treecode.
template <class Kernel, class Real>
void walk_far(const LevelWork<Real>& work);

// What serves one level with its tables in `work`; translations couple all degrees. Compiled beside the stages of one
// set of tables.
/// Parents of `level`; tables of their children.
template <class Real>
void m2m_of_level(const Work<Real>& work, int level);
/// Boxes of `level`.
template <class Real>
void m2l_of_level_by_rotation(const Work<Real>& work, int level);
/// The reduced stencil's parents of `level`; tables of their children.
template <class Real>
void m2l_of_parents_of_level_by_rotation(const Work<Real>& work, int level);
/// Boxes of `level`.
template <class Real>
void l2l_of_level(const Work<Real>& work, int level);

}  // namespace farfield::cuda

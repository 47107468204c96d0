// p2m, p2l, l2p and m2p with tables of the box's level, for any degree: a warp per box (accumulate.hpp, evaluate.hpp).
#include "backends/cuda/far/evaluate.hpp"
#include "backends/cuda/far/sources/p2l.hpp"
#include "backends/cuda/far/sources/p2m.hpp"
#include "backends/cuda/levels/stages.hpp"

namespace farfield::cuda {

template <class Kernel, class Real>
void p2m(const LevelWork<Real>& work) {
  p2m_of_any_degree<Kernel, 1, Real>(work, work.levels.device);
}

template <class Kernel, class Real>
void p2l(const LevelWork<Real>& work) {
  launch_accumulation(work, "p2l", p2l_kernel<Kernel, Real, 1, const TablesView<Real>*>, work.levels.device);
}

template <class Kernel, class Real>
void l2p(const LevelWork<Real>& work) {
  evaluate_any_degree<Kernel, Real, false>(work, work.levels.device);
}

template <class Kernel, class Real>
void m2p(const LevelWork<Real>& work) {
  evaluate_any_degree<Kernel, Real, true>(work, work.levels.device);
}

FARFIELD_INSTANTIATE(p2m, LevelWork)
FARFIELD_INSTANTIATE(p2l, LevelWork)
FARFIELD_INSTANTIATE(l2p, LevelWork)
FARFIELD_INSTANTIATE(m2p, LevelWork)

}  // namespace farfield::cuda

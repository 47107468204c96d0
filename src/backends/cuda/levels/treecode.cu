// m2p of a treecode with tables of the box's level (treecode/any_degree.hpp).
#include "backends/cuda/levels/stages.hpp"
#include "backends/cuda/treecode/any_degree.hpp"

namespace farfield::cuda {

template <class Kernel, class Real>
void walk_far(const LevelWork<Real>& work) {
  walk_any_degree<Kernel, Real>(work, work.levels.device);
}

FARFIELD_INSTANTIATE(walk_far, LevelWork)

}  // namespace farfield::cuda

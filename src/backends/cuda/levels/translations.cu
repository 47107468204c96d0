// m2m, m2l and l2l level by level, each level with its tables. m2l by rotation: a level's operators are 34 translations
// along z, and turns that all levels share.
#include "backends/cuda/levels/stages.hpp"

namespace farfield::cuda {

/// p2m has cleared the multipoles of parents.
template <class Real>
void m2m(const LevelWork<Real>& work, int level) {
  if (work.levels.host[level + 1].m2m.matrix) m2m_of_level(work.of(level + 1), level);
}

template <class Real>
void m2l(const LevelWork<Real>& work) {
  const int levels = work.tree.levels;
  for (int level = 2; level < levels; ++level)
    if (work.levels.host[level].rotation.shift) m2l_of_level(work.of(level), level);
  for (int level = 1; work.reduced && level + 1 < levels; ++level)
    if (work.levels.host[level + 1].rotation.shift) m2l_of_parents_of_level(work.of(level + 1), level);
}

template <class Real>
void l2l(const LevelWork<Real>& work, int level) {
  if (level == 2 && !work.reduced) return;  // nothing is far from boxes of level 1
  if (work.levels.host[level].l2l.matrix) l2l_of_level(work.of(level), level);
}

template void m2m<float>(const LevelWork<float>&, int);
template void m2m<double>(const LevelWork<double>&, int);
template void m2l<float>(const LevelWork<float>&);
template void m2l<double>(const LevelWork<double>&);
template void l2l<float>(const LevelWork<float>&, int);
template void l2l<double>(const LevelWork<double>&, int);

}  // namespace farfield::cuda

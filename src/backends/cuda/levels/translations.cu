// m2m, m2l and l2l level by level, each level with its tables. Without a matrix of m2m the expansions of the parents
// are 0.
#include <type_traits>

#include "backends/cuda/levels/stages.hpp"
#include "backends/cuda/m2l/product.hpp"

namespace farfield::cuda {

/// p2m has cleared the multipoles of parents.
template <class Real>
void m2m(const LevelWork<Real>& work, int level) {
  if (!work.levels.host[level + 1].m2m.matrix) return;
  Work<Real> own = work.of(level + 1);
  own.tensor = work.tensor;  // the operands of the parents' level
  m2m_of_level(own, level);
}

template <class Real>
static void m2l_of_level(const Work<Real>& work, int level) {
  if (work.rotation) return m2l_of_level_by_rotation(work, level);
  if constexpr (std::is_same_v<Real, float>)
    if (work.tensor.ready) return m2l_by_tensor(work);
  product_of_classes<Real>(work, {&work.tables, &work.tables.far, Reach::cousin, work.multipole, work.local, true},
                           level, level + 1);
}

template <class Real>
static void m2l_of_parents(const Work<Real>& work, int level) {
  if (work.rotation) return m2l_of_parents_of_level_by_rotation(work, level);
  product_of_parents<Real>(
      work, {&work.tables, &work.tables.parent, Reach::colleagues_child, work.multipole, work.local, true},
      work.tree.level_begin[level], work.tree.level_begin[level + 1]);
}

template <class Real>
void m2l(const LevelWork<Real>& work) {
  const int levels = work.tree.levels;
  for (int level = 2; level < levels; ++level)
    if (translates(work.levels.host[level])) m2l_of_level(work.of(level), level);
  for (int level = 1; work.reduced && level + 1 < levels; ++level)
    if (translates(work.levels.host[level + 1])) m2l_of_parents(work.of(level + 1), level);
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

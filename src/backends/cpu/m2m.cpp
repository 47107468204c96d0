// m2m: multipoles of parents from their children, one level. M_parent = sum over children of P T P^T M_child, where T
// is the matrix of octant 7 and P the reflection that takes octant 7 to the child's. Cost: (d+1)^4 per child.
#include "backends/cpu/panel.hpp"
#include "backends/cpu/stage_list.hpp"

namespace farfield::cpu::FARFIELD_ISA {

static constexpr BoxId parents_per_block = 64;

template <class Real>
static void clear(const Work<Real>& work, BoxId begin, BoxId end) {
  for (BoxId box = begin; box < end; ++box)
    if (!work.tree.is_leaf(box))
      for (std::int64_t i = 0; i < work.tables.stride; ++i) work.multipole[box * work.tables.stride + i] = 0;
}

template <class Kernel, class Real>
void m2m(const Work<Real>& work, int level) {
  const TreeView& tree = work.tree;
  const BoxId last = tree.level_begin[level + 1];
#pragma omp parallel num_threads(work.threads)
  {
    DenseOperator<Real> op(work.tables);
    op.matrix = {work.tables.m2m, 1, work.tables.coefficients, work.tables.coefficients, work.tables.coefficients};
    PanelQueue<Real, DenseOperator<Real>> queue(work.tables, Real(1), op);
#pragma omp for schedule(dynamic)
    for (BoxId begin = tree.level_begin[level]; begin < last; begin += parents_per_block) {
      const BoxId end = begin + parents_per_block < last ? begin + parents_per_block : last;
      clear(work, begin, end);
      for (int octant = 0; octant < 8; ++octant)
        for (BoxId box = begin; box < end; ++box) {
          const BoxId child = tree.child(box, octant);
          if (child == no_box || tree.source_count(child) == 0) continue;
          queue.push(work.multipole + child * work.tables.stride, work.multipole + box * work.tables.stride,
                     ~octant & 7);
        }
      queue.flush();
    }
  }
}

FARFIELD_INSTANTIATE_LEVEL(m2m)

}  // namespace farfield::cpu::FARFIELD_ISA

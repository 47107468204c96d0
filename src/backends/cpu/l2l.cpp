// l2l: locals of the boxes of one level receive their parent's. The matrix is the transpose of m2m's (both re-expand
// R about a shifted centre), times the ratio of the edges that locals are scaled with: one table serves both.
#include "backends/cpu/panel.hpp"
#include "backends/cpu/stage_list.hpp"

namespace farfield::cpu::FARFIELD_ISA {

static constexpr BoxId children_per_block = 256;

template <class Kernel, class Real>
void l2l(const Work<Real>& work, int level) {
  const TreeView& tree = work.tree;
  const BoxId last = tree.level_begin[level + 1];
#pragma omp parallel num_threads(work.threads)
  {
    DenseOperator<Real> op(work.tables);
    op.matrix = {work.tables.m2m, work.tables.coefficients, 1, work.tables.coefficients, work.tables.coefficients};
    PanelQueue<Real, DenseOperator<Real>> queue(work.tables, static_cast<Real>(Kernel::Basis::l2l_scale), op);
#pragma omp for schedule(dynamic)
    for (BoxId begin = tree.level_begin[level]; begin < last; begin += children_per_block) {
      const BoxId end = begin + children_per_block < last ? begin + children_per_block : last;
      for (int octant = 0; octant < 8; ++octant)
        for (BoxId box = begin; box < end; ++box)
          if (tree.octant[box] == octant && tree.target_count(box) > 0)
            queue.push(work.local + tree.parent[box] * work.tables.stride, work.local + box * work.tables.stride,
                       ~octant & 7);
      queue.flush();
    }
  }
}

FARFIELD_INSTANTIATE_LEVEL(l2l)

}  // namespace farfield::cpu::FARFIELD_ISA

// m2m: multipoles of parents from their children, one level. M_parent = sum over children of P T P^T M_child, where T
// is the matrix of octant 7 and P the reflection that takes octant 7 to the child's. Cost: (d+1)^4 per child.
#include <algorithm>

#include "backends/cpu/far/octants.hpp"
#include "backends/cpu/runtime/blocks.hpp"
#include "backends/cpu/stage_list.hpp"
#include "backends/cpu/tuning.hpp"

namespace farfield::cpu::FARFIELD_ISA {

template <class Real>
static void clear(const Work<Real>& work, BoxId begin, BoxId end) {
  for (int v = 0; v < work.densities; ++v)
    for (BoxId box = begin; box < end; ++box)
      if (!work.tree.is_leaf(box))
        std::fill_n(work.multipole + v * work.expansion_pitch + box * work.tables.stride, work.tables.stride, Real(0));
}

template <class Real>
void m2m(const Work<Real>& work, int level) {
  const TreeView& tree = work.tree;
  const TablesView<Real>& tables = work.tables_of(level + 1);
  const BoxId last = tree.level_begin[level + 1];
  const auto run = [&](ByOctant<Real>& own, std::int64_t start) {
    const BoxId begin = static_cast<BoxId>(start), end = std::min(begin + tuning::m2m_parents, last);
    clear(work, begin, end);
    if (!tables.m2m) return;
    for (int octant = 0; octant < 8; ++octant)
      for (BoxId box = begin; box < end; ++box) {
        const BoxId child = tree.child(box, octant);
        if (child == no_box || tree.source_count(child) == 0) continue;
        for (int v = 0; v < work.densities; ++v) {
          Real* multipole = work.multipole + v * work.expansion_pitch;
          own.queue.push(multipole + child * work.tables.stride, multipole + box * work.tables.stride, ~octant & 7);
        }
      }
    own.queue.flush();
  };
  for_blocks<ByOctant<Real>>({tree.level_begin[level], last, tuning::m2m_parents}, work.threads, run, tables, Real(1),
                             1, tables.coefficients);
}

template void m2m<float>(const Work<float>&, int);
template void m2m<double>(const Work<double>&, int);

}  // namespace farfield::cpu::FARFIELD_ISA

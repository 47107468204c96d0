// l2l: locals of the boxes of one level receive their parent's. The matrix is the transpose of m2m's (both re-expand
// R about a shifted centre), times the ratio of the edges that locals are scaled with: one table serves both.
#include <algorithm>

#include "backends/cpu/far/octants.hpp"
#include "backends/cpu/runtime/blocks.hpp"
#include "backends/cpu/stage_list.hpp"
#include "backends/cpu/tuning.hpp"

namespace farfield::cpu::FARFIELD_ISA {

template <class Real>
void l2l(const Work<Real>& work, int level) {
  const TreeView& tree = work.tree;
  const TablesView<Real>& tables = work.tables_of(level);
  if (!tables.m2m) return;
  const BoxId last = tree.level_begin[level + 1];
  const auto run = [&](ByOctant<Real>& own, std::int64_t start) {
    const BoxId begin = static_cast<BoxId>(start), end = std::min(begin + tuning::l2l_children, last);
    for (int octant = 0; octant < 8; ++octant)
      for (BoxId box = begin; box < end; ++box)
        for (int v = 0; v < work.densities && tree.octant[box] == octant && tree.target_count(box) > 0; ++v) {
          Real* local = work.local + v * work.expansion_pitch;
          own.queue.push(local + tree.parent[box] * work.tables.stride, local + box * work.tables.stride, ~octant & 7);
        }
    own.queue.flush();
  };
  for_blocks<ByOctant<Real>>({tree.level_begin[level], last, tuning::l2l_children}, work.threads, run, tables,
                             tables.l2l_scale, tables.coefficients, 1);
}

template void l2l<float>(const Work<float>&, int);
template void l2l<double>(const Work<double>&, int);

}  // namespace farfield::cpu::FARFIELD_ISA

// l2p: locals of the leaves to their targets. The gradient's expansions are made once per leaf by sparse maps (Gumerov
// & Duraiswami 2008, section 2.3), then four expansions share one recurrence. Adds to the results.
// Cost: 10 flops per coefficient and target with gradient, 4 without.
#include "backends/cpu/far/visitors.hpp"
#include "backends/cpu/runtime/blocks.hpp"
#include "backends/cpu/stage_list.hpp"
#include "backends/cpu/tuning.hpp"

namespace farfield::cpu::FARFIELD_ISA {

template <class Kernel, class Real, int parts>
static void l2p_leaf(const Work<Real>& work, BoxId box, Real* derivative) {
  const TreeView& tree = work.tree;
  const TablesView<Real>& tables = tables_of<typename Kernel::Basis>(work, box);
  const BoxFrame frame(tree, box);
  const auto scale = part_scales<typename Kernel::Basis, Real>(1 / frame.factor, frame.factor);
  const Real* coefficient[4] = {work.local + box * work.tables.stride};
  for (int axis = 0; axis + 1 < end_part(parts); ++axis) {
    Real* map = derivative + axis * work.tables.stride;
    apply(tables.local_gradient[axis], coefficient[0], map);
    coefficient[axis + 1] = map;
  }
  const std::int64_t end = tree.target_end[box];
  for (std::int64_t t = tree.target_begin[box]; t < end; t += lanes<Real>) {
    const int valid = valid_lanes<Real>(t, end);
    const PointVector<Real> u = points_in_box<Real>(work.target, t, valid, frame);
    Evaluate<Kernel, Real, parts> visit(coefficient);
    Kernel::Basis::columns(tables.degree, tables.recurrence, u.x, u.y, u.z, visit);
    for (int part = first_part(parts); part < end_part(parts); ++part)
      deliver(work.result[part] + t, visit.out[part], scale[part], valid);
  }
}

template <class Kernel, class Real>
void l2p(const Work<Real>& work) {
  for_blocks<Scratch<Real>>(
      {0, work.tree.boxes, 1, tuning::leaves_taken}, work.threads, [&](auto& scratch, std::int64_t i) {
        const BoxId box = static_cast<BoxId>(i);
        if (!work.tree.is_leaf(box) || work.tree.target_count(box) == 0) return;
        Real* derivative = scratch.need(3 * work.tables.stride);
        with_parts_of<Kernel>(work.result.parts(),
                              [&](auto parts) { l2p_leaf<Kernel, Real, parts()>(work, box, derivative); });
      });
}

FARFIELD_INSTANTIATE(l2p)

}  // namespace farfield::cpu::FARFIELD_ISA

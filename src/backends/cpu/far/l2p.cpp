// l2p: locals of the leaves to their targets. The gradient's expansions are made once per leaf by sparse maps (Gumerov
// & Duraiswami 2008, section 2.3), then four expansions share one recurrence; so do the Hessian's, whose maps are those
// of the gradient applied twice. Adds to the results.
// Cost: 18 flops per coefficient and target with gradient, 6 without, 44 with the Hessian.
#include "backends/cpu/far/visitors.hpp"
#include "backends/cpu/runtime/blocks.hpp"
#include "backends/cpu/stage_list.hpp"
#include "backends/cpu/tuning.hpp"

namespace farfield::cpu::FARFIELD_ISA {

/// Adds the parts from `first` to `end` of one density: more than six at once would leave the registers.
template <class Kernel, class Real, int first, int end>
static void add_local(const Work<Real>& work, const TablesView<Real>& tables, BoxId box, const Real* const* coefficient,
                      int density) {
  const BoxFrame frame(work.tree, box);
  const auto scale = part_scales<typename Kernel::Basis, Real>(1 / frame.factor, frame.factor);
  const std::int64_t last = work.tree.target_end[box];
  for (std::int64_t t = work.tree.target_begin[box]; t < last; t += lanes<Real>) {
    const int valid = valid_lanes<Real>(t, last);
    const PointVector<Real> u = points_in_box<Real>(work.target, t, valid, frame);
    Evaluate<Kernel, Real, first, end> visit(coefficient);
    Kernel::Basis::columns(tables.degree, tables.recurrence, u.x, u.y, u.z, visit);
    for (int part = first; part < end; ++part)
      deliver(work.result.any(part) + density * work.result_pitch + t, visit.out[part], scale[part], valid);
  }
}

template <class Kernel, class Real, int parts>
static void l2p_leaf(const Work<Real>& work, BoxId box, int density, Real* derivative) {
  const TablesView<Real>& tables = tables_of<typename Kernel::Basis>(work, box);
  const Real* coefficient[most_parts] = {work.local + density * work.expansion_pitch + box * work.tables.stride};
  const auto differentiate = [&](int part, int from, int axis) {
    Real* map = derivative + (part - 1) * work.tables.stride;
    apply(tables.local_gradient[axis], coefficient[from], map);
    coefficient[part] = map;
  };
  constexpr int lower = parts == with_hessian ? with_gradient : end_part(parts);
  for (int axis = 0; axis + 1 < lower; ++axis) differentiate(axis + 1, 0, axis);
  add_local<Kernel, Real, first_part(parts), lower>(work, tables, box, coefficient, density);
  if constexpr (parts == with_hessian) {
    for (int k = 0; k < parts - lower; ++k) differentiate(lower + k, 1 + hessian_axis(k, 0), hessian_axis(k, 1));
    add_local<Kernel, Real, lower, parts>(work, tables, box, coefficient, density);
  }
}

template <class Kernel, class Real>
void l2p(const Work<Real>& work) {
  for_blocks<Scratch<Real>>({0, work.tree.boxes, 1, tuning::leaves_taken}, work.threads,
                            [&](auto& scratch, std::int64_t i) {
                              const BoxId box = static_cast<BoxId>(i);
                              if (!work.tree.is_leaf(box) || work.tree.target_count(box) == 0) return;
                              with_derivatives_of<Kernel>(work.result.parts(), [&](auto parts) {
                                Real* derivative = scratch.need(end_part(parts()) * work.tables.stride);
                                for (int v = 0; v < work.densities; ++v)
                                  l2p_leaf<Kernel, Real, parts()>(work, box, v, derivative);
                              });
                            });
}

FARFIELD_INSTANTIATE(l2p)

}  // namespace farfield::cpu::FARFIELD_ISA

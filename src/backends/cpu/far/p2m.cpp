// p2m: multipoles of the leaves, M_i = sum q R_i(u) + p . grad R_i(u) / edge, u = (y - centre) / edge (Gumerov &
// Duraiswami 2008, eqs. 14-15; dipoles as derivatives of charges). Lanes hold sources; one sum over lanes per
// coefficient and leaf. Cost: 5 flops per coefficient and source, with dipoles 17.
#include "backends/cpu/far/visitors.hpp"
#include "backends/cpu/runtime/blocks.hpp"
#include "backends/cpu/stage_list.hpp"
#include "backends/cpu/tuning.hpp"

namespace farfield::cpu::FARFIELD_ISA {

/// The lanes of every `columns`-th sum.
template <class Kernel, class Real>
static void store_leaf(const Work<Real>& work, BoxId box, const BoxFrame& frame, int density, const Vec<Real>* sum,
                       int columns) {
  Real* out = work.multipole + density * work.expansion_pitch + box * work.tables.stride;
  for (int i = 0; i < work.tables.coefficients; ++i) out[i] = sum_lanes<Real>(sum[i * columns]);
  if constexpr (Logarithmic<typename Kernel::Basis>)
    out[Kernel::Basis::unit_coefficient] = out[0] * minus_log_edge(work, frame);
  for (std::int64_t i = work.tables.coefficients; i < work.tables.stride; ++i) out[i] = 0;
}

template <class Kernel, class Real, int columns>
static void p2m_leaf(const Work<Real>& work, BoxId box, int density, Vec<Real>* sum) {
  const TreeView& tree = work.tree;
  const TablesView<Real>& tables = tables_of<typename Kernel::Basis>(work, box);
  const BoxFrame frame(tree, box);
  const Columns<Real> carried{work, density};
  const std::int64_t end = tree.source_end[box];
  for (int i = 0; i < columns * work.tables.coefficients; ++i) sum[i] = Vec<Real>{};
  for (std::int64_t s = tree.source_begin[box]; s < end; s += lanes<Real>) {
    const int valid = valid_lanes<Real>(s, end);
    const PointVector<Real> u = points_in_box<Real>(work.source, s, valid, frame);
    Accumulate<Kernel, Real, columns> visit(carried, s, valid, sum);
    Kernel::Basis::columns(tables.degree, tables.recurrence, u.x, u.y, u.z, visit);
  }
  constexpr bool dipoles = columns == with_dipole;
  if constexpr (dipoles) add_dipoles(tables.local_gradient, static_cast<Real>(frame.factor), sum);
  for (int c = 0; c < (dipoles ? 1 : columns); ++c)
    store_leaf<Kernel, Real>(work, box, frame, density + c, sum + c, columns);
}

template <class Kernel, class Real>
void p2m(const Work<Real>& work) {
  for_blocks<Scratch<Vec<Real>>>(
      {0, work.tree.boxes, 1, tuning::leaves_taken}, work.threads, [&](auto& scratch, std::int64_t i) {
        const BoxId box = static_cast<BoxId>(i);
        if (!work.tree.is_leaf(box) || work.tree.source_count(box) == 0) return;
        with_columns<Kernel>(work, [&](auto columns, int density) {
          p2m_leaf<Kernel, Real, columns()>(work, box, density, scratch.need(columns() * work.tables.coefficients));
        });
      });
}

FARFIELD_INSTANTIATE(p2m)

}  // namespace farfield::cpu::FARFIELD_ISA

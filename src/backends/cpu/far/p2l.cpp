// p2l: sources of coarser leaves directly into a target box's local, L_i = sum q S_i(u) with S_i(u) = R_i(u / r^2) / r.
// Only adaptive trees have such pairs. Cost: as p2m, per source and list entry.
#include "backends/cpu/far/visitors.hpp"
#include "backends/cpu/runtime/blocks.hpp"
#include "backends/cpu/stage_list.hpp"
#include "backends/cpu/tuning.hpp"

namespace farfield::cpu::FARFIELD_ISA {

template <class Kernel, class Real>
static void add_leaf(const Work<Real>& work, const TablesView<Real>& tables, BoxId source, const BoxFrame& frame,
                     Vec<Real>* sum) {
  using Basis = typename Kernel::Basis;
  const std::int64_t end = work.tree.source_end[source];
  [[maybe_unused]] Vec<Real> minus_log{};
  if constexpr (Logarithmic<Basis>) minus_log = broadcast(minus_log_edge(work, frame));
  for (std::int64_t s = work.tree.source_begin[source]; s < end; s += lanes<Real>) {
    const int valid = valid_lanes<Real>(s, end);
    PointVector<Real> u = points_in_box<Real>(work.source, s, valid, frame);
    const Vec<Real> strengths = strengths_of(work.strength, s, valid);
    if constexpr (Logarithmic<Basis>)
      if (work.result.part[0]) sum[0] += strengths * (Basis::excess(u.x, u.y) + minus_log);
    const Vec<Real> inverse_r = inverse_sqrt(Vec<Real>(u.x * u.x + u.y * u.y + u.z * u.z));
    if constexpr (Inverts<Basis, Vec<Real>>) {
      Vec<Real> weight;
      Basis::invert(u.x, u.y, u.z, weight, inverse_r);
      Accumulate<Kernel, Real> visit{strengths * weight, sum};
      Basis::columns(tables.degree, tables.recurrence, u.x, u.y, u.z, visit);
    } else {
      Accumulate<Kernel, Real> visit{strengths, sum};
      Basis::singular_columns(tables.degree, tables.recurrence, u.x, u.y, u.z, inverse_r, visit);
    }
  }
}

template <class Kernel, class Real>
static void p2l_box(const Work<Real>& work, BoxId box, Vec<Real>* sum) {
  const ListView& list = work.lists.p2l;
  const BoxFrame frame(work.tree, box);
  for (int i = 0; i < work.tables.coefficients; ++i) sum[i] = Vec<Real>{};
  for (std::int64_t k = list.begin[box]; k < list.begin[box + 1]; ++k)
    add_leaf<Kernel, Real>(work, tables_of<typename Kernel::Basis>(work, box), list.items[k], frame, sum);
  Real* out = work.local + box * work.tables.stride;
  for (int i = 0; i < work.tables.coefficients; ++i) out[i] += sum_lanes<Real>(sum[i]);
}

template <class Kernel, class Real>
void p2l(const Work<Real>& work) {
  for_blocks<Scratch<Vec<Real>>>({0, work.tree.boxes, 1, tuning::leaves_taken}, work.threads,
                                 [&](auto& scratch, std::int64_t i) {
                                   const BoxId box = static_cast<BoxId>(i);
                                   if (work.lists.p2l.begin[box] < work.lists.p2l.begin[box + 1])
                                     p2l_box<Kernel, Real>(work, box, scratch.need(work.tables.coefficients));
                                 });
}

FARFIELD_INSTANTIATE(p2l)

}  // namespace farfield::cpu::FARFIELD_ISA

// p2l: sources of coarser leaves directly into a target box's local, L_i = sum q S_i(u) + p . grad S_i(u) / edge with
// S_i(u) = R_i(u / r^2) / r, whose derivatives reach one degree higher. Only adaptive trees have such pairs.
// Cost: as p2m, per source and list entry.
#include "backends/cpu/far/visitors.hpp"
#include "backends/cpu/runtime/blocks.hpp"
#include "backends/cpu/stage_list.hpp"
#include "backends/cpu/tuning.hpp"

namespace farfield::cpu::FARFIELD_ISA {

/// What the sums of a box's sources are made of.
template <class Real>
struct LocalSums {
  int degree, coefficients;  ///< coefficients: of every column
  const Real* recurrence;

  template <class Basis>
  static LocalSums of(const TablesView<Real>& tables, bool dipoles) {
    return {tables.degree + dipoles, dipoles ? Basis::coefficient_count(tables.degree + 1) : tables.coefficients,
            dipoles ? tables.recurrence_next : tables.recurrence};
  }
};

template <class Kernel, class Real, int columns>
static void add_leaf(const Work<Real>& work, const LocalSums<Real>& sums, BoxId source, const BoxFrame& frame,
                     int density, Vec<Real>* sum) {
  using Basis = typename Kernel::Basis;
  const Columns<Real> carried{work, density};
  const std::int64_t end = work.tree.source_end[source];
  [[maybe_unused]] Vec<Real> minus_log{};
  if constexpr (Logarithmic<Basis>) minus_log = broadcast(minus_log_edge(work, frame));
  for (std::int64_t s = work.tree.source_begin[source]; s < end; s += lanes<Real>) {
    const int valid = valid_lanes<Real>(s, end);
    PointVector<Real> u = points_in_box<Real>(work.source, s, valid, frame);
    Accumulate<Kernel, Real, columns> visit(carried, s, valid, sum);
    if constexpr (Logarithmic<Basis>)
      if (work.result.part[0]) sum[0] += visit.q[0] * (Basis::excess(u.x, u.y) + minus_log);
    const Vec<Real> inverse_r = inverse_sqrt(Vec<Real>(u.x * u.x + u.y * u.y + u.z * u.z));
    if constexpr (Inverts<Basis, Vec<Real>>) {
      Vec<Real> weight;
      Basis::invert(u.x, u.y, u.z, weight, inverse_r);
      visit.weigh(weight);
      Basis::columns(sums.degree, sums.recurrence, u.x, u.y, u.z, visit);
    } else {
      Basis::singular_columns(sums.degree, sums.recurrence, u.x, u.y, u.z, inverse_r, visit);
    }
  }
}

template <class Kernel, class Real, int columns>
static void p2l_box(const Work<Real>& work, BoxId box, int density, Scratch<Vec<Real>>& scratch) {
  using Basis = typename Kernel::Basis;
  constexpr bool dipoles = columns == with_dipole;
  const ListView& list = work.lists.p2l;
  const TablesView<Real>& tables = tables_of<Basis>(work, box);
  const BoxFrame frame(work.tree, box);
  const LocalSums<Real> sums = LocalSums<Real>::template of<Basis>(tables, dipoles);
  Vec<Real>* sum = scratch.need(columns * sums.coefficients);
  for (int i = 0; i < columns * sums.coefficients; ++i) sum[i] = Vec<Real>{};
  for (std::int64_t k = list.begin[box]; k < list.begin[box + 1]; ++k)
    add_leaf<Kernel, Real, columns>(work, sums, list.items[k], frame, density, sum);
  if constexpr (dipoles) add_dipoles(tables.multipole_gradient, static_cast<Real>(frame.factor), sum);
  for (int c = 0; c < (dipoles ? 1 : columns); ++c) {
    Real* out = work.local + (density + c) * work.expansion_pitch + box * work.tables.stride;
    for (int i = 0; i < work.tables.coefficients; ++i) out[i] += sum_lanes<Real>(sum[i * columns + c]);
  }
}

template <class Kernel, class Real>
void p2l(const Work<Real>& work) {
  for_blocks<Scratch<Vec<Real>>>(
      {0, work.tree.boxes, 1, tuning::leaves_taken}, work.threads, [&](auto& scratch, std::int64_t i) {
        const BoxId box = static_cast<BoxId>(i);
        if (work.lists.p2l.begin[box] < work.lists.p2l.begin[box + 1])
          with_columns<Kernel>(
              work, [&](auto columns, int density) { p2l_box<Kernel, Real, columns()>(work, box, density, scratch); });
      });
}

FARFIELD_INSTANTIATE(p2l)

}  // namespace farfield::cpu::FARFIELD_ISA

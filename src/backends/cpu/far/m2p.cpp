// m2p: multipoles of finer boxes directly at the targets of a leaf. S_i(u) = R_i(u / r^2) / r, so this is l2p at the
// inverted point; the gradient's expansions reach one degree higher. Only adaptive trees have such pairs.
#include "backends/cpu/far/visitors.hpp"
#include "backends/cpu/runtime/blocks.hpp"
#include "backends/cpu/stage_list.hpp"
#include "backends/cpu/tuning.hpp"

namespace farfield::cpu::FARFIELD_ISA {

/// The multipole of a box, and with gradient its three derivatives, padded to the same degree.
template <class Real, int parts>
static void expand(const Work<Real>& work, const TablesView<Real>& tables, BoxId source, std::int64_t pitch,
                   Real* coefficient) {
  const Real* multipole = work.multipole + source * tables.stride;
  for (std::int64_t i = 0; i < pitch; ++i) coefficient[i] = i < tables.coefficients ? multipole[i] : 0;
  for (int axis = 0; axis + 1 < end_part(parts); ++axis)
    apply(tables.multipole_gradient[axis], multipole, coefficient + (axis + 1) * pitch);
}

template <class Kernel, class Real, int parts>
static void add_box(const Work<Real>& work, BoxId box, BoxId source, std::int64_t pitch, Real* scratch) {
  using Basis = typename Kernel::Basis;
  const TreeView& tree = work.tree;
  const TablesView<Real>& tables = tables_of<Basis>(work, source);
  const BoxFrame frame(tree, source);
  const auto scale = part_scales<typename Kernel::Basis, Real>(1 / frame.factor, frame.factor);
  expand<Real, parts>(work, tables, source, pitch, scratch);
  const Real* coefficient[4] = {scratch, scratch + pitch, scratch + 2 * pitch, scratch + 3 * pitch};
  const int degree = tables.degree + (parts > 1);
  const Real* recurrence = parts > 1 ? tables.recurrence_next : tables.recurrence;
  const std::int64_t end = tree.target_end[box];
  for (std::int64_t t = tree.target_begin[box]; t < end; t += lanes<Real>) {
    const int valid = valid_lanes<Real>(t, end);
    PointVector<Real> u = points_in_box<Real>(work.target, t, valid, frame);
    Vec<Real> weight, logarithm = {};
    constexpr bool has_logarithm = Logarithmic<typename Kernel::Basis> && parts != gradient_alone;
    if constexpr (has_logarithm)
      logarithm = coefficient[0][0] * Kernel::Basis::excess(u.x, u.y) + coefficient[0][Kernel::Basis::unit_coefficient];
    const Vec<Real> inverse_r = inverse_sqrt(Vec<Real>(u.x * u.x + u.y * u.y + u.z * u.z));
    Evaluate<Kernel, Real, parts> visit(coefficient);
    if constexpr (Inverts<Basis, Vec<Real>>) {
      Basis::invert(u.x, u.y, u.z, weight, inverse_r);
      Basis::columns(degree, recurrence, u.x, u.y, u.z, visit);
    } else {
      weight = Vec<Real>{} + Real(1);
      Basis::singular_columns(degree, recurrence, u.x, u.y, u.z, inverse_r, visit);
    }
    if constexpr (has_logarithm) visit.out[0] += logarithm;
    for (int part = first_part(parts); part < end_part(parts); ++part)
      deliver<Real>(work.result[part] + t, visit.out[part] * weight, scale[part], valid);
  }
}

template <class Kernel, class Real>
void m2p(const Work<Real>& work) {
  const ListView& list = work.lists.m2p;
  const std::int64_t pitch = Kernel::Basis::coefficient_count(work.tables.degree + 1);
  for_blocks<Scratch<Real>>({0, work.tree.boxes, 1, tuning::leaves_taken}, work.threads,
                            [&](auto& memory, std::int64_t i) {
                              const BoxId box = static_cast<BoxId>(i);
                              Real* scratch = memory.need(4 * pitch);
                              for (std::int64_t k = list.begin[box]; k < list.begin[box + 1]; ++k)
                                with_parts_of<Kernel>(work.result.parts(), [&](auto parts) {
                                  add_box<Kernel, Real, parts()>(work, box, list.items[k], pitch, scratch);
                                });
                            });
}

FARFIELD_INSTANTIATE(m2p)

}  // namespace farfield::cpu::FARFIELD_ISA

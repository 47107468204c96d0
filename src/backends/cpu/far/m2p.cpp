// m2p: multipoles of finer boxes directly at the targets of a leaf. S_i(u) = R_i(u / r^2) / r, so this is l2p at the
// inverted point; the gradient's expansions reach one degree higher, the Hessian's two. Only adaptive trees have such
// pairs.
#include <algorithm>

#include "backends/cpu/far/visitors.hpp"
#include "backends/cpu/runtime/blocks.hpp"
#include "backends/cpu/stage_list.hpp"
#include "backends/cpu/tuning.hpp"

namespace farfield::cpu::FARFIELD_ISA {

/// The multipole of a box, and its derivatives, [parts][pitch].
template <class Real, int parts>
static void expand(const TablesView<Real>& tables, const Real* multipole, std::int64_t pitch, Real* coefficient) {
  for (std::int64_t i = 0; i < pitch; ++i) coefficient[i] = i < tables.coefficients ? multipole[i] : 0;
  for (int axis = 0; axis + 1 < end_part(parts) && axis < 3; ++axis)
    apply(tables.multipole_gradient[axis], multipole, coefficient + (axis + 1) * pitch);
  for (int part = with_gradient; part < end_part(parts); ++part) {
    const int k = part - with_gradient, i = hessian_axis(k, 0), j = hessian_axis(k, 1);
    apply(tables.gradient_of_gradient[j], coefficient + (i + 1) * pitch, coefficient + part * pitch);
  }
}

/// The parts from `first` to `end` of one density, whose expansions have this degree.
template <class Kernel, class Real, int first, int end>
static void add_multipole(const Work<Real>& work, BoxId box, const BoxFrame& frame, int degree, const Real* recurrence,
                          const Real* const* coefficient, int density) {
  using Basis = typename Kernel::Basis;
  const auto scale = part_scales<Basis, Real>(1 / frame.factor, frame.factor);
  const std::int64_t last = work.tree.target_end[box];
  for (std::int64_t t = work.tree.target_begin[box]; t < last; t += lanes<Real>) {
    const int valid = valid_lanes<Real>(t, last);
    PointVector<Real> u = points_in_box<Real>(work.target, t, valid, frame);
    Vec<Real> weight, logarithm = {};
    constexpr bool has_logarithm = Logarithmic<Basis> && first == 0;
    if constexpr (has_logarithm)
      logarithm = coefficient[0][0] * Basis::excess(u.x, u.y) + coefficient[0][Basis::unit_coefficient];
    const Vec<Real> inverse_r = inverse_sqrt(Vec<Real>(u.x * u.x + u.y * u.y + u.z * u.z));
    Evaluate<Kernel, Real, first, end> visit(coefficient);
    if constexpr (Inverts<Basis, Vec<Real>>) {
      Basis::invert(u.x, u.y, u.z, weight, inverse_r);
      Basis::columns(degree, recurrence, u.x, u.y, u.z, visit);
    } else {
      weight = Vec<Real>{} + Real(1);
      Basis::singular_columns(degree, recurrence, u.x, u.y, u.z, inverse_r, visit);
    }
    if constexpr (has_logarithm) visit.out[0] += logarithm;
    for (int part = first; part < end; ++part)
      deliver<Real>(work.result.any(part) + density * work.result_pitch + t, visit.out[part] * weight, scale[part],
                    valid);
  }
}

template <class Kernel, class Real, int parts>
static void add_box(const Work<Real>& work, BoxId box, BoxId source, int density, std::int64_t pitch, Real* scratch) {
  const TablesView<Real>& tables = tables_of<typename Kernel::Basis>(work, source);
  const BoxFrame frame(work.tree, source);
  expand<Real, parts>(tables, work.multipole + density * work.expansion_pitch + source * tables.stride, pitch, scratch);
  const Real* coefficient[most_parts];
  for (int part = 0; part < most_parts; ++part) coefficient[part] = scratch + part * pitch;
  constexpr int lower = parts == with_hessian ? with_gradient : end_part(parts);
  add_multipole<Kernel, Real, first_part(parts), lower>(work, box, frame, tables.degree + (parts > 1),
                                                        parts > 1 ? tables.recurrence_next : tables.recurrence,
                                                        coefficient, density);
  if constexpr (parts == with_hessian)
    add_multipole<Kernel, Real, lower, parts>(work, box, frame, tables.degree + 2, tables.recurrence_after, coefficient,
                                              density);
}

template <class Kernel, class Real>
void m2p(const Work<Real>& work) {
  const ListView& list = work.lists.m2p;
  for_blocks<Scratch<Real>>(
      {0, work.tree.boxes, 1, tuning::leaves_taken}, work.threads, [&](auto& memory, std::int64_t i) {
        const BoxId box = static_cast<BoxId>(i);
        with_derivatives_of<Kernel>(work.result.parts(), [&](auto parts) {
          constexpr int order = order_of(end_part(parts()) - 1);
          const std::int64_t pitch = Kernel::Basis::coefficient_count(work.tables.degree + std::max(order, 1));
          Real* scratch = memory.need(most_parts * pitch);
          for (std::int64_t k = list.begin[box]; k < list.begin[box + 1]; ++k)
            for (int v = 0; v < work.densities; ++v)
              add_box<Kernel, Real, parts()>(work, box, list.items[k], v, pitch, scratch);
        });
      });
}

FARFIELD_INSTANTIATE(m2p)

}  // namespace farfield::cpu::FARFIELD_ISA

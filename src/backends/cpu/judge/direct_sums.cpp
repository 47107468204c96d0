// Direct sums in double at a few targets (judge/direct_sum.hpp): eight targets in every evaluation, for its condition.
// Blocks of 512 sources keep rounding far below any tolerance that double can promise.
#include <algorithm>

#include "backends/cpu/judge/moment_sums.hpp"
#include "backends/cpu/stage_list.hpp"
#include "backends/cpu/tuning.hpp"
#include "core/least_square.hpp"
#include "kernels/inverse_square.hpp"
#include "kernels/softened.hpp"

namespace farfield::cpu::FARFIELD_ISA {

/// Sums over sources, one at a time (V = double) or one per lane (V = Vec<double>).
template <class Kernel, class V>
struct Sums {
  const Kernel kernel;
  V part[with_gradient]{}, lacking[with_gradient]{}, abs_u{}, abs_g{}, square_u{}, square_g{}, near{};

  explicit Sums(const KernelParameters& parameters) : kernel(kernel_of<Kernel>(parameters)) {}

  /// Leaves out pairs that are too near (least_square); `near` becomes positive unless the points of these coincide.
  FARFIELD_INLINE void add(V dx, V dy, V dz, V strength, double to2) {
    const V distance2 = dx * dx + dy * dy + dz * dz, one = V{} + 1.0;
    const auto summed = distance2 > (Kernel::singular ? least_square<double> : -1.0);
    const V r2 = summed ? distance2 : one, q = summed ? strength : V{};
    V out[4] = {};
    kernel.template pair<4>(r2, dx, dy, dz, q, out);
    if constexpr (OfInverseDistance<Kernel>)
      take(out, pair_terms(kernel, r2, dx, dy, dz, q));
    else
      take(out, terms_of(out));
    if constexpr (HasCore<Kernel>) add_lacking(out, r2, dx, dy, dz, q, to2);
    if constexpr (CountsCoincident<Kernel>) add_coincident(distance2, strength);
    near += summed ? V{} : Math<V>::absolute(dx) + Math<V>::absolute(dy) + Math<V>::absolute(dz);
  }

  /// What the expansions, which have no core, add to a pair beyond the square root of `to2`.
  FARFIELD_INLINE void add_lacking(const V out[4], V r2, V dx, V dy, V dz, V q, double to2) {
    constexpr int parts = CountsCoincident<Kernel> ? with_gradient : gradient_alone;
    V point[4] = {};
    kernel_of<Kernel>(kernel.bare()).template pair<parts>(r2, dx, dy, dz, q, point);
    for (int e = first_part(parts); e < with_gradient; ++e) lacking[e] += r2 > to2 ? point[e] - out[e] : V{};
  }

  FARFIELD_INLINE void add_coincident(V distance2, V strength) {
    const V value = distance2 > 0.0 ? V{} : strength * Math<V>::constant(kernel.at_no_distance());
    part[0] += value, abs_u += Math<V>::absolute(value), square_u += value * value;
  }

  /// Adds a softened pair. Sources that coincide with the target contribute to the potential.
  /// Those farther than the square root of `to2` also go to `lacking`.
  FARFIELD_INLINE void add_softened(V dx, V dy, V dz, V q, double square, double at_no_distance, double to2) {
    const V distance2 = dx * dx + dy * dy + dz * dz, one = V{} + 1.0;
    const auto distinct = distance2 > 0.0;
    V out[4] = {};
    kernel.template pair<4>(distinct ? distance2 + square : one, dx, dy, dz, distinct ? q : V{}, out);
    out[0] = distinct ? out[0] : q * at_no_distance;
    take(out, terms_of(out));
    const auto beyond = distance2 > to2;
    V newton[4] = {};
    kernel.template pair<4>(beyond ? distance2 : one, dx, dy, dz, beyond ? q : V{}, newton);
    for (int e = 0; e < with_gradient; ++e) lacking[e] += beyond ? newton[e] - out[e] : V{};
  }

  /// The same of points with lengths, `square` that of the pair. Leaves out pairs too near like `add`.
  FARFIELD_INLINE void add_with_lengths(V dx, V dy, V dz, V strength, V square, double to2) {
    const V distance2 = dx * dx + dy * dy + dz * dz, soft2 = distance2 + square, one = V{} + 1.0;
    const auto summed = distance2 > least_square<double>;
    const V r2 = summed ? distance2 : one, q = summed ? strength : V{};
    V out[4] = {}, newton[4] = {};
    kernel.template pair<4>(summed ? soft2 : one, dx, dy, dz, q, out);
    take(out, terms_of(out));
    kernel.template pair<4>(r2, dx, dy, dz, q, newton);
    for (int e = 0; e < with_gradient; ++e) lacking[e] += r2 > to2 ? newton[e] - out[e] : V{};
    near += summed ? V{} : one;
  }

  /// Adds a pair softened by the spline. Leaves out pairs that are too near, coincident ones included, like `add`.
  FARFIELD_INLINE void add_spline(V dx, V dy, V dz, V strength, V inverse_reach) {
    const V distance2 = dx * dx + dy * dy + dz * dz, one = V{} + 1.0;
    const auto summed = distance2 > least_square<double>;
    const V r2 = summed ? distance2 : one;
    V out[4] = {};
    Kernel::template of_spline<4>(Math<V>::inverse_sqrt(r2), r2, inverse_reach, summed ? strength : V{}, dx, dy, dz,
                                  out);
    take(out, terms_of(out));
    near += summed ? V{} : one;
  }

  /// The same of a pair with a core, to `lacking` as Plummer's.
  template <Softened softened>
  FARFIELD_INLINE void add_core(V dx, V dy, V dz, V strength, V softening, double to2) {
    const V distance2 = dx * dx + dy * dy + dz * dz, one = V{} + 1.0;
    const auto summed = distance2 > least_square<double>;
    const V r2 = summed ? distance2 : one, q = summed ? strength : V{};
    V out[4] = {}, newton[4] = {};
    moments_pair<Kernel, 4, 1, softened>(r2, softening, q, {}, dx, dy, dz, out);
    take(out, terms_of(out));
    kernel.template pair<4>(r2, dx, dy, dz, q, newton);
    for (int e = 0; e < with_gradient; ++e) lacking[e] += r2 > to2 ? newton[e] - out[e] : V{};
    near += summed ? V{} : one;
  }

  FARFIELD_INLINE void take(const V out[4], const PairTerms<V>& terms) {
    for (int e = 0; e < with_gradient; ++e) part[e] += out[e];
    abs_u += terms.potential, abs_g += terms.gradient;
    square_u += terms.potential * terms.potential, square_g += terms.gradient * terms.gradient;
  }
};

static FARFIELD_INLINE double all_lanes(double x) { return x; }
static FARFIELD_INLINE double all_lanes(const Vec<double>& x) { return sum_lanes<double>(x); }

/// Returns whether pairs of points that do not coincide were left out as too near.
template <class Kernel, class V>
static FARFIELD_INLINE bool add_to(const Sums<Kernel, V>& sums, DirectSum& sum) {
  for (int e = 0; e < with_gradient; ++e) sum.part[e] += all_lanes(sums.part[e]);
  for (int e = 0; e < with_gradient; ++e) sum.missing[e] += all_lanes(sums.lacking[e]);
  sum.absolute[0] += all_lanes(sums.abs_u), sum.absolute[1] += all_lanes(sums.abs_g);
  sum.square[0] += all_lanes(sums.square_u), sum.square[1] += all_lanes(sums.square_g);
  return all_lanes(sums.near) > 0;
}

template <class Kernel, class V, int parts>
static FARFIELD_INLINE bool add_to(const MomentSums<Kernel, V, parts>& sums, DirectSum& sum) {
  for (int e = 0; e < parts; ++e) sum.part[e] += all_lanes(sums.part[e]);
  for (int e = 0; e < parts; ++e) sum.missing[e] += all_lanes(sums.lacking[e]);
  for (int order = 0; order < sums.orders; ++order) {
    sum.absolute[order] += all_lanes(sums.absolute[order]);
    sum.square[order] += all_lanes(sums.square[order]);
  }
  return all_lanes(sums.near) > 0;
}

/// Sums over sources [begin, end) at x by add(sums, dx, dy, dz, strength, j), j the number of the first of them, in
/// whole vectors and then one by one.
template <class Many, class Few, class Add>
static FARFIELD_INLINE bool sum_block(const DirectInput& in, const double x[3], std::int64_t begin, std::int64_t end,
                                      DirectSum& sum, const Add& add) {
  Many many(in.parameters);
  Few few(in.parameters);
  std::int64_t j = begin;
  for (; j + lanes<double> <= end; j += lanes<double>)
    add(many, x[0] - load(in.source[0] + j), x[1] - load(in.source[1] + j), x[2] - load(in.source[2] + j),
        load(in.strength + j), j);
  for (; j < end; ++j)
    add(few, x[0] - in.source[0][j], x[1] - in.source[1][j], x[2] - in.source[2][j], in.strength[j], j);
  const bool near = add_to(many, sum);
  return add_to(few, sum) || near;
}

/// The target of a sum: where it lies, and its softening length, if points have them.
struct At {
  double x[3], length;
};

/// Adds the pairs of the target with sources [begin, end) that `add` and its like leave out.
template <class Kernel, Softened softened>
static void add_near_pairs(const DirectInput& in, const At& at, std::int64_t begin, std::int64_t end, DirectSum& sum) {
  Sums<Kernel, double> near(in.parameters);
  for (std::int64_t j = begin; j < end; ++j) {
    const double d[3] = {at.x[0] - in.source[0][j], at.x[1] - in.source[1][j], at.x[2] - in.source[2][j]};
    if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > least_square<double>) continue;
    double out[4] = {0, 0, 0, 0};
    if constexpr (has_lengths(softened))
      nearest_softened_pair<Kernel, 4, softened>(pair_length<softened>(at.length, in.source_length[j]), d[0], d[1],
                                                 d[2], in.strength[j], out);
    else if constexpr (is_core(softened))
      nearest_moments_pair<Kernel, 4, 1, softened>(in.softening.length, d, in.strength[j], {0, 0, 0}, out);
    else if constexpr (softened == Softened::spline)
      nearest_spline_pair<Kernel, 4>(in.softening.length, d[0], d[1], d[2], in.strength[j], out);
    else
      nearest_pair<Kernel, 4>(in.parameters, d[0], d[1], d[2], in.strength[j], out);
    near.take(out, {std::fabs(out[0]), std::hypot(out[1], out[2], out[3])});
  }
  add_to(near, sum);
}

/// Adds the sources [begin, end), block by block. Softened, none of them is the target itself.
template <class Kernel, Softened softened>
static void add_blocks(const DirectInput& in, const At& at, std::int64_t begin, std::int64_t end, DirectSum& sum) {
  const double length = in.softening.length, square = length * length, inverse = 1 / length,
               to2 = in.softened_to * in.softened_to,
               at_no_distance = softened == Softened::plummer ? softened_at_no_distance<Kernel>(length) : 0;
  const auto add = [&](auto& sums, auto dx, auto dy, auto dz, auto q, [[maybe_unused]] std::int64_t j) {
    using V = decltype(q);
    if constexpr (softened == Softened::plummer) sums.add_softened(dx, dy, dz, q, square, at_no_distance, to2);
    if constexpr (softened == Softened::spline) sums.add_spline(dx, dy, dz, q, V{} + inverse);
    if constexpr (is_core(softened))
      sums.template add_core<softened>(dx, dy, dz, q, V{} + (has_reach(softened) ? inverse : square), to2);
    if constexpr (has_lengths(softened)) {
      const V other = read_lanes(in.source_length + j, q), own = V{} + at.length;
      if constexpr (softened == Softened::plummer_lengths)
        sums.add_with_lengths(dx, dy, dz, q, (own * own + other * other) * 0.5, to2);
      else
        sums.add_spline(dx, dy, dz, q, 1 / (own > other ? own : other));
    }
    if constexpr (softened == Softened::no) sums.add(dx, dy, dz, q, to2);
  };
  for (std::int64_t j = begin; j < end; j += tuning::checked_sources) {
    const std::int64_t last = std::min(j + tuning::checked_sources, end);
    if (sum_block<Sums<Kernel, Vec<double>>, Sums<Kernel, double>>(in, at.x, j, last, sum, add))
      add_near_pairs<Kernel, softened>(in, at, j, last, sum);
  }
}

/// The same of sources with dipoles, or with the Hessian.
template <class Kernel, Softened softened, int parts>
static void add_moment_blocks(const DirectInput& in, const At& at, std::int64_t begin, std::int64_t end,
                              DirectSum& sum) {
  const auto length_of = [&](std::int64_t j) {
    if constexpr (has_lengths(softened)) return pair_length<softened>(at.length, in.source_length[j]);
    return in.softening.length;
  };
  const auto add = [&](auto& sums, auto dx, auto dy, auto dz, auto q, std::int64_t j) {
    using V = decltype(q);
    V p[3] = {},
      softening = V{} + (has_reach(softened) ? 1 / in.softening.length : in.softening.length * in.softening.length);
    for (int axis = 0; axis < 3; ++axis)
      if (in.dipole[axis]) p[axis] = read_lanes(in.dipole[axis] + j, q);
    if constexpr (has_lengths(softened)) {
      const V other = read_lanes(in.source_length + j, q), own = V{} + at.length;
      softening = is_spline(softened) ? 1 / (own > other ? own : other) : (own * own + other * other) * 0.5;
    }
    sums.template add<softened>(dx, dy, dz, q, p, softening, in.softened_to * in.softened_to);
  };
  for (std::int64_t j = begin; j < end; j += tuning::checked_sources) {
    const std::int64_t last = std::min(j + tuning::checked_sources, end);
    using Few = MomentSums<Kernel, double, parts>;
    if (!sum_block<MomentSums<Kernel, Vec<double>, parts>, Few>(in, at.x, j, last, sum, add)) continue;
    Few near(in.parameters);
    for (std::int64_t s = j; s < last; ++s) {
      const double d[3] = {at.x[0] - in.source[0][s], at.x[1] - in.source[1][s], at.x[2] - in.source[2][s]};
      if (!(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > least_square_of_moments<double>))
        add_nearest_moments<Kernel, softened>(in, d, length_of(s), s, near);
    }
    add_to(near, sum);
  }
}

/// The source that is the target itself; the number of sources if there is none.
static std::int64_t self_of(const DirectInput& in, std::int64_t target) {
  const std::int64_t index = in.target_order[target] - in.self_from;
  if (target < in.sources && in.source_order[target] == index) return target;
  return index < 0 ? in.sources : std::find(in.source_order, in.source_order + in.sources, index) - in.source_order;
}

template <class Kernel, Softened softened>
static void add_sum_at(const DirectInput& in, std::int64_t target, DirectSum& sum) {
  const At at{{in.target[0][target], in.target[1][target], in.target[2][target]},
              has_lengths(softened) ? in.target_length[target] : 0};
  const std::int64_t self = softened == Softened::no ? in.sources : self_of(in, target);
  for (const auto& [begin, end] : {std::pair<std::int64_t, std::int64_t>{0, self}, {self + 1, in.sources}}) {
    if constexpr (Differentiates<Kernel>)
      if (in.hessian || in.dipole[0]) {
        if (in.hessian)
          add_moment_blocks<Kernel, softened, with_hessian>(in, at, begin, end, sum);
        else
          add_moment_blocks<Kernel, softened, with_gradient>(in, at, begin, end, sum);
        continue;
      }
    add_blocks<Kernel, softened>(in, at, begin, end, sum);
  }
}

template <class Kernel>
static void sum_at_all(const DirectInput& in, const std::int64_t* targets, std::int64_t count, DirectSum* sums) {
  const auto sum_all = [&](auto softened) {
#pragma omp parallel for schedule(dynamic) num_threads(in.threads)
    for (std::int64_t k = 0; k < count; ++k) add_sum_at<Kernel, softened()>(in, targets[k], sums[k]);
  };
  if (in.source_length)
    with_lengths<Kernel>(in.softening.kind, sum_all);
  else
    with_softening_or_core<Kernel>(in.softening, sum_all);
}

template <class Kernel>
void direct_sums(const DirectInput& in, const std::int64_t* targets, std::int64_t count, DirectSum* sums) {
  with_blobs<Kernel>(in.parameters, in.potential,
                     [&]<class K>(std::type_identity<K>) { sum_at_all<K>(in, targets, count, sums); });
}

#define FARFIELD_DIRECT_SUMS(Kernel) \
  template void direct_sums<Kernel>(const DirectInput&, const std::int64_t*, std::int64_t, DirectSum*);
FARFIELD_EACH_KERNEL(FARFIELD_DIRECT_SUMS)

}  // namespace farfield::cpu::FARFIELD_ISA

// Direct sums in double of sources with dipoles, and of Hessians: what direct_sums.cpp adds up in their place. One way
// for all, with four moments. Hessians are left out where they are not asked for: eight targets in every evaluation took
// a tenth of one with dipoles at 1e-3, twice the time of the other parts alone.
#pragma once
#include "backends/cpu/runtime/simd.hpp"
#include "judge/direct_sum.hpp"
#include "kernels/moments.hpp"

namespace farfield::cpu::FARFIELD_ISA {

static FARFIELD_INLINE double read_lanes(const double* from, double) { return *from; }
static FARFIELD_INLINE Vec<double> read_lanes(const double* from, const Vec<double>&) { return load(from); }

/// Sums over sources, one at a time (V = double) or one per lane (V = Vec<double>).
template <class Kernel, class V, int parts>
struct MomentSums {
  static constexpr int orders = order_of(parts - 1) + 1;
  V part[parts]{}, lacking[parts]{}, absolute[orders]{}, square[orders]{}, near{};

  explicit MomentSums(const KernelParameters& /*none*/) {}

  /// Leaves out pairs that are too near, coincident ones included; `near` becomes positive unless these are no pairs.
  /// What 1/r adds to softened pairs farther than the square root of `to2` goes to `lacking`.
  template <Softened softened>
  FARFIELD_INLINE void add(V dx, V dy, V dz, V strength, const V (&dipole)[3], V softening, double to2) {
    const V distance2 = dx * dx + dy * dy + dz * dz, one = V{} + 1.0;
    const auto summed = distance2 > least_square_of_moments<double>;
    const V r2 = summed ? distance2 : one, q = summed ? strength : V{};
    const V p[3] = {summed ? dipole[0] : V{}, summed ? dipole[1] : V{}, summed ? dipole[2] : V{}};
    V out[parts] = {};
    moments_pair<Kernel, parts, with_dipole, softened>(r2, softening, q, p, dx, dy, dz, out);
    take(out, inverse_of<softened>(r2, softening), q, p);
    if constexpr (!is_spline(softened) && softened != Softened::no) add_lacking(out, r2, q, p, dx, dy, dz, to2);
    near += summed ? V{} : softened == Softened::no ? distance_of(dx, dy, dz) : one;
  }

  /// A pair's terms count with bounds, those of 1/r: (|q| + |p|/r)/r, (|q| + 2 |p|/r)/r^2 and
  /// (6^(1/2) |q| + 54^(1/2) |p|/r)/r^3, which pairs attain whose dipole points along d. A dipole across d has no
  /// potential, but rounding and expansions err by a part of the bound all the same.
  FARFIELD_INLINE void take(const V (&out)[parts], V inverse, V q, const V (&p)[3]) {
    const V charge = Math<V>::absolute(q) * inverse;
    const V dipole = Math<V>::square_root(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) * (inverse * inverse);
    const V terms[farfield::orders] = {
        charge + dipole, (charge + 2 * dipole) * inverse,
        (charge * 2.449489742783178 + dipole * 7.3484692283495345) * (inverse * inverse)};
    for (int k = 0; k < parts; ++k) part[k] += out[k];
    for (int k = 0; k < orders; ++k) absolute[k] += terms[k], square[k] += terms[k] * terms[k];
  }

 private:
  FARFIELD_INLINE void add_lacking(const V (&out)[parts], V r2, V q, const V (&p)[3], V dx, V dy, V dz,
                                   double to2) {
    V newton[parts] = {};
    moments_pair<Kernel, parts, with_dipole, Softened::no>(r2, V{}, q, p, dx, dy, dz, newton);
    for (int k = 0; k < parts; ++k) lacking[k] += r2 > to2 ? newton[k] - out[k] : V{};
  }

  /// 1/r, but not more than the potential of a softened charge.
  template <Softened softened>
  static FARFIELD_INLINE V inverse_of(V r2, V softening) {
    if constexpr (!has_reach(softened)) {
      const V inverse = Math<V>::inverse_sqrt(softened == Softened::no ? r2 : r2 + softening);
      return is_core(softened) ? inverse * core_at_no_distance(softened) : inverse;
    }
    const V inverse = Math<V>::inverse_sqrt(r2),
            most = softening * (is_core(softened) ? core_at_no_distance(softened) : spline_reach);
    return inverse < most ? inverse : most;
  }
  static FARFIELD_INLINE V distance_of(V dx, V dy, V dz) {
    return Math<V>::absolute(dx) + Math<V>::absolute(dy) + Math<V>::absolute(dz);
  }
};

/// The pair of source j with a target at distance d, at any distance.
template <class Kernel, Softened softened, int parts>
static void add_nearest_moments(const DirectInput& in, const double (&d)[3], double length, std::int64_t j,
                                MomentSums<Kernel, double, parts>& sums) {
  double p[3] = {}, out[parts] = {};
  for (int axis = 0; axis < 3; ++axis)
    if (in.dipole[axis]) p[axis] = in.dipole[axis][j];
  nearest_moments_pair<Kernel, parts, with_dipole, softened>(length, d, in.strength[j], p, out);
  for (int k = 0; k < parts; ++k) sums.part[k] += out[k];
  double squares[orders] = {};
  for (int k = 0; k < parts; ++k) squares[order_of(k)] += out[k] * out[k];
  for (int k = 0; k < sums.orders; ++k) sums.absolute[k] += std::sqrt(squares[k]), sums.square[k] += squares[k];
}

}  // namespace farfield::cpu::FARFIELD_ISA

// Pair targets: a source against a few targets in a thread's registers; p2p and the direct sum share this code.
//
// In single, coordinates are relative to a frame (a box near both points), subtracted in double and rounded. For pairs
// closer than 1/16 to 1/64 of the frame this rounding would show: their coordinates are subtracted again in double. In
// double the frame is the identity and only pairs at (almost) no distance are close. Where close pairs are unlikely,
// `add` sums every source without a test, and a Watch keeps the smallest squared distance, half an instruction per
// pair. Sums in which a close pair was found are discarded and computed anew by `add_clear`, which leaves close pairs
// to `exact_pair`. So the fast path needs neither guard nor branch (14.4 instructions per pair with gradient, 8.4
// without).
//
// Softened pairs: Plummer's kernel adds the square of Work::softening to the squared distance, the spline has a formula
// of its own within its reach. Pairs at no distance are close: source and target may be one point there, and a tiny
// softening's square underflows or the cube of its inverse overflows.
#pragma once
#include "backends/cuda/near/decay.hpp"
#include "backends/cuda/near/staging.hpp"
#include "kernels/concept.hpp"
#include "kernels/softened.hpp"

namespace farfield::cuda {

__device__ inline float approximate_inverse_sqrt(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));  // 1 ulp
  return y;
}
/// A seed of 20 bits and one step that cubes its error: 1e-15 where x is above 1e-300.
__device__ inline double approximate_inverse_sqrt(double x) {
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  const double e = fma(-x * y, y, 1.0);
  return fma(fma(e, 0.375, 0.5), y * e, y);
}

/// The leading 32 bits as an integer. Non-negative numbers compare like these integers, so that one instruction updates
/// the least with two numbers (Watch).
__device__ inline int leading_bits(float x) { return __float_as_int(x); }
__device__ inline int leading_bits(double x) { return __double2hiint(x); }

/// The smallest square of a distance seen so far.
template <class Real>
class Watch {
 public:
  __device__ void see(Real a, Real b) { least_ = __vimin3_s32(least_, leading_bits(a), leading_bits(b)); }
  __device__ bool found_close(Real close_square) const { return least_ <= leading_bits(close_square); }

 private:
  int least_ = 0x7fffffff;
};

/// The order of the multiply-adds is fixed: both passes over a tile must compute the same bits of r^2 to agree on which
/// pairs are close.
template <class Real>
__device__ Real square_of(Real dx, Real dy, Real dz) {
  return fma(dz, dz, fma(dy, dy, dx * dx));
}

/// The parts, which begin at &u. Not an array: p2p_families would compile to other code, with branches.
template <class Real>
struct alignas(16) PairSums {
  Real u, gx, gy, gz;
  __device__ void operator+=(const PairSums& other) { u += other.u, gx += other.gx, gy += other.gy, gz += other.gz; }
};

/// Those of several densities.
template <class Real, int densities>
struct SumsOfAll {
  PairSums<Real> of[densities];
  __device__ void operator+=(const SumsOfAll& other) {
#pragma unroll
    for (int v = 0; v < densities; ++v) of[v] += other.of[v];
  }
};
template <class Real, int densities>
using SumsOf = std::conditional_t<densities == 1, PairSums<Real>, SumsOfAll<Real, densities>>;

template <class Sums>
__device__ auto& of_density(Sums& sums, [[maybe_unused]] int density) {
  if constexpr (requires { sums.of; })
    return sums.of[density];
  else
    return sums;
}

/// Adds a pair of a kernel that is not OfInverseDistance, by the formula of the kernel. Where that is one exponential,
/// sums of a pair's own would be four of 16 instructions.
template <int parts, class Kernel, class Real>
__device__ void add_pair(const Kernel& kernel, Real r2, Real dx, Real dy, Real dz, Real q, PairSums<Real>& sum) {
  if constexpr (FallsOff<Kernel>) return kernel.template pair<parts>(r2, dx, dy, dz, q, &sum.u);
  PairSums<Real> own = {};
  kernel.template pair<parts>(r2, dx, dy, dz, q, &own.u);
  sum += own;
}

/// Of a pair whose source is where it is said to be nothing need be known; of one that may be an image of it, how far
/// apart they were seen, to rounding.
struct NoImage {};
struct SeenApart {
  float by[3];
};

/// `n` targets in the frame. Several densities, of kernels that are OfInverseDistance without softening, share
/// distances and roots; each has the bits that it has alone.
template <class Kernel, class Real, int n, int parts, Softened softened = Softened::no, int densities = 1>
struct PairTargets : DecayInFrame<Kernel, Real> {
  using Sums = SumsOf<Real, densities>;
  using More = Further<Real, densities>;
  static constexpr bool meets_close = Kernel::singular;
  Real x[n], y[n], z[n];
  Real softening2 = 0;      ///< square of the softening, of a spline of its reach
  Real inverse_length = 0;  ///< of the spline's reach
  Real close_square;        ///< Work::close_square
  Kernel kernel;            ///< in the frame

  __device__ void prepare(const NearWork<Real>& work, double factor) {
    close_square = work.close_square;
    kernel = kernel_of<Kernel>(in_frame<Kernel>(work.parameters, factor));
    if constexpr (OfDecay<Kernel>) this->decay = PairDecay<Real>(in_frame<Kernel>(work.parameters, factor).screening);
    if constexpr (softened == Softened::no) return;
    const double length = work.softening.length * factor;
    softening2 = static_cast<Real>(length * length);
    if constexpr (softened == Softened::spline) inverse_length = static_cast<Real>(1 / length);
  }

  /// Adds a source to all sums.
  __device__ void add(const Staged<Real>& s, Sums (&sums)[n], Watch<Real>& watch, const More& more = {}) const {
    Real seen[n];
    if constexpr (softened == Softened::spline) {
      add_spline(s, sums, seen);
    } else {
#pragma unroll
      for (int i = 0; i < n; ++i) seen[i] = add_one(s, more, i, sums[i], [](Real) { return true; });
    }
#pragma unroll
    for (int i = 0; i < n; i += 2)
      if constexpr (meets_close) watch.see(seen[i], seen[i + 1 < n ? i + 1 : i]);
  }

  /// Adds a source to the sums of the targets that are not close to it; returns the close targets as bits.
  __device__ unsigned add_clear(const Staged<Real>& s, Sums (&sums)[n], const More& more = {}) const {
    unsigned close = 0;
#pragma unroll
    for (int i = 0; i < n; ++i)
      add_one(s, more, i, sums[i], [&](Real r2) {
        const bool clear = !meets_close || leading_bits(r2) > leading_bits(close_square);
        close |= clear ? 0u : 1u << i;
        return clear;
      });
    return close;
  }

  /// Bits of the targets that a source is close to.
  __device__ unsigned close_to(const Staged<Real>& s) const {
    unsigned close = 0;
#pragma unroll
    for (int i = 0; i < n; ++i) {
      const Real r2 = square_of(x[i] - s.x, y[i] - s.y, along_z(s, i));
      close |= leading_bits(r2) > leading_bits(close_square) ? 0u : 1u << i;
    }
    return close;
  }

  /// How far target `which` is from a source, where exact pairs have to know.
  template <class Source>
  __device__ auto seen([[maybe_unused]] const Staged<Real>& s, [[maybe_unused]] int which) const {
    if constexpr (std::is_same_v<Source, LeafSource>) {
      SeenApart apart{};
#pragma unroll
      for (int i = 0; i < n; ++i)
        if (i == which) apart = {x[i] - s.x, y[i] - s.y, z[i] - s.z};
      return apart;
    } else {
      return NoImage{};
    }
  }

 private:
  /// Points of the plane have the same third coordinate.
  __device__ Real along_z(const Staged<Real>& s, int i) const {
    if constexpr (Kernel::Basis::decay.axes == 2) return 0;
    return z[i] - s.z;
  }

  /// `wanted` says from r2 whether the pair counts.
  template <class Wanted>
  __device__ Real add_one(const Staged<Real>& s, const More& more, int i, Sums& sum, const Wanted& wanted) const {
    const Real dx = x[i] - s.x, dy = y[i] - s.y, dz = along_z(s, i), r2 = square_of(dx, dy, dz);
    if constexpr (softened == Softened::spline) {
      const bool counts = wanted(r2);  // at no distance the spline's potential is no 0
      Kernel::template of_spline<parts>(counts ? approximate_inverse_sqrt(r2) : Real(0), r2, inverse_length,
                                        counts ? s.q : Real(0), dx, dy, dz, &sum.u);
    } else if constexpr (OfInverseDistance<Kernel>) {
      const Real root = approximate_inverse_sqrt(softened == Softened::plummer ? r2 + softening2 : r2),
                 inverse = wanted(r2) ? root : Real(0);
#pragma unroll
      for (int v = 0; v < densities; ++v)
        Kernel::template of_inverse<parts>(inverse, strength_of(s, more, v), dx, dy, dz, &of_density(sum, v).u);
    } else if constexpr (OfDecay<Kernel>) {
      const bool counts = wanted(r2);
      const Real apart = counts ? r2 : Real(1);
      this->decay.template add<Kernel, parts>(apart, approximate_inverse_sqrt(apart), counts ? s.q : Real(0), dx, dy,
                                              dz, &sum.u);
    } else {
      const bool counts = wanted(r2);
      add_pair<parts>(kernel, counts ? r2 : Real(1), dx, dy, dz, counts ? s.q : Real(0), sum);
    }
    return r2;
  }

  /// One branch for all targets: beyond the reach of all of them the kernel is 1/r. `seen` receives the squared
  /// distances.
  __device__ void add_spline(const Staged<Real>& s, PairSums<Real> (&sums)[n], Real (&seen)[n]) const {
    Real least = softening2;
#pragma unroll
    for (int i = 0; i < n; ++i) {
      seen[i] = square_of(x[i] - s.x, y[i] - s.y, z[i] - s.z);
      least = seen[i] < least ? seen[i] : least;
    }
    const bool within = least < softening2;
#pragma unroll
    for (int i = 0; i < n; ++i) {
      const Real dx = x[i] - s.x, dy = y[i] - s.y, dz = z[i] - s.z, inverse = approximate_inverse_sqrt(seen[i]);
      if (within)
        Kernel::template of_spline<parts>(inverse, seen[i], inverse_length, s.q, dx, dy, dz, &sums[i].u);
      else
        Kernel::template of_inverse<parts>(inverse, s.q, dx, dy, dz, &sums[i].u);
    }
  }
};

/// nearest_pair (kernels/concept.hpp) in a function of its own.
template <class Kernel, int parts>
__device__ __noinline__ PairSums<double> nearest_pair_sums(const KernelParameters& parameters, double x, double y,
                                                           double z, double q) {
  PairSums<double> sum = {};
  nearest_pair<Kernel, parts>(parameters, x, y, z, q, &sum.u);
  return sum;
}

/// nearest_spline_pair in a function of its own.
template <class Kernel, int parts>
__device__ __noinline__ PairSums<double> spline_pair_sums(double reach, double x, double y, double z, double q) {
  PairSums<double> sum = {};
  nearest_spline_pair<Kernel, parts>(reach, x, y, z, q, &sum.u);
  return sum;
}

template <class Real>
__device__ PairSums<Real> in_precision(const PairSums<double>& sum) {
  return {static_cast<Real>(sum.u), static_cast<Real>(sum.gx), static_cast<Real>(sum.gy), static_cast<Real>(sum.gz)};
}

/// The exact displacement of target t from source s along an axis, in the frame's units.
template <class Real>
__device__ double exact_apart(const NearWork<Real>& work, const PairFrame<Real>& frame, std::int64_t t, std::int64_t s,
                              int axis, NoImage = {}) {
  return displacement(work.target[axis][t], work.source[axis][s]) * frame.factor;
}
/// Images are displaced by whole edges of their boxes: of the frame some 2^-k. Where k is above 10, as seen.
template <class Real>
__device__ double exact_apart(const NearWork<Real>& work, const PairFrame<Real>& frame, std::int64_t t, std::int64_t s,
                              int axis, const SeenApart& seen) {
  constexpr double per_edge = 1024, rounding = 0x1p-18;
  const double at_home = exact_apart(work, frame, t, s, axis), by = at_home - seen.by[axis],
               whole = rint(by * per_edge) / per_edge;
  return at_home - (fabs(by - whole) < rounding ? whole : by);
}

/// A close pair from the exact coordinates, in the frame's units; unsoftened, a singular kernel adds nothing where the
/// points coincide. Single does not call nearest_pair_sums: with that call in the kernel the compiler allocated
/// registers so that p2p took 9 % longer at 2^24 points. In single the nearest pairs are infinite, and so the
/// evaluation is repeated in double.
template <class Kernel, class Real, int parts, Softened softened = Softened::no, class Seen = NoImage>
__device__ PairSums<Real> exact_pair(const NearWork<Real>& work, const PairFrame<Real>& frame, std::int64_t t,
                                     std::int64_t s, int density = 0, const Seen& seen = {}) {
  PairSums<Real> sum = {};
  if (!CountsCoincident<Kernel> && work.alike && s == t) return sum;
  const double x = exact_apart(work, frame, t, s, 0, seen);
  const double y = exact_apart(work, frame, t, s, 1, seen);
  const double z = exact_apart(work, frame, t, s, 2, seen);
  const double r2 = x * x + y * y + z * z,
               softening = softened == Softened::no ? 0.0 : work.softening.length * frame.factor;
  const Real q = work.strength[s + density * work.strength_pitch];
  if constexpr (softened == Softened::spline) {
    if (!(r2 > 0) && work.is_self(s, t)) return sum;
    return in_precision<Real>(spline_pair_sums<Kernel, parts>(softening, x, y, z, static_cast<double>(q)));
  }
  if constexpr (softened == Softened::no && Kernel::singular && sizeof(Real) == 8)
    if (r2 < least_square<double>)
      return nearest_pair_sums<Kernel, parts>(in_frame<Kernel>(work.parameters, frame.factor), x, y, z, q);
  if constexpr (CountsCoincident<Kernel> && sizeof(Real) == 4)
    if (r2 < static_cast<double>(least_square<Real>))
      return in_precision<Real>(nearest_pair_sums<Kernel, parts>(in_frame<Kernel>(work.parameters, frame.factor), x, y,
                                                                 z, static_cast<double>(q)));
  if constexpr (!OfInverseDistance<Kernel>) {
    if (r2 > 0 || !Kernel::singular)
      add_pair<parts>(kernel_of<Kernel>(in_frame<Kernel>(work.parameters, frame.factor)), static_cast<Real>(r2),
                      static_cast<Real>(x), static_cast<Real>(y), static_cast<Real>(z), q, sum);
    return sum;
  } else {
    if (!(r2 > 0)) {  // potential alone: a tiny softening's inverse cube overflows, and 0 times that is no gradient
      if (softened == Softened::plummer && !work.is_self(s, t)) sum.u += q * static_cast<Real>(1 / softening);
      if (softened == Softened::no && (x != 0 || y != 0 || z != 0)) sum.u = static_cast<Real>(INFINITY);
      return sum;
    }
    const Real inverse = static_cast<Real>(rsqrt(r2 + softening * softening));
    if constexpr (parts > 1 && sizeof(Real) == 4 && softened == Softened::no) {
      // in units of the distance, so that only a result beyond single overflows, not 1/r^3
      Kernel::template of_inverse<parts>(Real(1), q, static_cast<Real>(x) * inverse, static_cast<Real>(y) * inverse,
                                         static_cast<Real>(z) * inverse, &sum.u);
      const Real g = inverse * inverse;
      return {sum.u * inverse, sum.gx * g, sum.gy * g, sum.gz * g};
    } else {
      Kernel::template of_inverse<parts>(inverse, q, static_cast<Real>(x), static_cast<Real>(y), static_cast<Real>(z),
                                         &sum.u);
    }
    return sum;
  }
}

struct SeenNowhere {
  __device__ NoImage operator()(int) const { return {}; }
};

/// Adds the exact pairs of source `s` with the targets whose bits are set; index_of(i) is that of target i, seen(i) how
/// far it was seen from the source.
template <class Kernel, class Real, int parts, Softened softened, int n, class Sums, class IndexOf,
          class Seen = SeenNowhere>
__device__ void add_exact_pairs(const NearWork<Real>& work, const PairFrame<Real>& frame, unsigned close,
                                const IndexOf& index_of, std::int64_t s, Sums (&sums)[n], const Seen& seen = {}) {
  constexpr int densities = sizeof(Sums) / sizeof(PairSums<Real>);
#pragma unroll 1
  for (; close; close &= close - 1) {  // one copy of the arithmetic, and sums stay in registers
    const int which = __ffs(static_cast<int>(close)) - 1;
#pragma unroll
    for (int v = 0; v < densities; ++v) {
      const PairSums<Real> sum =
          exact_pair<Kernel, Real, parts, softened>(work, frame, index_of(which), s, v, seen(which));
#pragma unroll
      for (int i = 0; i < n; ++i)
        if (i == which) of_density(sums[i], v) += sum;
    }
  }
}

}  // namespace farfield::cuda

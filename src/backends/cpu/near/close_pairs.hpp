// Pairs of targets with close sources (pair_sources.hpp), at any distance. In single, differences of coordinates
// include the rests (what rounding took off); where rests do not suffice, the differences are those of the originals in
// double. The pair of a point with itself contributes nothing.
//
// Softened pairs at zero distance leave the fast path: source and target may be the same point. Plummer's kernel adds
// the square of Work::softening to the squared distance; the square of a tiny softening underflows there, or the cube
// of its inverse overflows.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/cpu/near/target_tile.hpp"
#include "core/least_square.hpp"
#include "kernels/moments.hpp"

namespace farfield::cpu::FARFIELD_ISA {

template <class Kernel, class Real, Summed what, Softened softened>
class ClosePairs {
  using V = Vec<Real>;
  template <int n>
  using Tile = TargetTile<Real, n, what, only_lengths(softened)>;
  using Source = SourceVectors<Real, what, only_lengths(softened)>;
  static constexpr bool single = sizeof(Real) == 4;
  static constexpr int parts = what.parts;

 public:
  ClosePairs(const Work<Real>& work, const Frame& frame)
      : work_(work), frame_(frame), kernel_(kernel_of<Kernel>(in_frame<Kernel>(work.parameters, frame.factor))) {
    if constexpr (softened == Softened::no || has_lengths(softened)) return;
    const double length = work.softening.length * frame.factor;
    softening2_ = static_cast<Real>(length * length);
    inverse_length_ = static_cast<Real>(1 / length);
  }

  Real softening2() const { return softening2_; }
  const Kernel& kernel() const { return kernel_; }
  Real inverse_length() const { return inverse_length_; }

  /// The bit of the lane, `self` lanes into the tile, whose target is the source itself; 0 if no lane's target is.
  template <int n>
  FARFIELD_INLINE unsigned self_bit(std::int64_t self) const {
    const bool inside = work_.source[0] == work_.target[0] && self >= 0 && self < n * lanes<Real>;
    return inside ? 1u << self : 0u;
  }

  /// Adds the pairs of source s with those targets from t on whose bits are set. Out of line and with its own copy of
  /// the targets, so that the calling loop keeps its vectors in registers.
  template <int n>
  __attribute__((noinline)) void add(Tile<n>& total, const SourceRun<Real>& run, std::int64_t s, std::int64_t t,
                                     unsigned near) const {
    Tile<n> pair;
    pair.place(work_, frame_, t);
    pair.clear();
    interact(pair, run, s, t);
    total.add_lanes(pair, near);
  }

  /// The pairs of source s with the whole tile, which begins with target t.
  template <int n>
  FARFIELD_INLINE void interact(Tile<n>& a, const SourceRun<Real>& run, std::int64_t s, std::int64_t t) const {
    const Source source = Source::one(run, s);
    V dx[n], dy[n], dz[n], r2[n];
    for (int i = 0; i < n; ++i) {
      dx[i] = a.x[i] - source.x, dy[i] = a.y[i] - source.y, dz[i] = a.z[i] - source.z;
      if constexpr (single) {
        dx[i] += a.rest[0][i] - run.rest[0][s];
        dy[i] += a.rest[1][i] - run.rest[1][s];
        dz[i] += a.rest[2][i] - run.rest[2][s];
      }
      r2[i] = dx[i] * dx[i] + dy[i] * dy[i] + dz[i] * dz[i];
    }
    if constexpr (single) {
      if (touching(r2, run.index[s] - t)) [[unlikely]]
        for (int i = 0; i < n; ++i) {
          const Difference exact = exact_difference(run.index[s], t + i * lanes<Real>);
          dx[i] = exact.x, dy[i] = exact.y, dz[i] = exact.z, r2[i] = exact.r2;
        }
    }
    const V q = source.q[0];
    if constexpr (what.derives()) {
      for (int i = 0; i < n; ++i) add_moments(a, i, r2[i], dx[i], dy[i], dz[i], source, run.index[s], t);
      return;
    }
    if constexpr (softened == Softened::no && Kernel::singular)
      for (int i = 0; i < n; ++i)
        if (lanes_below(r2[i], least_square<Real>)) [[unlikely]] {
          const Source copy = source;  // so that the source itself stays in registers
          r2[i] = add_nearest(a, i, r2[i], run.index[s], t + i * lanes<Real>, copy);
        }
    if constexpr (is_spline(softened) || has_lengths(softened) || is_core(softened)) {
      for (int i = 0; i < n; ++i) {
        const bool nearest = lanes_below(r2[i], least_square<Real>);
        const V strength = nearest ? add_nearest_softened(a, i, r2[i], run.index[s], t + i * lanes<Real>, q) : q;
        if constexpr (has_lengths(softened))
          add_with_lengths(a.sum[i], r2[i], dx[i], dy[i], dz[i], strength, a.length[i], broadcast(run.length[s]));
        else if constexpr (is_core(softened))
          add_core(a.sum[i], r2[i] < least_square<Real> ? V{} + Real(1) : r2[i], dx[i], dy[i], dz[i], strength);
        else
          add_spline(a.sum[i], r2[i], dx[i], dy[i], dz[i], strength, broadcast(inverse_length_));
      }
      return;
    }
    if constexpr (softened == Softened::plummer)
      for (int i = 0; i < n; ++i)
        if (lanes_below(r2[i], std::numeric_limits<Real>::min())) [[unlikely]] {
          Kernel::template of_inverse<1>(inverse_at_no_distance(r2[i], run.index[s], t + i * lanes<Real>), q, V{}, V{},
                                         V{}, a.sum[i]);
          r2[i] = r2[i] == Real(0) ? V{} - softening2_ : r2[i];  // done: r2 + softening2 is 0 and adds nothing
        }
    for (int i = 0; i < n; ++i)
      for (int v = 0; v < what.densities; ++v)
        add_pair(a.sum[i] + v * Tile<n>::pitch, r2[i], dx[i], dy[i], dz[i], source.q[v]);
  }

  /// Pairs softened by the spline, at any distance whose 1/r^3 is a number.
  FARFIELD_INLINE void add_spline(V* sum, V r2, V dx, V dy, V dz, V q, V inverse_reach) const {
    if constexpr (Kernel::softens)
      Kernel::template of_spline<parts>(inverse_sqrt(r2), r2, inverse_reach, q, dx, dy, dz, sum);
  }

  /// Pairs with a core, likewise.
  FARFIELD_INLINE void add_core(V* sum, V r2, V dx, V dy, V dz, V q) const {
    if constexpr (Kernel::softens) moments_pair<Kernel, parts, 1, softened>(r2, core_length(), q, {}, dx, dy, dz, sum);
  }

  /// Pairs with dipoles, or with a Hessian, at any distance whose 1/r^5 is a number; `length` of the targets.
  FARFIELD_INLINE void add_formula(V* sum, V r2, V dx, V dy, V dz, const Source& source,
                                   [[maybe_unused]] V length) const {
    V softening = core_length();
    if constexpr (softened == Softened::plummer_lengths) softening = length + source.length;
    if constexpr (softened == Softened::spline_lengths) softening = Real(1) / longer(length, source.length);
    for (int v = 0; v < what.densities; ++v)
      moments_pair<Kernel, parts, what.moments, softened>(r2, softening, source.q[v], source.p, dx, dy, dz,
                                                          sum + v * Tile<1>::pitch);
  }

  /// The longer of two reaches.
  static FARFIELD_INLINE V longer(V a, V b) { return a > b ? a : b; }

 private:
  /// What moments_pair takes.
  FARFIELD_INLINE V core_length() const { return broadcast(has_reach(softened) ? inverse_length_ : softening2_); }

  /// Pairs of points with lengths (kept_lengths), likewise. A reach of 0 has an infinite inverse, with which of_spline
  /// is 1/r.
  FARFIELD_INLINE void add_with_lengths(V* sum, V r2, V dx, V dy, V dz, V q, V length, V other) const {
    if constexpr (softened == Softened::spline_lengths)
      add_spline(sum, r2, dx, dy, dz, q, Real(1) / longer(length, other));
    else
      Kernel::template of_inverse<parts>(inverse_sqrt(V(r2 + (length + other))), q, dx, dy, dz, sum);
  }

  FARFIELD_INLINE void add_pair(V* sum, V r2, V dx, V dy, V dz, V q) const {
    if constexpr (OfInverseDistance<Kernel>) {
      Kernel::template of_inverse<parts>(inverse_sqrt(softened == Softened::plummer ? r2 + softening2_ : r2), q, dx, dy,
                                         dz, sum);
    } else {
      V out[4] = {};
      if constexpr (Kernel::singular) {  // where points coincide there is no pair
        q = r2 > Real(0) ? q : V{};
        r2 = r2 > Real(0) ? r2 : V{} + Real(1);
      }
      kernel_.template pair<parts>(r2, dx, dy, dz, q, out);
      for (int part = first_part(parts); part < end_part(parts); ++part) sum[part] += out[part];
    }
  }

  /// Pairs with dipoles, or with a Hessian.
  template <int n>
  FARFIELD_INLINE void add_moments(Tile<n>& a, int i, V r2, V dx, V dy, V dz, Source source, std::int64_t index,
                                   std::int64_t t) const {
    const auto nearest = r2 < least_square_of_moments<Real>;
    if (lanes_below(r2, least_square_of_moments<Real>)) [[unlikely]] {
      const Source copy = source;  // so that the source itself stays in registers
      add_nearest_moments(a, i, r2, index, t + i * lanes<Real>, copy);
      for (V& q : source.q) q = nearest ? V{} : q;
      for (V& p : source.p) p = nearest ? V{} : p;
      r2 = nearest ? V{} + Real(1) : r2;
    }
    add_formula(a.sum[i], r2, dx, dy, dz, source, a.length[has_lengths(softened) ? i : 0]);
  }

  /// Adds those pairs whose 1/r^5 leaves the range of Real, and coincident points where a softening makes them pairs,
  /// one by one in double.
  template <int n>
  __attribute__((noinline)) void add_nearest_moments(Tile<n>& a, int i, V r2, std::int64_t index, std::int64_t first,
                                                     const Source& source) const {
    for (int k = 0; k < lanes<Real>; ++k) {
      if (!(r2[k] < least_square_of_moments<Real>)) continue;
      if (softened != Softened::no && work_.is_self(index, first + k)) continue;
      double d[3], p[3] = {}, length = work_.softening.length;
      for (int axis = 0; axis < 3; ++axis) {
        d[axis] = (work_.target[axis][first + k] - work_.source[axis][index]) * frame_.factor;
        if constexpr (what.moments == with_dipole) p[axis] = static_cast<double>(source.p[axis][k]);
      }
      if constexpr (has_lengths(softened))
        length = pair_length<softened>(work_.target_length[first + k], work_.source_length[index]);
      for (int v = 0; v < what.densities; ++v) {
        double out[parts] = {};
        nearest_moments_pair<Kernel, parts, what.moments, softened>(length * frame_.factor, d,
                                                                    static_cast<double>(source.q[v][k]), p, out);
        for (int part = 0; part < parts; ++part) a.sum[i][v * Tile<n>::pitch + part][k] += static_cast<Real>(out[part]);
      }
    }
  }

  /// Whether some pair is so near that rests do not suffice. The pair of a point with itself, `self` lanes into the
  /// tile, does not count: its zero is exact.
  template <int n>
  FARFIELD_INLINE bool touching(const V (&r2)[n], std::int64_t self) const {
    unsigned lanes_bits = 0;
    for (int i = 0; i < n; ++i)
      lanes_bits |= lanes_below(r2[i], Real(touching_distance * touching_distance)) << i * lanes<Real>;
    return (lanes_bits & ~self_bit<n>(self)) != 0;
  }

  struct Difference {
    V x, y, z, r2;
  };
  /// From the originals in double. By value and out of line, so that the inner loop keeps its vectors in registers.
  __attribute__((noinline)) Difference exact_difference(std::int64_t source, std::int64_t first) const {
    Difference d;
    d.x = relative(work_.target[0] + first, work_.source[0][source], frame_.factor, Real{});
    d.y = relative(work_.target[1] + first, work_.source[1][source], frame_.factor, Real{});
    d.z = relative(work_.target[2] + first, work_.source[2][source], frame_.factor, Real{});
    d.r2 = d.x * d.x + d.y * d.y + d.z * d.z;
    return d;
  }

  /// Adds the pairs whose 1/r^3 leaves the range of Real, one by one in double and in a unit of about their distance.
  /// Returns r2 with 0 in the lanes of these pairs, which are done. A result too large for Real becomes infinite: such
  /// an evaluation is repeated in double.
  template <int n>
  __attribute__((noinline)) V add_nearest(Tile<n>& a, int i, V r2, std::int64_t source, std::int64_t first,
                                          const Source& carried) const {
    for (int k = 0; k < lanes<Real>; ++k) {
      if (!(r2[k] < least_square<Real>)) continue;
      r2[k] = 0;
      double d[3];
      for (int axis = 0; axis < 3; ++axis)
        d[axis] = (work_.target[axis][first + k] - work_.source[axis][source]) * frame_.factor;
      for (int v = 0; v < what.densities; ++v) {
        double out[4] = {};
        nearest_pair<Kernel, 4>(in_frame<Kernel>(work_.parameters, frame_.factor), d[0], d[1], d[2],
                                static_cast<double>(carried.q[v][k]), out);
        for (int part = first_part(parts); part < end_part(parts); ++part)
          a.sum[i][v * Tile<n>::pitch + part][k] += static_cast<Real>(out[part]);
      }
    }
    return r2;
  }

  /// The same of pairs softened by the spline or of points with lengths, coincident points included. Returns q with 0
  /// in the lanes of these pairs.
  template <int n>
  __attribute__((noinline)) V add_nearest_softened(Tile<n>& a, int i, V r2, std::int64_t source, std::int64_t first,
                                                   V q) const {
    for (int k = 0; k < lanes<Real>; ++k) {
      if (!(r2[k] < least_square<Real>)) continue;
      double d[3], out[4] = {};
      for (int axis = 0; axis < 3; ++axis)
        d[axis] = (work_.target[axis][first + k] - work_.source[axis][source]) * frame_.factor;
      double length = work_.softening.length;
      if constexpr (has_lengths(softened))
        length = pair_length<softened>(work_.target_length[first + k], work_.source_length[source]);
      length *= frame_.factor;
      if (!work_.is_self(source, first + k)) {
        if constexpr (is_core(softened))
          nearest_moments_pair<Kernel, 4, 1, softened>(length, d, static_cast<double>(q[k]), {0, 0, 0}, out);
        else
          nearest_softened_pair<Kernel, 4, softened>(length, d[0], d[1], d[2], static_cast<double>(q[k]), out);
      }
      for (int part = first_part(parts); part < end_part(parts); ++part)
        a.sum[i][part][k] += static_cast<Real>(out[part]);
      q[k] = 0;
    }
    return q;
  }

  /// 1/softening in lanes at zero distance, unless source and target are the same point; 0 in all other lanes.
  __attribute__((noinline)) V inverse_at_no_distance(V r2, std::int64_t source, std::int64_t first) const {
    V inverse = r2 == Real(0) ? broadcast(inverse_length_) : V{};
    for (int k = 0; k < lanes<Real>; ++k)
      if (r2[k] == 0 && work_.is_self(source, first + k)) inverse[k] = 0;
    return inverse;
  }

  const Work<Real>& work_;
  const Frame& frame_;
  const Kernel kernel_;  ///< in the frame
  Real softening2_ = 0, inverse_length_ = 0;
};

}  // namespace farfield::cpu::FARFIELD_ISA

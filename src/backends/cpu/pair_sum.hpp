// Pair sums of a range of targets with staged sources: the inner loop of p2p and of the direct sum.
//
// Lanes hold targets, sources are broadcast, so nothing is reduced across lanes and odd counts only waste the last
// vector. Clear sources (pair_sources.hpp) take the short way: with the seed s of 1/r from the hardware and its
// correction (pair_terms.hpp), c = q/r^3 = (q s) s^2 (1 + 3/2 e + ...), u += c r^2, g -= c d. In single with AVX-512
// that is 15 instructions and a seed of three: 9 cycles for 16 pairs; in double 18 and three: 10.5 for 8.
//
// `softened` adds the square of Work::softening to that of the distance, for close sources alone. Pairs at no distance
// leave the fast path: there a point meets itself, and a tiny softening's square underflows or the cube of its inverse
// overflows.
#pragma once
#include <algorithm>
#include <limits>

#include "backends/cpu/pair_sources.hpp"
#include "backends/cpu/pair_terms.hpp"

namespace farfield::cpu::FARFIELD_ISA {

inline constexpr int target_vectors = vector_bytes == 64 ? 2 : 1;  // 2 x 7 target registers of 32; 7 of 16
inline constexpr std::int64_t chunk = 256;  // partial sums of this many sources: keeps single's rounding at 2e-7

/// s t (1 - e)^(-3/2) and s (1 - e)^(-1/2), t = s^2, e = 1 - x t, to `terms` and up to a factor, by which whole sums
/// are scaled back. Two terms are a completed square, one instruction less than Horner's rule.
template <int terms>
struct Correction {
  static constexpr double cube_scale = terms == 1 ? 1.5 : terms == 2 ? 1.875 : 1;
  static constexpr double root_scale = terms == 1 ? 0.5 : terms == 2 ? 0.375 : 1;

  template <class V, class Real>
  static FARFIELD_INLINE V cube(V x, V s, V t, Real) {
    const V cube = s * t;
    if constexpr (terms == 0) return cube;
    if constexpr (terms == 1) return cube * (Real(5.0 / 3) - x * t);
    if constexpr (terms == 2) return cube * square(V(x * t - Real(1.4)), Real(28.0 / 75));
    const V e = Real(1) - x * t;
    if constexpr (terms == 3) return cube * (Real(1) + e * (Real(1.5) + e * (Real(1.875) + e * Real(2.1875))));
    return cube * (Real(1) + e * (Real(1.5) + e * (Real(1.875) + e * (Real(2.1875) + e * Real(2.4609375)))));
  }
  template <class V, class Real>
  static FARFIELD_INLINE V root(V x, V s, V t, Real) {
    if constexpr (terms == 0) return s;
    if constexpr (terms == 1) return s * (Real(3) - x * t);
    if constexpr (terms == 2) return s * square(V(x * t - Real(5.0 / 3)), Real(20.0 / 9));
    const V e = Real(1) - x * t;
    if constexpr (terms == 3) return s * (Real(1) + e * (Real(0.5) + e * (Real(0.375) + e * Real(0.3125))));
    return s * (Real(1) + e * (Real(0.5) + e * (Real(0.375) + e * (Real(0.3125) + e * Real(0.2734375)))));
  }

 private:
  template <class V, class Real>
  static FARFIELD_INLINE V square(V v, Real rest) {
    return v * v + rest;
  }
};

/// Whether a kernel has the short way: it then depends on 1/r and q/r^3 alone.
template <class Kernel>
inline constexpr bool has_short_way = requires(double v) {
  Kernel::gradient_of_cube(v, v, v, v, v, v, v, v, v);
};

template <class Kernel, class Real, bool with_gradient, int terms, bool softened = false>
class PairSum {
  using V = Vec<Real>;
  static constexpr bool single = sizeof(Real) == 4;

 public:
  PairSum(const Work<Real>& work, const Frame& frame) : work_(work), frame_(frame) {
    if constexpr (!softened) return;
    const double length = work.softening * frame.factor;
    softening2_ = static_cast<Real>(length * length);
    at_no_distance_ = static_cast<Real>(1 / length);
  }

  /// Adds the staged sources to the results of targets [begin, end).
  void add(std::int64_t begin, std::int64_t end, const PairSources<Real>& sources) const {
    std::int64_t t = begin;
    for (; t + lanes<Real> < end && target_vectors > 1; t += target_vectors * lanes<Real>)
      tile<target_vectors>(t, end, sources);
    for (; t < end; t += lanes<Real>) tile<1>(t, end, sources);
  }

 private:
  template <int n>
  struct Tile {
    V x[n], y[n], z[n];
    V rest[3][n];  // of the coordinates, in single
    V u[n], gx[n], gy[n], gz[n];
    void clear() {
      for (int i = 0; i < n; ++i) u[i] = gx[i] = gy[i] = gz[i] = V{};
    }
    void add(const Tile& other, Real scale) {
      for (int i = 0; i < n; ++i) {
        u[i] += scale * other.u[i];
        gx[i] += scale * other.gx[i], gy[i] += scale * other.gy[i], gz[i] += scale * other.gz[i];
      }
    }
  };

  template <int n>
  void tile(std::int64_t t, std::int64_t end, const PairSources<Real>& sources) const {
    Tile<n> part, total;
    total.clear();
    for (int i = 0; i < n; ++i) {
      part.x[i] = coordinate(0, t + i * lanes<Real>, part.rest[0][i]);
      part.y[i] = coordinate(1, t + i * lanes<Real>, part.rest[1][i]);
      part.z[i] = coordinate(2, t + i * lanes<Real>, part.rest[2][i]);
    }
    constexpr double scale = with_gradient ? Correction<terms>::cube_scale : Correction<terms>::root_scale;
    for_chunks(part, total, sources.clear.count, Real(scale),
               [&](std::int64_t s) FARFIELD_LAMBDA { interact_clear(part, sources.clear, s); });
    for_chunks(part, total, sources.close.count, Real(1),
               [&](std::int64_t s) FARFIELD_LAMBDA { interact_close(part, sources.close, s, t); });
    for (int i = 0; i < n; ++i) deliver(total, i, t + i * lanes<Real>, end);
  }

  template <int n, class Interact>
  static FARFIELD_INLINE void for_chunks(Tile<n>& part, Tile<n>& total, std::int64_t count, Real scale,
                                         Interact&& interact) {
    for (std::int64_t j = 0; j < count; j += chunk) {
      part.clear();
      const std::int64_t end = std::min(j + chunk, count);
      for (std::int64_t s = j; s < end; ++s) interact(s);
      total.add(part, scale);
    }
  }

  FARFIELD_INLINE V coordinate(int axis, std::int64_t first, V& rest) const {
    const double* x = work_.target[axis] + first;
    const V rounded = relative(x, frame_.origin[axis], frame_.factor, Real{});
    rest = rest_of<Real>(x, frame_.origin[axis], frame_.factor, rounded);
    return rounded;
  }

  template <int n>
  FARFIELD_INLINE void interact_clear(Tile<n>& a, const SourceRun<Real>& run, std::int64_t s) const {
    const V x = broadcast(run.axis[0][s]), y = broadcast(run.axis[1][s]), z = broadcast(run.axis[2][s]);
    const V q = broadcast(run.q[s]);
    for (int i = 0; i < n; ++i) {
      const V dx = a.x[i] - x, dy = a.y[i] - y, dz = a.z[i] - z;
      const V r2 = dx * dx + dy * dy + dz * dz, seed = inverse_sqrt_seed(r2);
      const V t = seed * seed;
      if constexpr (!with_gradient)
        Kernel::potential(Correction<terms>::root(r2, seed, t, Real{}), q, a.u[i]);
      else if constexpr (has_short_way<Kernel>)
        Kernel::gradient_of_cube(Correction<terms>::cube(r2, V(q * seed), t, Real{}), r2, dx, dy, dz, a.u[i], a.gx[i],
                                 a.gy[i], a.gz[i]);
    }
  }

  template <int n>
  FARFIELD_INLINE void interact_close(Tile<n>& a, const SourceRun<Real>& run, std::int64_t s, std::int64_t t) const {
    const V x = broadcast(run.axis[0][s]), y = broadcast(run.axis[1][s]), z = broadcast(run.axis[2][s]);
    const V q = broadcast(run.q[s]);
    V dx[n], dy[n], dz[n], r2[n];
    for (int i = 0; i < n; ++i) {
      dx[i] = a.x[i] - x, dy[i] = a.y[i] - y, dz[i] = a.z[i] - z;
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
    if constexpr (softened)
      for (int i = 0; i < n; ++i)
        if (lanes_below(r2[i], std::numeric_limits<Real>::min())) [[unlikely]] {
          Kernel::potential(inverse_at_no_distance(r2[i], run.index[s], t + i * lanes<Real>), q, a.u[i]);
          r2[i] = r2[i] == Real(0) ? V{} - softening2_ : r2[i];  // done: their softened square becomes zero
        }
    for (int i = 0; i < n; ++i) {
      const V inverse_r = inverse_sqrt(softened ? r2[i] + softening2_ : r2[i]);
      if constexpr (with_gradient)
        Kernel::gradient(inverse_r, q, dx[i], dy[i], dz[i], a.u[i], a.gx[i], a.gy[i], a.gz[i]);
      else
        Kernel::potential(inverse_r, q, a.u[i]);
    }
  }

  /// Whether a pair is too short for rests. A point with itself, `self` lanes into the tile, is not: its zero is exact.
  template <int n>
  FARFIELD_INLINE bool touching(const V (&r2)[n], std::int64_t self) const {
    unsigned lanes_bits = 0;
    for (int i = 0; i < n; ++i)
      lanes_bits |= lanes_below(r2[i], Real(touching_distance * touching_distance)) << i * lanes<Real>;
    if (work_.source[0] == work_.target[0] && self >= 0 && self < n * lanes<Real>) lanes_bits &= ~(1u << self);
    return lanes_bits != 0;
  }

  struct Difference {
    V x, y, z, r2;
  };
  /// By value and out of line: the inner loop keeps its vectors in registers.
  __attribute__((noinline)) Difference exact_difference(std::int64_t source, std::int64_t first) const {
    Difference d;
    d.x = relative(work_.target[0] + first, work_.source[0][source], frame_.factor, Real{});
    d.y = relative(work_.target[1] + first, work_.source[1][source], frame_.factor, Real{});
    d.z = relative(work_.target[2] + first, work_.source[2][source], frame_.factor, Real{});
    d.r2 = d.x * d.x + d.y * d.y + d.z * d.z;
    return d;
  }

  /// 1/softening in lanes at no distance, but 0 where a point meets itself; 0 in all others.
  __attribute__((noinline)) V inverse_at_no_distance(V r2, std::int64_t source, std::int64_t first) const {
    V inverse = r2 == Real(0) ? broadcast(at_no_distance_) : V{};
    const std::int64_t self = source + work_.self_from - first;
    if (self >= 0 && self < lanes<Real>) inverse[self] = 0;
    return inverse;
  }

  template <int n>
  FARFIELD_INLINE void deliver(const Tile<n>& a, int i, std::int64_t first, std::int64_t end) const {
    const Real to_potential = static_cast<Real>(Kernel::Basis::potential_scale(1 / frame_.factor));
    const Real to_gradient = static_cast<Real>(Kernel::Basis::potential_scale(1 / frame_.factor) * frame_.factor);
    add_to(work_.potential + first, a.u[i] * to_potential, end - first);
    if constexpr (with_gradient) {
      add_to(work_.gradient[0] + first, a.gx[i] * to_gradient, end - first);
      add_to(work_.gradient[1] + first, a.gy[i] * to_gradient, end - first);
      add_to(work_.gradient[2] + first, a.gz[i] * to_gradient, end - first);
    }
  }
  /// Never beyond the range: what follows is another box's, and perhaps another thread's.
  static FARFIELD_INLINE void add_to(Real* result, V v, std::int64_t valid) {
    if (valid >= lanes<Real>) return store(result, V(load(result) + v));
    for (int k = 0; k < valid; ++k) result[k] += v[k];
  }

  const Work<Real>& work_;
  const Frame& frame_;
  Real softening2_ = 0, at_no_distance_ = 0;
};

}  // namespace farfield::cpu::FARFIELD_ISA

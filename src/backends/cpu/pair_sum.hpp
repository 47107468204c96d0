// Pair sums of a range of targets with ranges of sources: the inner loop of p2p and of the direct sum.
//
// Lanes hold targets, sources are broadcast, so nothing is reduced across lanes and odd counts only waste the last
// vector. Differences are those of the caller's own coordinates: in double they are taken directly; in single the
// coordinates are first taken relative to a frame (a box near both points) in double and rounded, and pairs closer
// than 1/16 of the frame, where that rounding would show (16 x 2^-25 = 5e-7), are differenced again in double.
// About one vector in thirty takes that path at 100 points per leaf.
//
// `softened` adds the square of Work::softening to that of the distance. Pairs at no distance leave the fast path:
// there a point meets itself, and a tiny softening's square underflows or the cube of its inverse overflows.
#pragma once
#include <algorithm>
#include <limits>

#include "backends/cpu/simd.hpp"
#include "backends/cpu/work.hpp"

namespace farfield::cpu::FARFIELD_ISA {

/// Coordinates are (x - centre) * factor; factor is a power of two, about one over the frame's size.
struct Frame {
  double centre[3], factor;
};

/// Sources one after another in the frame's coordinates; `exact` are the scaled originals of the same sources.
template <class Real>
struct SourceRun {
  const Real *x, *y, *z, *q;
  const double* exact[3];
  std::int64_t count;
};

inline constexpr int target_vectors = vector_bytes == 64 ? 2 : 1;  // 2 x 7 target registers of 32; 7 of 16
inline constexpr std::int64_t chunk = 256;  // partial sums of this many sources: keeps single's rounding at 2e-7

template <class Kernel, class Real, bool with_gradient, bool softened = false>
class PairSum {
  using V = Vec<Real>;
  static constexpr bool single = sizeof(Real) == 4;
  static constexpr Real close = single ? Real(1.0 / 256) : std::numeric_limits<Real>::min();

 public:
  PairSum(const Work<Real>& work, const Frame& frame) : work_(work), frame_(frame) {
    if constexpr (!softened) return;
    const double length = work.softening * frame.factor;
    softening2_ = static_cast<Real>(length * length);
    at_no_distance_ = static_cast<Real>(1 / length);
  }

  /// Adds the sources in `run` to the results of targets [begin, end).
  void add(std::int64_t begin, std::int64_t end, const SourceRun<Real>& run) const {
    std::int64_t t = begin;
    for (; t + lanes<Real> < end && target_vectors > 1; t += target_vectors * lanes<Real>)
      tile<target_vectors>(t, end, run);
    for (; t < end; t += lanes<Real>) tile<1>(t, end, run);
  }

 private:
  template <int n>
  struct Tile {
    V x[n], y[n], z[n];
    V u[n], gx[n], gy[n], gz[n];
    void clear() {
      for (int i = 0; i < n; ++i) u[i] = gx[i] = gy[i] = gz[i] = V{};
    }
    void add(const Tile& other) {
      for (int i = 0; i < n; ++i) u[i] += other.u[i], gx[i] += other.gx[i], gy[i] += other.gy[i], gz[i] += other.gz[i];
    }
  };

  template <int n>
  void tile(std::int64_t t, std::int64_t end, const SourceRun<Real>& run) const {
    Tile<n> part, total;
    total.clear();
    for (int i = 0; i < n; ++i) {
      const std::int64_t first = t + i * lanes<Real>;
      part.x[i] = coordinate(0, first);
      part.y[i] = coordinate(1, first);
      part.z[i] = coordinate(2, first);
    }
    for (std::int64_t j = 0; j < run.count; j += chunk) {
      part.clear();
      for (std::int64_t s = j; s < std::min(j + chunk, run.count); ++s) interact(part, run, s, t);
      total.add(part);
    }
    for (int i = 0; i < n; ++i) deliver(total, i, t + i * lanes<Real>, end);
  }

  FARFIELD_INLINE V coordinate(int axis, std::int64_t first) const {
    return relative(work_.target[axis] + first, frame_.centre[axis], frame_.factor, Real{});
  }

  template <int n>
  FARFIELD_INLINE void interact(Tile<n>& a, const SourceRun<Real>& run, std::int64_t s, std::int64_t t) const {
    const V x = broadcast(run.x[s]), y = broadcast(run.y[s]), z = broadcast(run.z[s]), q = broadcast(run.q[s]);
    V dx[n], dy[n], dz[n], r2[n];
    for (int i = 0; i < n; ++i) {
      dx[i] = a.x[i] - x, dy[i] = a.y[i] - y, dz[i] = a.z[i] - z;
      r2[i] = dx[i] * dx[i] + dy[i] * dy[i] + dz[i] * dz[i];
    }
    if constexpr (single || softened) {
      V least = r2[0];
      for (int i = 1; i < n; ++i) least = r2[i] < least ? r2[i] : least;
      if (any_below(least, close)) [[unlikely]]
        for (int i = 0; i < n; ++i) {
          if constexpr (single) {
            const Difference exact = exact_difference(run, s, t + i * lanes<Real>);
            dx[i] = exact.x, dy[i] = exact.y, dz[i] = exact.z, r2[i] = exact.r2;
          }
          if constexpr (softened) {
            Kernel::potential(inverse_at_no_distance(r2[i], run, s, t + i * lanes<Real>), q, a.u[i]);
            r2[i] = r2[i] == Real(0) ? V{} - softening2_ : r2[i];  // done: their softened square becomes zero
          }
        }
    }
    for (int i = 0; i < n; ++i) {
      const V inverse_r = inverse_sqrt(softened ? r2[i] + softening2_ : r2[i]);
      if constexpr (with_gradient)
        Kernel::gradient(inverse_r, q, dx[i], dy[i], dz[i], a.u[i], a.gx[i], a.gy[i], a.gz[i]);
      else
        Kernel::potential(inverse_r, q, a.u[i]);
    }
  }

  struct Difference {
    V x, y, z, r2;
  };
  /// By value and out of line: the inner loop keeps its vectors in registers.
  __attribute__((noinline)) Difference exact_difference(const SourceRun<Real>& run, std::int64_t s,
                                                        std::int64_t first) const {
    Difference d;
    d.x = relative(work_.target[0] + first, run.exact[0][s], frame_.factor, Real{});
    d.y = relative(work_.target[1] + first, run.exact[1][s], frame_.factor, Real{});
    d.z = relative(work_.target[2] + first, run.exact[2][s], frame_.factor, Real{});
    d.r2 = d.x * d.x + d.y * d.y + d.z * d.z;
    return d;
  }

  /// 1/softening in lanes at no distance, but 0 where a point meets itself; 0 in all others.
  __attribute__((noinline)) V inverse_at_no_distance(V r2, const SourceRun<Real>& run, std::int64_t s,
                                                     std::int64_t first) const {
    V inverse = r2 == Real(0) ? broadcast(at_no_distance_) : V{};
    const std::int64_t self = run.exact[0] + s - work_.source[0] + work_.self_from - first;
    if (self >= 0 && self < lanes<Real>) inverse[self] = 0;
    return inverse;
  }

  template <int n>
  FARFIELD_INLINE void deliver(const Tile<n>& a, int i, std::int64_t first, std::int64_t end) const {
    const Real to_potential = static_cast<Real>(Kernel::Basis::potential_scale(1 / frame_.factor));
    const Real to_gradient = static_cast<Real>(Kernel::Basis::potential_scale(1 / frame_.factor) * frame_.factor);
    const int valid = static_cast<int>(std::min<std::int64_t>(lanes<Real>, end - first));
    for (int k = 0; k < valid; ++k) work_.potential[first + k] += a.u[i][k] * to_potential;
    if constexpr (with_gradient)
      for (int k = 0; k < valid; ++k) {
        work_.gradient[0][first + k] += a.gx[i][k] * to_gradient;
        work_.gradient[1][first + k] += a.gy[i][k] * to_gradient;
        work_.gradient[2][first + k] += a.gz[i][k] * to_gradient;
      }
  }

  const Work<Real>& work_;
  const Frame& frame_;
  Real softening2_ = 0, at_no_distance_ = 0;
};

/// Brings sources into a frame: a copy in single, the arrays themselves in double (whose frame is the identity).
template <class Real>
class Stager {
 public:
  SourceRun<Real> run(const Work<Real>& work, const Frame& frame, std::int64_t begin, std::int64_t end) {
    const std::int64_t count = end - begin;
    SourceRun<Real> r{nullptr,
                      nullptr,
                      nullptr,
                      work.strength + begin,
                      {work.source[0] + begin, work.source[1] + begin, work.source[2] + begin},
                      count};
    if constexpr (sizeof(Real) == 8) {
      r.x = r.exact[0], r.y = r.exact[1], r.z = r.exact[2];
    } else {
      const std::int64_t pitch = (count + 2 * lanes<Real>) / lanes<Real> * lanes<Real>;
      Real* copy = buffer_.need(3 * pitch);
      for (int axis = 0; axis < 3; ++axis)
        for (std::int64_t i = 0; i < count; i += lanes<Real>)
          store(copy + axis * pitch + i, relative(r.exact[axis] + i, frame.centre[axis], frame.factor, Real{}));
      r.x = copy, r.y = copy + pitch, r.z = copy + 2 * pitch;
    }
    return r;
  }

 private:
  Scratch<Real> buffer_;
};

/// Frame for pairs near `centre` within about `size`: the identity in double.
template <class Real>
inline Frame make_frame(double cx, double cy, double cz, double size) {
  if constexpr (sizeof(Real) == 8) return {{0, 0, 0}, 1};
  return {{cx, cy, cz}, std::ldexp(1.0, -std::ilogb(size))};
}

}  // namespace farfield::cpu::FARFIELD_ISA

// Sources of a pair sum, in the frame of a target box and in two runs. `close` sources may touch a target: zero
// distances are masked and, in single, short differences are computed again in double. `clear` sources are at least
// 1/16 of the frame away from every target and need neither. In a volume, one source in twenty is close.
#pragma once
#include <algorithm>
#include <utility>

#include "backends/cpu/runtime/simd.hpp"
#include "backends/cpu/tuning.hpp"
#include "backends/cpu/work.hpp"
#include "kernels/softened.hpp"

namespace farfield::cpu::FARFIELD_ISA {

/// What a pair sum is compiled for: parts of the results, moments of a source (core/results.hpp), and how many
/// densities, vectors of strengths with results of their own, it sums together.
struct Summed {
  int parts, moments = 1, densities = 1;
  constexpr bool derives() const { return parts == with_hessian || moments == with_dipole; }
};

/// Coordinates are (x - origin) * factor; factor is a power of two, about one over the box's edge. In double the origin
/// is zero, so that differences are those of the caller's own coordinates; in single the origin is the box's centre.
struct Frame {
  double origin[3], factor;
  double centre[3];  ///< of the target box, in the frame
  double reach;      ///< sources nearer than this to the centre along every axis are close
};

// Single rounds coordinates to 2^-25 of the frame: an error of 16 x that, 5e-7, in a difference of 1/16. Shorter
// differences need the rounded-off rests as well, 2^-49 of the frame: 2^-29 of a difference of 2^-20. Still shorter
// differences are those of the originals.
inline constexpr double close_distance = 0x1p-4, touching_distance = 0x1p-20;

template <class Real>
inline Frame make_frame(const double (&centre)[3], double edge) {
  const double factor = std::ldexp(1.0, -std::ilogb(edge));
  const double reach = factor * edge / 2 + close_distance;
  if constexpr (sizeof(Real) == 4) return {{centre[0], centre[1], centre[2]}, factor, {0, 0, 0}, reach};
  return {{0, 0, 0}, factor, {centre[0] * factor, centre[1] * factor, centre[2] * factor}, reach};
}

/// Sources one after another in the frame's coordinates. Close sources also have their indices among the sorted sources
/// and, in single, the rests: what rounding took off their coordinates.
template <class Real>
struct SourceRun {
  Real* axis[3];
  Real* q[densities_together];
  Real* dipole[3];  ///< in units of the frame, where sources carry them
  Real* rest[3];
  Real* length;  ///< kept_lengths, where points have them
  std::int64_t* index;
  std::int64_t count;
};

/// One source in every lane, or one in each.
template <class Real, Summed what, Softened softened>
struct SourceVectors {
  using V = Vec<Real>;
  V x, y, z, q[what.densities], p[3] = {}, length = {};

  static FARFIELD_INLINE SourceVectors one(const SourceRun<Real>& run, std::int64_t s) {
    return read(run, [s](const Real* from) FARFIELD_LAMBDA { return broadcast(from[s]); });
  }
  static FARFIELD_INLINE SourceVectors several(const SourceRun<Real>& run, std::int64_t s) {
    return read(run, [s](const Real* from) FARFIELD_LAMBDA { return load(from + s); });
  }

 private:
  template <class Read>
  static FARFIELD_INLINE SourceVectors read(const SourceRun<Real>& run, const Read& from) {
    SourceVectors source;
    source.x = from(run.axis[0]), source.y = from(run.axis[1]), source.z = from(run.axis[2]);
    for (int v = 0; v < what.densities; ++v) source.q[v] = from(run.q[v]);
    for (int a = 0; a < 3 && what.moments == with_dipole; ++a) source.p[a] = from(run.dipole[a]);
    if constexpr (has_lengths(softened)) source.length = from(run.length);
    return source;
  }
};

/// What rounding to single took off lanes<Real> coordinates in a frame: 48 bits together with `rounded`. 0 in double.
template <class Real>
FARFIELD_INLINE Vec<Real> rest_of(const double* x, double origin, double factor, Vec<Real> rounded) {
  Vec<Real> rest = {};
  if constexpr (sizeof(Real) == 4)
    for (int k = 0; k < lanes<Real>; ++k)
      rest[k] = static_cast<Real>(displacement(x[k], origin) * factor - static_cast<double>(rounded[k]));
  return rest;
}

/// What pair sums keep of the softening lengths of a vector of points: reaches of splines, and of others half the
/// squares, which add up to the square of a pair's length.
template <Softened softened, class Real>
FARFIELD_INLINE Vec<Real> kept_lengths(const double* lengths, const Frame& frame, Real) {
  const Vec<Real> length = relative(lengths, 0, frame.factor, Real{});
  return softened == Softened::plummer_lengths ? length * length * Real(0.5) : length;
}

/// `softened`: Softened::no unless points have softening lengths.
template <class Real, Summed what, Softened softened = Softened::no>
class PairSources {
 public:
  PairSources() {
    Real* memory = buffer_.need((9 + 2 * numbers) * pitch);
    const auto next = [&] { return std::exchange(memory, memory + pitch); };
    for (SourceRun<Real>* run : {&clear, &close}) {
      for (Real*& axis : run->axis) axis = next();
      for (int v = 0; v < what.densities; ++v) run->q[v] = next();
      for (int axis = 0; axis < 3 && carries_dipoles; ++axis) run->dipole[axis] = next();
      if constexpr (has_lengths(softened)) run->length = next();
    }
    for (Real*& rest : close.rest) rest = next();
    close.index = index_.need(pitch);
  }
  PairSources(const PairSources&) = delete;
  PairSources& operator=(const PairSources&) = delete;

  /// Appends the sources from `begin` on up to `end` or until tuning::pair_sources is reached; returns the first one
  /// left over.
  std::int64_t append(const Work<Real>& work, const Frame& frame, std::int64_t begin, std::int64_t end) {
    for (; begin < end && clear.count + close.count < tuning::pair_sources; begin += lanes<Real>)
      append_vector(work, frame, begin, std::min<std::int64_t>(lanes<Real>, end - begin));
    return std::min(begin, end);
  }
  /// Pads the last vector of clear sources with sources of zero strength, away from the target box.
  void seal(const Frame& frame) {
    for (int axis = 0; axis < 3; ++axis)
      store(clear.axis[axis] + clear.count, broadcast(static_cast<Real>(frame.centre[axis] + 4)));
    for (int v = 0; v < what.densities; ++v) store(clear.q[v] + clear.count, Vec<Real>{});
    for (int axis = 0; axis < 3 && carries_dipoles; ++axis) store(clear.dipole[axis] + clear.count, Vec<Real>{});
    if constexpr (has_lengths(softened)) store(clear.length + clear.count, Vec<Real>{});
  }
  void forget() { clear.count = close.count = 0; }

  SourceRun<Real> clear = {}, close = {};

 private:
  static constexpr std::int64_t pitch = tuning::pair_sources + 2 * lanes<Real>;
  static constexpr bool carries_dipoles = what.moments == with_dipole;
  static constexpr int numbers = what.densities + (carries_dipoles ? 3 : 0) + has_lengths(softened);

  /// What a source carries, one vector of them: its densities, then its dipole in units of the frame.
  struct Carried {
    Vec<Real> q[what.densities], p[carries_dipoles ? 3 : 1];
    Carried(const Work<Real>& work, const Frame& frame, std::int64_t first) {
      for (int v = 0; v < what.densities; ++v) q[v] = load(work.strength + v * work.strength_pitch + first);
      for (int axis = 0; axis < 3 && carries_dipoles; ++axis)
        p[axis] = load(work.dipole[axis] + first) * static_cast<Real>(frame.factor);
    }
    /// Calls f(array of the run, vector) for each.
    template <class F>
    FARFIELD_INLINE void put(SourceRun<Real>& run, const F& f) const {
      for (int v = 0; v < what.densities; ++v) f(run.q[v] + run.count, q[v]);
      for (int axis = 0; axis < 3 && carries_dipoles; ++axis) f(run.dipole[axis] + run.count, p[axis]);
    }
  };

  FARFIELD_INLINE void append_vector(const Work<Real>& work, const Frame& frame, std::int64_t first,
                                     std::int64_t valid) {
    Vec<Real> x[3], largest = {};
    for (int axis = 0; axis < 3; ++axis) {
      x[axis] = relative(work.source[axis] + first, frame.origin[axis], frame.factor, Real{});
      const Vec<Real> d = x[axis] - static_cast<Real>(frame.centre[axis]), size = d < 0 ? -d : d;
      largest = size > largest ? size : largest;
    }
    const Carried carried(work, frame, first);
    const unsigned all = (1u << valid) - 1, near = lanes_below(largest, static_cast<Real>(frame.reach)) & all;
    if (!near) [[likely]] {
      for (int axis = 0; axis < 3; ++axis) store(clear.axis[axis] + clear.count, x[axis]);
      carried.put(clear, [](Real* to, Vec<Real> v) FARFIELD_LAMBDA { store(to, v); });
      if constexpr (has_lengths(softened))
        store(clear.length + clear.count, kept_lengths<softened>(work.source_length + first, frame, Real{}));
      clear.count += valid;
    } else {
      if constexpr (has_lengths(softened)) put_lengths(work, frame, first, near, all & ~near);
      put(clear, x, carried, all & ~near);
      put_close(work, frame, x, carried, near, first);
    }
  }

  FARFIELD_INLINE void put_lengths(const Work<Real>& work, const Frame& frame, std::int64_t first, unsigned near,
                                   unsigned others) {
    const Vec<Real> length = kept_lengths<softened>(work.source_length + first, frame, Real{});
    store_lanes(close.length + close.count, length, near);
    store_lanes(clear.length + clear.count, length, others);
  }

  static FARFIELD_INLINE void put(SourceRun<Real>& run, const Vec<Real> (&x)[3], const Carried& carried,
                                  unsigned bits) {
    for (int axis = 0; axis < 3; ++axis) store_lanes(run.axis[axis] + run.count, x[axis], bits);
    carried.put(run, [bits](Real* to, Vec<Real> v) FARFIELD_LAMBDA { store_lanes(to, v, bits); });
    run.count += __builtin_popcount(bits);
  }

  void put_close(const Work<Real>& work, const Frame& frame, const Vec<Real> (&x)[3], const Carried& carried,
                 unsigned bits, std::int64_t first) {
    for (int axis = 0; axis < 3 && sizeof(Real) == 4; ++axis)
      store_lanes(close.rest[axis] + close.count,
                  rest_of<Real>(work.source[axis] + first, frame.origin[axis], frame.factor, x[axis]), bits);
    std::int64_t* index = close.index + close.count;
    for (unsigned left = bits; left; left &= left - 1) *index++ = first + __builtin_ctz(left);
    put(close, x, carried, bits);
  }

  Scratch<Real> buffer_;
  Scratch<std::int64_t> index_;
};

}  // namespace farfield::cpu::FARFIELD_ISA

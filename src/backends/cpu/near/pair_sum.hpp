// Pair sums of a range of targets with staged sources: the inner loop of p2p and of the direct sum.
//
// Lanes hold targets and sources are broadcast, so nothing is reduced across lanes. Only where targets fill at most
// half a vector do lanes hold sources. Clear sources (pair_sources.hpp) are summed the short way, with the seed s of
// 1/r from the hardware and its correction (pair_terms.hpp): c = q/r^3 = (q s) s^2 (1 + 3/2 e + ...), u += c r^2,
// g -= c d. In single with AVX-512 that is 15 instructions and a seed of three: 9 cycles for 16 pairs; in double 18 and
// three: 10.5 for 8. Close sources are summed the short way, too, but guarded: the few pairs that are too near for it
// are left to close_pairs.hpp. The short way of a kernel that is OfDecay has the same root and a fitted exponential
// (decay.hpp); that of others is their formula.
#pragma once
#include <algorithm>

#include "backends/cpu/near/close_pairs.hpp"
#include "backends/cpu/near/decay.hpp"
#include "backends/cpu/near/pair_correction.hpp"
#include "backends/cpu/tuning.hpp"
#include "model/pair_terms.hpp"

namespace farfield::cpu::FARFIELD_ISA {

/// With gradient, 2 x 7 target registers of 32; 7 of 16. Densities do not count: each has the bits that it has alone.
constexpr int target_vectors(Summed what) { return vector_bytes == 64 && what.parts < with_hessian ? 2 : 1; }
inline constexpr std::int64_t chunk = 256;  // partial sums of this many sources: keeps single's rounding at 2e-7

/// `form`: of a fitted exponential; whole_formula: none.
template <class Kernel, class Real, Summed what, int terms, Softened softened = Softened::no, int form = whole_formula>
class PairSum {
  using V = Vec<Real>;
  template <int n>
  using Tile = TargetTile<Real, n, what, only_lengths(softened)>;
  using Source = SourceVectors<Real, what, only_lengths(softened)>;
  static constexpr int parts = what.parts;
  static constexpr bool fitted = form != whole_formula, by_root = fitted || parts == 1;
  static constexpr Real scale = static_cast<Real>(!OfInverseDistance<Kernel> && !fitted ? 1
                                                  : by_root                             ? Correction<terms>::root_scale
                                                            : Correction<terms>::cube_scale);
  // The sums of the short way, by order of derivative, are multiplied by these: all by `scale`, or, with moments, by
  // the powers of the root's own scale.
  static constexpr Real root_factor = static_cast<Real>(Correction<terms>::root_scale);
  static constexpr bool short_way = !(what.derives() && softened != Softened::no);
  static constexpr bool settles = what.derives() && short_way, scales_root = what.moments == with_dipole;
  static constexpr Real powers = scales_root ? Real(1) : root_factor, cube = powers * powers * powers;
  /// Roots are found apart from the sums of several densities: 32 vector registers hold these beside two sources, 16
  /// barely one weight for each.
  static constexpr bool roots_apart = what.densities > 1 && parts == with_gradient && !what.derives() &&
                                      softened == Softened::no && OfInverseDistance<Kernel>;
  static constexpr bool pipelined = roots_apart && vector_bytes == 64;
  static constexpr Real own = short_way ? scale : Real(1);
  static constexpr Real scales[orders] = {settles ? powers : own, settles ? cube : own,
                                          settles ? cube* powers* powers : own};
  static constexpr Real ones[orders] = {1, 1, 1};
  // Least distance of the short way: in single, rounded coordinates suffice from close_distance on; in double, the seed
  // must be in single's range.
  static constexpr Real nearest = sizeof(Real) == 4 ? Real(close_distance) : Real(0x1p-50);
  static constexpr int most_across = lanes<Real> / 2, together = target_vectors(what);

 public:
  using Sources = PairSources<Real, what, only_lengths(softened)>;
  using Fit = typename DecayOf<Real, form>::type;
  static constexpr double root_scale = Correction<terms>::root_scale;

  PairSum(const Work<Real>& work, const Frame& frame, const Fit& decay = {})
      : work_(work), frame_(frame), decay_(decay), close_(work, frame) {}

  /// Adds the staged sources to the results of targets [begin, end).
  void add(std::int64_t begin, std::int64_t end, const Sources& sources) const {
    std::int64_t t = begin;
    for (; t + lanes<Real> + most_across < end && together > 1; t += together * lanes<Real>)
      tile<together>(t, end, sources);
    for (; t < end; t += lanes<Real>) tile<1>(t, end, sources);
  }

 private:
  template <int n>
  void tile(std::int64_t t, std::int64_t end, const Sources& sources) const {
    Tile<n> part, total;
    total.clear();
    part.place(work_, frame_, t);
    add_clear(part, total, t, end, sources.clear);
    add_close(part, total, t, sources.close);
    for (int i = 0; i < n; ++i) deliver(total, i, t + i * lanes<Real>, end);
  }

  /// Few targets would leave most lanes of their vector empty: then lanes hold sources and targets are done one by one.
  template <int n>
  FARFIELD_INLINE void add_clear(Tile<n>& part, Tile<n>& total, std::int64_t t, std::int64_t end,
                                 const SourceRun<Real>& run) const {
    if (n == 1 && end - t <= most_across) {
      for (int k = 0; k < end - t; ++k) across(part, total, k, run);
      return;
    }
    if constexpr (n > 1 && what.densities > 1) {  // the sums of one vector fill the registers
      for (int i = 0; i < n; ++i) {
        Tile<1> one = part.vector(i), sums = one;
        add_clear(one, sums, t + i * lanes<Real>, end, run);
        std::copy_n(sums.sum[0], what.densities * Tile<1>::pitch, total.sum[i]);
      }
      return;
    }
    for (std::int64_t begin = 0; begin < run.count; begin += chunk) {
      part.clear();
      const std::int64_t last = std::min(begin + chunk, run.count);
      if constexpr (pipelined && n == 1)
        pipeline(part, run, begin, last);
      else if constexpr (roots_apart && n == 1)
        in_blocks(part, run, begin, last);
      else
        for (std::int64_t s = begin; s < last; ++s) interact<false>(part, Source::one(run, s));
      settle(part);
      total.add(part, scales);
    }
  }

  /// What all densities of a pair share.
  struct Root {
    V r2, seed, t, series;
  };
  struct Shared {
    V d[3];
    Root root;
  };
  template <bool guarded, int n>
  static FARFIELD_INLINE Shared shared(const Tile<n>& a, int i, const SourceRun<Real>& run, std::int64_t s) {
    Shared p;
    const V dx = p.d[0] = a.x[i] - run.axis[0][s], dy = p.d[1] = a.y[i] - run.axis[1][s],
            dz = p.d[2] = a.z[i] - run.axis[2][s], r2 = p.root.r2 = dx * dx + dy * dy + dz * dz;
    V seed = inverse_sqrt_seed(r2);
    if constexpr (guarded) seed = r2 < nearest * nearest ? V{} : seed;
    p.root.seed = seed, p.root.t = seed * seed;
    p.root.series = Correction<terms>::cube_series(r2, p.root.t, Real{});
    return p;
  }
  /// The sums of all densities, part by part, so that one component of the distance, d(axis), is needed at a time.
  template <int n, class Component>
  static FARFIELD_INLINE void add_densities(Tile<n>& a, int i, const SourceRun<Real>& run, std::int64_t s,
                                            const Root& root, const Component& d) {
    V weight[what.densities];
    for (int v = 0; v < what.densities; ++v) {
      weight[v] = V(run.q[v][s] * root.seed) * root.t;
      if constexpr (terms > 0) weight[v] *= root.series;
    }
    const auto add = [&](auto part, V lever) FARFIELD_LAMBDA {
      for (int v = 0; v < what.densities; ++v) {
        V sum[parts] = {};  // the compiler leaves out the other parts
        sum[part] = a.sum[i][v * Tile<n>::pitch + part];
        Kernel::of_cube(weight[v], lever, lever, lever, lever, sum);
        a.sum[i][v * Tile<n>::pitch + part] = sum[part];
      }
    };
    add(std::integral_constant<int, 0>{}, root.r2);
    add(std::integral_constant<int, 1>{}, d(0));
    add(std::integral_constant<int, 2>{}, d(1));
    add(std::integral_constant<int, 3>{}, d(2));
  }

  /// Sources [begin, end): interact<false>, and the same bits, but the roots of a source are found beside the sums of
  /// the one before it: these alone fill the processor's window (a loop by itself: 4.4 ns, and 3.8 so).
  FARFIELD_INLINE void pipeline(Tile<1>& a, const SourceRun<Real>& run, std::int64_t begin, std::int64_t end) const {
    Shared p = shared<false>(a, 0, run, begin);
    for (std::int64_t s = begin; s < end; ++s) {
      const Shared next = shared<false>(a, 0, run, s + 1);  // beyond the last one lie readable numbers, not used
      add_densities(a, 0, run, s, p.root, [&](int axis) FARFIELD_LAMBDA { return p.d[axis]; });
      p = next;
    }
  }

  static constexpr int block = 16;  ///< sources, whose roots stay in the first-level cache
  using Roots = Root[block];
  /// The same where registers hold little more than the sums: the roots of a block of sources are stored first and come
  /// back as operands. On AVX2, cycles for a vector of pairs: 16.5 for 20.5 in single, 22 for 33 in double; one density
  /// alone 8.7 and 14.7. (Roots found eight sources ahead in the same loop: sums leave the registers, 25 and 38.)
  FARFIELD_INLINE void in_blocks(Tile<1>& a, const SourceRun<Real>& run, std::int64_t begin, std::int64_t end) const {
    Roots roots;
    for (; begin < end; begin += block) {
      const int count = static_cast<int>(std::min<std::int64_t>(block, end - begin));
      for (int k = 0; k < count; ++k) roots[k] = shared<false>(a, 0, run, begin + k).root;
      add_block(a, 0, run, begin, count, roots);
    }
  }
  /// For vector i of the tile. Components are found again, as source - target: that needs one register.
  template <int n>
  static FARFIELD_INLINE void add_block(Tile<n>& a, int i, const SourceRun<Real>& run, std::int64_t begin, int count,
                                        const Roots& roots) {
    const V* const x[3] = {a.x, a.y, a.z};
    for (int k = 0; k < count; ++k) {
      const std::int64_t s = begin + k;
      add_densities(a, i, run, s, roots[k],
                    [&](int axis) FARFIELD_LAMBDA { return V(-(run.axis[axis][s] - x[axis][i])); });
    }
  }

  template <int n>
  FARFIELD_INLINE void across(const Tile<n>& targets, Tile<n>& total, int k, const SourceRun<Real>& run) const {
    Tile<1> a;
    a.x[0] = broadcast(targets.x[0][k]), a.y[0] = broadcast(targets.y[0][k]), a.z[0] = broadcast(targets.z[0][k]);
    if constexpr (has_lengths(softened)) a.length[0] = broadcast(targets.length[0][k]);
    a.clear();
    for (std::int64_t s = 0; s < run.count; s += lanes<Real>) interact<false>(a, Source::several(run, s));
    settle(a);
    for (int part = first_part(parts); part < what.densities * Tile<1>::pitch; ++part)
      total.sum[0][part][k] += scales[order_of(part % Tile<1>::pitch)] * sum_lanes<Real>(a.sum[0][part]);
  }

  /// Uses the guarded short way while less than one source in eight has pairs too near for it, then close_pairs.hpp.
  template <int n>
  FARFIELD_INLINE void add_close(Tile<n>& part, Tile<n>& total, std::int64_t t, const SourceRun<Real>& run) const {
    // a point's pair with itself counts in others; softened, moments take the formula anyway
    bool guarded = short_way && (OfInverseDistance<Kernel> || Kernel::singular);
    for (std::int64_t begin = 0; begin < run.count;) {
      const std::int64_t end = std::min(begin + chunk, run.count);
      part.clear();
      if (guarded) {
        if constexpr (short_way) begin = add_guarded(part, total, t, run, begin, end, guarded);
      } else {
        for (; begin < end; ++begin) close_.interact(part, run, begin, t);
        total.add(part, ones);
      }
    }
  }

  /// Adds sources [begin, end) by the guarded short way and returns the first source not added. Stops early where too
  /// many sources have pairs that are too near, and `guarded` becomes false.
  template <int n>
  FARFIELD_INLINE std::int64_t add_guarded(Tile<n>& part, Tile<n>& total, std::int64_t t, const SourceRun<Real>& run,
                                           std::int64_t begin, std::int64_t end, bool& guarded) const {
    std::int64_t s = begin, left_out = 0;
    if constexpr (roots_apart) {
      s = add_guarded_blocks(part, total, t, run, begin, end, left_out);
    } else {
      while (s < end) {
        const unsigned near = interact<true>(part, Source::one(run, s++));
        if (leave_out(total, t, run, s - 1, near, s - begin, left_out)) break;
      }
    }
    settle(part);
    total.add(part, scales);
    guarded = left_out * tuning::left_out_part < s - begin;
    return s;
  }
  /// The pairs of source s that are too near, apart from the others. Returns whether too many sources of `done` have
  /// such pairs.
  template <int n>
  FARFIELD_INLINE bool leave_out(Tile<n>& total, std::int64_t t, const SourceRun<Real>& run, std::int64_t s,
                                 unsigned near, std::int64_t done, std::int64_t& left_out) const {
    if (!near) [[likely]]
      return false;
    if constexpr (!CountsCoincident<Kernel>) near &= ~close_.template self_bit<n>(run.index[s] - t);
    if (!near) return false;
    close_.add(total, run, s, t, near);
    return ++left_out >= tuning::fewest_left_out && left_out * tuning::left_out_part >= done;
  }
  /// For several densities, whose sums leave no registers for roots: those of a block of sources come first.
  template <int n>
  FARFIELD_INLINE std::int64_t add_guarded_blocks(Tile<n>& part, Tile<n>& total, std::int64_t t,
                                                  const SourceRun<Real>& run, std::int64_t begin, std::int64_t end,
                                                  std::int64_t& left_out) const {
    Roots roots[n];
    bool stops = false;
    std::int64_t s = begin;
    while (s < end && !stops) {
      const int count = static_cast<int>(std::min<std::int64_t>(block, end - s));
      unsigned near[block] = {};
      for (int i = 0; i < n; ++i)
        for (int k = 0; k < count; ++k) {
          roots[i][k] = shared<true>(part, i, run, s + k).root;
          near[k] |= lanes_below(roots[i][k].r2, nearest * nearest) << i * lanes<Real>;
        }
      int summed = 0;
      while (summed < count && !stops) {
        stops = leave_out(total, t, run, s + summed, near[summed], s + summed + 1 - begin, left_out);
        ++summed;
      }
      for (int i = 0; i < n; ++i) add_block(part, i, run, s, summed, roots[i]);
      s += summed;
    }
    return s;
  }

  /// Sums of Hessians or of dipoles become what they are multiplied to results by `scales`.
  template <int n>
  static FARFIELD_INLINE void settle(Tile<n>& a) {
    if constexpr (settles)
      for (int i = 0; i < n; ++i)
        for (int v = 0; v < what.densities; ++v)
          Kernel::template settle_moments<parts, what.moments>(a.sum[i] + v * Tile<n>::pitch);
  }

  /// The short way. `guarded` leaves out pairs nearer than `nearest` and returns the bits of their lanes.
  template <bool guarded, int n>
  FARFIELD_INLINE unsigned interact(Tile<n>& a, const Source& source) const {
    const V q = source.q[0];
    [[maybe_unused]] const V length = source.length;
    unsigned near = 0;
    for (int i = 0; i < n; ++i) {
      const V dx = a.x[i] - source.x, dy = a.y[i] - source.y, dz = a.z[i] - source.z,
              distance2 = dx * dx + dy * dy + dz * dz;
      if constexpr (guarded) near |= lanes_below(distance2, nearest * nearest) << i * lanes<Real>;
      if constexpr (!short_way) {
        close_.add_formula(a.sum[i], distance2, dx, dy, dz, source, a.length[has_lengths(softened) ? i : 0]);
        continue;
      }
      if constexpr (softened == Softened::spline)
        if (lanes_below(distance2, close_.softening2())) {  // within the spline's reach
          const V strength = distance2 < nearest * nearest ? V{} : q * (1 / scale);
          close_.add_spline(a.sum[i], distance2, dx, dy, dz, strength, broadcast(close_.inverse_length()));
          continue;
        }
      if constexpr (is_core(softened))
        if (!has_reach(softened) || lanes_below(distance2, close_.softening2())) {
          const auto left_out = distance2 < (guarded ? nearest * nearest : Real(0));
          close_.add_core(a.sum[i], left_out ? V{} + Real(1) : distance2, dx, dy, dz, left_out ? V{} : q * (1 / scale));
          continue;
        }
      if constexpr (softened == Softened::spline_lengths) {
        const V reach = close_.longer(a.length[i], length);
        if (lanes_below(V(distance2 - reach * reach), Real(0))) {
          const V strength = distance2 < nearest * nearest ? V{} : q * (1 / scale);
          close_.add_spline(a.sum[i], distance2, dx, dy, dz, strength, Real(1) / reach);
          continue;
        }
      }
      V r2 = softened == Softened::plummer ? distance2 + close_.softening2() : distance2;
      if constexpr (softened == Softened::plummer_lengths) r2 = distance2 + (a.length[i] + length);
      add_pair<guarded>(a.sum[i], distance2, r2, dx, dy, dz, source);
    }
    return near;
  }

  template <bool guarded>
  FARFIELD_INLINE void add_pair(V* sum, V distance2, V r2, V dx, V dy, V dz, const Source& source) const {
    [[maybe_unused]] V q = source.q[0];
    constexpr int pitch = Tile<1>::pitch;
    if constexpr (OfInverseDistance<Kernel>) {
      V seed = inverse_sqrt_seed(r2);
      if constexpr (guarded) seed = distance2 < nearest * nearest ? V{} : seed;
      const V t = seed * seed;
      for (int v = 0; v < what.densities; ++v, sum += pitch)
        if constexpr (what.derives()) {
          V root = Correction<terms>::root(r2, seed, t, Real{});
          if constexpr (scales_root && root_factor != 1) root *= root_factor;
          Kernel::template sum_moments<parts, what.moments>(root, source.q[v], source.p[0], source.p[1], source.p[2],
                                                            dx, dy, dz, sum);
        } else if constexpr (parts == 1) {
          Kernel::template of_inverse<1>(Correction<terms>::root(r2, seed, t, Real{}), source.q[v], dx, dy, dz, sum);
        } else {
          Kernel::of_cube(Correction<terms>::cube(r2, V(source.q[v] * seed), t, Real{}), r2, dx, dy, dz, sum);
        }
    } else if constexpr (fitted) {
      V seed = inverse_sqrt_seed(r2);
      if constexpr (guarded) seed = distance2 < nearest * nearest ? V{} : seed;
      const V root = Correction<terms>::root(r2, seed, V(seed * seed), Real{});
      q = guarded ? (distance2 < nearest * nearest ? V{} : q) : q;  // the second polynomial is not 0 there
      Kernel::template of_decay<parts>(decay_.over_distance(r2, root), root, decay_.fall(r2, root), q, dx, dy, dz, sum);
    } else {
      if constexpr (guarded) q = distance2 < nearest * nearest ? V{} : q;
      if constexpr (guarded) r2 = distance2 < nearest * nearest ? V{} + Real(1) : r2;
      close_.kernel().template pair<parts>(r2, dx, dy, dz, q, sum);
    }
  }

  template <int n>
  FARFIELD_INLINE void deliver(const Tile<n>& a, int i, std::int64_t first, std::int64_t end) const {
    const auto results = part_scales<typename Kernel::Basis, Real>(1 / frame_.factor, frame_.factor);
    for (int v = 0; v < what.densities; ++v)
      for (int part = first_part(parts); part < end_part(parts); ++part)
        add_to(work_.result.any(part) + v * work_.result_pitch + first,
               a.sum[i][v * Tile<n>::pitch + part] * results[part], end - first);
  }
  /// Writes no result beyond `valid`: the next ones belong to another box, perhaps of another thread.
  static FARFIELD_INLINE void add_to(Real* result, V v, std::int64_t valid) {
    if (valid >= lanes<Real>) return store(result, V(load(result) + v));
    for (int k = 0; k < valid; ++k) result[k] += v[k];
  }

  const Work<Real>& work_;
  const Frame& frame_;
  const Fit decay_;
  const ClosePairs<Kernel, Real, what, softened> close_;
};

}  // namespace farfield::cpu::FARFIELD_ISA

// Pair sums of a tile of targets with sources that carry charges, dipoles or both, up to the Hessian; by one block.
//
// As in pair_sum.hpp threads hold targets in registers, groups of threads share the staged sources, and in single
// coordinates are relative to a frame. A batch of sources is not summed anew where one is close, as there: a thread
// leaves out its close pairs, notes their sources as bits, and adds the pairs, from the exact coordinates, when the
// sums of the batch need no registers any more.
//
// Cost per pair, instructions in single: dipoles with gradient 26, charges with Hessian 27, both 44, of which one is a
// reciprocal square root; charges with gradient are 15 (pair_sum.hpp). One H200, 64 points per leaf: 1.21, 1.21 and
// 2.15 ps, charges 0.73 (bench/gpu_p2p moments).
//
// Close, in single: a term 1/r^k errs by k 2^-25 / r of itself, so that what is close_square for the gradient of
// charges (k = 2) is four times as much for a Hessian or the gradient of dipoles, and nine times for the Hessian of
// dipoles: sums err by about 31, 31 and 15 times 2^-25 then (docs/mathematics/dipoles.md). A thousandth of the near
// pairs are close.
//
// Pairs with a Gaussian core are those of 1/r from its reach on, to the last bit. Where a source is beyond the reach
// from all targets of a thread, the exponential and the polynomials are left out: of a warp whose targets lie together,
// most sources of a leaf that is wide beside the core, and of a direct sum nearly all.
#pragma once
#include <limits>

#include "backends/cuda/near/pair_sum.hpp"
#include "kernels/moments.hpp"

#pragma nv_diag_suppress 128  // in formulas for all parts, loops over those that a sum does not have

namespace farfield::cuda {

/// How much farther than close_square, in squares of distances, a pair counts as close.
template <class Real>
__device__ constexpr Real close_factor(int parts, int moments) {
  const int order = order_of(parts - 1) + (moments == with_dipole ? 1 : 0);
  return order < 2 ? Real(1) : order == 2 ? Real(4) : Real(9);
}

/// The pair of target t and source s from the exact coordinates, in the frame's units. `softening` as in moments_pair.
template <class Kernel, class Real, int parts, int moments, Softened softened>
__device__ __noinline__ void exact_moments(const NearWork<Real>& work, double factor, std::int64_t t, std::int64_t s,
                                           Real softening, Real q, const Real (&p)[3], Real* out) {
  double d[3];
#pragma unroll
  for (int a = 0; a < 3; ++a) d[a] = displacement(work.target[a][t], work.source[a][s]) * factor;
  const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  if (r2 >= static_cast<double>(least_square_of_moments<Real>))
    return moments_pair<Kernel, parts, moments, softened>(static_cast<Real>(r2), softening, q, p,
                                                          static_cast<Real>(d[0]), static_cast<Real>(d[1]),
                                                          static_cast<Real>(d[2]), out);
  if (softened != Softened::no && work.is_self(s, t)) return;
  double length = work.softening.length, pair[parts] = {};
  if constexpr (has_lengths(softened)) length = pair_length<softened>(work.target_length[t], work.source_length[s]);
  const double dipole[3] = {static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2])};
  nearest_moments_pair<Kernel, parts, moments, softened>(length * factor, d, static_cast<double>(q), dipole, pair);
  for (int part = 0; part < parts; ++part) out[part] += static_cast<Real>(pair[part]);
}

/// `n` targets per thread; `Total`: of what the sums of chunks are added up.
template <class Kernel, class Real, int parts, int moments, Softened softened, int threads, int n, class Total>
class MomentSum {
  static constexpr int chunk = (sizeof(Real) == 4 ? 4 : 2) * threads;
  static constexpr int at_once = sizeof(Real) == 4 ? 4 : 2;  ///< sources that a thread stages at a time
  static constexpr int batch = 64;  ///< sources of a group, as many as there are bits to note them
  static constexpr bool by_points = has_lengths(softened);  ///< softening lengths are the points' own
  static constexpr bool carries = moments == with_dipole || by_points;
  static constexpr bool settles = softened == Softened::no;  ///< sums of which settle_moments makes results
  /// A squared distance for pairs that add nothing: the root's approximation makes 0 of it in single; in double it
  /// would be no number, and inside a spline or core nothing follows from 1/r, so that a choice is left.
  static constexpr bool vanishes = sizeof(Real) == 4 && !has_reach(softened);
  static constexpr Real nowhere = vanishes ? std::numeric_limits<Real>::infinity() : Real(1e30);
  using Place = Staged<Real>;

 public:
  static constexpr int most_targets = n * threads;
  struct Shared {
    Place source[chunk];
    Place carried[carries ? chunk : 1];  ///< a source's dipole, and its softening length
    std::uint32_t index[chunk];
    Total total[parts][n][threads];
    PairFrame<Real> frame;
  };

  /// For targets first ... first + count of the work; `shared.frame` is already made. `deep` as in PairSum.
  template <class TargetAt>
  __device__ MomentSum(const NearWork<Real>& work, Shared& shared, int count, const TargetAt& target)
      : work_(work), shared_(shared), count_(count), units_((count + n - 1) / n) {
    const int thread = static_cast<int>(threadIdx.x);
    groups_ = threads / units_, group_ = thread / units_, unit_ = thread % units_;
    const double factor = shared.frame.factor, length = work.softening.length * factor;
    if constexpr (softened == Softened::plummer || softened == Softened::algebraic)
      softening_ = static_cast<Real>(length * length);
    if constexpr (softened == Softened::spline || softened == Softened::gauss)
      softening_ = static_cast<Real>(1 / length);
    close_ = leading_bits(sizeof(Real) == 4 ? work.close_square * close_factor<Real>(parts, moments)
                                            : least_square_of_moments<Real>);
    if constexpr (softened == Softened::gauss) beyond_ = max(close_, leading_bits(static_cast<Real>(length * length)));
#pragma unroll
    for (int i = 0; i < n; ++i) {
      const std::int64_t t = target(own(i));
      x_[i] = place<Real>(__ldg(work.target[0] + t), shared.frame, 0);
      y_[i] = place<Real>(__ldg(work.target[1] + t), shared.frame, 1);
      z_[i] = place<Real>(__ldg(work.target[2] + t), shared.frame, 2);
      if constexpr (by_points) length_[i] = carried_length(work.target_length[t]);
      for (int part = 0; part < parts; ++part) shared.total[part][i][thread] = 0;
    }
  }

  /// Sums all of `sources` (source_rows.hpp); by all threads. target(i): index of the tile's i-th target.
  template <class Sources, class TargetAt>
  __device__ void add(Sources& sources, const TargetAt& target) {
    for (bool more = true; more;) {
      int staged = 0;
      while (staged < chunk && (more = sources.ready())) {
        const int here = static_cast<int>(min(sources.left(), static_cast<std::uint32_t>(chunk - staged)));
        stage_sources<threads, at_once>(
            work_, shared_.frame, here, [&](int i) { return sources(static_cast<std::uint32_t>(i)); },
            [&](int i, bool exists, const Place& source, std::uint32_t s) {
              store_if(exists, &shared_.source[staged + i], source);
              if (exists) shared_.index[staged + i] = s;
            });
        if constexpr (carries) stage_carried(staged, here);
        sources.take(static_cast<std::uint32_t>(here));
        staged += here;
      }
      __syncthreads();
      if (group_ < groups_)
        for (int first = group_; first < staged; first += batch * groups_)
          add_batch(first, min((staged - first + groups_ - 1) / groups_, batch), target);
      __syncthreads();
    }
  }

  /// Adds (or, `overwrite`, stores) the results: first the sums over all groups, then what becomes of them.
  template <class TargetAt>
  __device__ void finish(bool overwrite, const TargetAt& target) {
    __syncthreads();
    const int slots = n * units_;
    for (int k = static_cast<int>(threadIdx.x); k < slots * parts; k += threads) {
      const int part = k / slots, slot = k - part * slots, i = slot / units_;
      Total* const totals = shared_.total[part][i] + (slot - i * units_);
      Total sum = totals[0];
      for (int g = 1; g < groups_; ++g) sum += totals[g * units_];
      totals[0] = sum;
    }
    __syncthreads();
    for (int k = static_cast<int>(threadIdx.x); k < count_; k += threads) {
      const int i = k / units_;
      Total sum[parts];
      for (int part = 0; part < parts; ++part) sum[part] = shared_.total[part][i][k - i * units_];
      if constexpr (settles) Kernel::template settle_moments<parts, moments>(sum);
      const std::int64_t t = target(k);
#pragma unroll
      for (int part = 0; part < parts; ++part) {
        Real* const result = work_.result.part[part] + t;
        const Real value = static_cast<Real>(sum[part] * static_cast<Total>(shared_.frame.scale[part]));
        *result = overwrite ? value : *result + value;
      }
    }
  }

 private:
  /// Which of the tile's targets is this thread's i-th; threads beyond the last target repeat it.
  __device__ int own(int i) const { return min(unit_ + i * units_, count_ - 1); }

  /// A softening length as pairs need it: of Plummer's kernel half its square, two of which add up to a pair's.
  __device__ Real carried_length(double length) const {
    length *= shared_.frame.factor;
    return static_cast<Real>(softened == Softened::plummer_lengths ? length * length / 2 : length);
  }

  /// Dipoles are charges times lengths.
  __device__ Real in_frame(Real moment) const {
    return sizeof(Real) == 8 ? moment : moment * static_cast<Real>(shared_.frame.factor);
  }

  /// What the sources beside carry; a thread has staged the sources whose indices it reads. All loads come before the
  /// first store, as in stage_sources.
  __device__ void stage_carried(int first, int count) {
    for (int i = static_cast<int>(threadIdx.x); i < count; i += at_once * threads) {
      Place carried[at_once];
#pragma unroll
      for (int b = 0; b < at_once; ++b) {
        const int own = i + b * threads;
        carried[b] = carried_by(shared_.index[first + (own < count ? own : i)]);
      }
#pragma unroll
      for (int b = 0; b < at_once; ++b)
        store_if(i + b * threads < count, &shared_.carried[first + i + b * threads], carried[b]);
    }
  }
  __device__ Place carried_by(std::uint32_t s) const {
    Place carried{};
    if constexpr (moments == with_dipole)
      carried = {in_frame(__ldg(work_.dipole[0] + s)), in_frame(__ldg(work_.dipole[1] + s)),
                 in_frame(__ldg(work_.dipole[2] + s)), Real(0)};
    if constexpr (by_points) carried.q = carried_length(work_.source_length[s]);
    return carried;
  }

  __device__ Real softening_of(int i, const Place& carried) const {
    if constexpr (softened == Softened::plummer_lengths) return length_[i] + carried.q;
    if constexpr (softened == Softened::spline_lengths)
      return Real(1) / (length_[i] > carried.q ? length_[i] : carried.q);
    return softening_;
  }

  /// The sources at `begin`, begin + groups, ..., `rounds` of them.
  template <class TargetAt>
  __device__ __forceinline__ void add_batch(int begin, int rounds, const TargetAt& target) {
    Real sum[n][parts] = {};
    unsigned long long met = 0;  // sources that are close to a target
#pragma unroll 1
    for (int round = 0, at = begin; round < rounds; ++round, at += groups_) {
      const Place source = load(shared_.source[at]);
      Place carried{};
      if constexpr (carries) carried = load(shared_.carried[at]);
      Real dx[n], dy[n], dz[n], r2[n];
      int least = 0x7fffffff;
#pragma unroll
      for (int i = 0; i < n; ++i) {
        dx[i] = x_[i] - source.x, dy[i] = y_[i] - source.y, dz[i] = z_[i] - source.z;
        r2[i] = square_of(dx[i], dy[i], dz[i]);
        least = min(least, leading_bits(r2[i]));
      }
      if (least <= close_) {
        met |= 1ull << round;
#pragma unroll
        for (int i = 0; i < n; ++i) r2[i] = leading_bits(r2[i]) <= close_ ? nowhere : r2[i];
      }
      if constexpr (softened == Softened::gauss)
        if (least > beyond_) {
#pragma unroll
          for (int i = 0; i < n; ++i)
            add_core({{1, 1, 3, 15}, approximate_inverse_sqrt(r2[i])}, source.q, carried, dx[i], dy[i], dz[i], sum[i]);
          continue;
        }
#pragma unroll
      for (int i = 0; i < n; ++i) add_one(i, r2[i], dx[i], dy[i], dz[i], source.q, carried, sum[i]);
    }
#pragma unroll
    for (int i = 0; i < n; ++i)
#pragma unroll
      for (int part = 0; part < parts; ++part) shared_.total[part][i][threadIdx.x] += static_cast<Total>(sum[i][part]);
#pragma unroll 1
    for (; met; met &= met - 1) add_close(begin + (__ffsll(static_cast<long long>(met)) - 1) * groups_, target);
  }

  __device__ __forceinline__ void add_one(int i, Real r2, Real dx, Real dy, Real dz, Real q, Place p, Real* sum) const {
    const Real softening = softening_of(i, p);
    Real inverse = approximate_inverse_sqrt(settles || has_reach(softened) ? r2 : r2 + softening);
    if constexpr (!vanishes) {
      const bool counts = leading_bits(r2) < leading_bits(nowhere);
      inverse = counts ? inverse : Real(0);
      if (has_reach(softened) && !counts) q = p.x = p.y = p.z = 0;
      if (softened == Softened::gauss && !counts) r2 = inverse = 1;  // powers of a small reach's inverse overflow
    }
    if constexpr (settles)
      Kernel::template sum_moments<parts, moments>(inverse, q, p.x, p.y, p.z, dx, dy, dz, sum);
    else if constexpr (is_spline(softened))
      Kernel::template of_spline_moments<parts, moments>(inverse, r2, softening, q, p.x, p.y, p.z, dx, dy, dz, sum);
    else if constexpr (is_core(softened))
      add_core(core_orders<softened>(inverse, r2, softening), q, p, dx, dy, dz, sum);
    else
      Kernel::template of_moments<parts, moments>(inverse, q, p.x, p.y, p.z, dx, dy, dz, sum);
  }

  __device__ static void add_core(const CoreOrders<Real>& core, Real q, const Place& p, Real dx, Real dy, Real dz,
                                  Real* sum) {
    Kernel::template of_orders<parts, moments>(core.n, core.s, q, p.x, p.y, p.z, dx, dy, dz, sum);
  }

  /// Adds the exact pairs of a source with the targets close to it.
  template <class TargetAt>
  __device__ void add_close(int at, const TargetAt& target) const {
    const Place source = shared_.source[at], carried = shared_.carried[carries ? at : 0];
    const std::int64_t s = shared_.index[at];
#pragma unroll
    for (int i = 0; i < n; ++i) {
      const Real r2 = square_of(x_[i] - source.x, y_[i] - source.y, z_[i] - source.z);
      const std::int64_t t = target(own(i));
      if (leading_bits(r2) > close_ || (work_.alike && s == t)) continue;
      Real pair[parts] = {};
      exact_moments<Kernel, Real, parts, moments, softened>(work_, shared_.frame.factor, t, s, softening_of(i, carried),
                                                            source.q, {carried.x, carried.y, carried.z}, pair);
      if constexpr (settles) unsettle(pair);
      for (int part = 0; part < parts; ++part) shared_.total[part][i][threadIdx.x] += static_cast<Total>(pair[part]);
    }
  }

  /// Of what settle_moments makes `pair`, a pair of 1/r, whose Hessian has no trace.
  __device__ static void unsettle(Real* pair) {
    for (int part = with_gradient; part < parts; ++part)
      pair[part] *= Real(1.0 / 3) * (moments == with_dipole && part < 7 ? Real(0.5) : Real(1));
  }

  const NearWork<Real>& work_;
  Shared& shared_;
  const int count_, units_;
  int groups_, group_, unit_, close_;
  int beyond_ = 0;  ///< leading bits of the square of a Gaussian core's reach, at least close_
  Real x_[n], y_[n], z_[n], length_[n], softening_ = 0;
};

}  // namespace farfield::cuda

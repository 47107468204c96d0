// Pair sums of a tile of targets with ranges of sources by one block: p2p of larger leaves and the direct sum.
//
// The block holds up to `threads * n` targets in registers, `n` per thread; where there are fewer, several groups
// of threads hold the same targets and share the sources, and the sums of the groups are added in shared memory.
// Sources are staged in shared memory in chunks and dealt to the groups four at a time.
#pragma once
#include "backends/cuda/near/pair_targets.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {

/// Index of the target at `place` in the order of the direct sum (Work::target_curve).
template <class Real>
__device__ std::int64_t direct_target(const NearWork<Real>& work, std::int64_t place) {
  return work.target_curve ? work.target_curve[place] : place;
}

/// `deep`, for the direct sum and for leaves that a softening makes wide: sums of three levels (batch, chunk, total),
/// since there are more sources than in other leaves, and tiles in the order of Work::target_curve. `n`: targets of a
/// thread. `Source`: LeafSource where sources, and targets, are read from NearWork::in_leaf.
template <class Kernel, class Real, int parts, int threads, Softened softened = Softened::no, bool deep = false,
          int densities = 1, int n = tuning::targets_per_thread<Real>, class Source = std::uint32_t>
class PairSum {
  static constexpr bool in_leaves = std::is_same_v<Source, LeafSource>;
  using Sums = SumsOf<Real, densities>;
  using More = Further<Real, densities>;
  static constexpr int chunk = tuning::staged_per_thread<Real> * threads;
  static constexpr int dealt = 4;  // sources of a group per round
  static constexpr int batch = 8;  // rounds discarded together: of batches with 32 sources one in some hundred
  /// The j-th sources of all rounds form a column, so that neighbouring groups read neighbouring places. Columns begin
  /// at different banks, so that consecutive sources are written to different banks.
  static constexpr int column = chunk / dealt + (sizeof(Real) == 4 ? 2 : 1);
  static constexpr int nobody = -2 * n * threads;
  struct OneDensity {};
  struct FurtherDensities {
    More more[dealt * column];
  };

 public:
  static constexpr int most_targets = n * threads;
  /// A block's shared memory. Totals are read and written only once per batch: registers are for the current sums.
  struct Shared : std::conditional_t<densities == 1, OneDensity, FurtherDensities> {
    Staged<Real> source[dealt * column];
    std::uint32_t index[dealt * column];
    Sums total[n][threads];
    PairFrame<Real> frame;
  };
  static constexpr std::int64_t nowhere = nobody;

  /// For targets first ... first + count of the work; `shared.frame` is already made. `self`: the place of target
  /// `first` itself among the guarded sources, or nowhere.
  __device__ PairSum(const NearWork<Real>& work, Shared& shared, std::int64_t first, int count,
                     std::int64_t self = nowhere)
      : work_(work), shared_(shared), first_(first), count_(count), self_(self) {
    units_ = (count + n - 1) / n;
    groups_ = best_groups(quotient(threads, units_));
    group_ = quotient(static_cast<int>(threadIdx.x), units_);
    unit_ = static_cast<int>(threadIdx.x) - group_ * units_;
    targets_.prepare(work, shared.frame.factor);
#pragma unroll
    for (int i = 0; i < n; ++i) {
      const Staged<Real> t = target_at(target(own(i)));
      targets_.x[i] = t.x, targets_.y[i] = t.y, targets_.z[i] = t.z;
      shared_.total[i][threadIdx.x] = {};
    }
  }

  /// The next `count` sources lie where the targets do, or are the targets: close pairs are likely, so
  /// sum_carefully sums these sources at once.
  __device__ void guard(std::uint32_t count) { guarded_ = count; }

  /// Sums all of `sources`; by all threads. ready(): are there more? left(): how many are at hand now; the s-th of
  /// these has index sources(s). take(n): moves past n of them.
  template <class Sources>
  __device__ void add(Sources& sources) {
    for (bool more = true; more;) {
      int staged = 0;
      while (staged < chunk && (more = sources.ready())) {
        const int here = static_cast<int>(min(sources.left(), static_cast<std::uint32_t>(chunk - staged)));
        stage_sources<threads, sizeof(Real) == 4 ? 4 : 2>(
            work_, shared_.frame, here, [&](int i) { return sources(static_cast<std::uint32_t>(i)); },
            [&](int i, bool exists, const Staged<Real>& source, std::uint32_t s) {
              store_if(exists, &shared_.source[slot(staged + i)], source);
              if (exists) shared_.index[slot(staged + i)] = s;
              if constexpr (densities > 1)
                if (exists) shared_.more[slot(staged + i)] = further(s);
            });
        sources.take(static_cast<std::uint32_t>(here));
        staged += here;
      }
      if (staged > 0) sum_chunk(staged);
    }
  }

  /// Adds (or, `overwrite`, stores) the results: sums over all groups, in two steps where there are many groups.
  __device__ void finish(bool overwrite) {
    const int slots = n * units_, thread = static_cast<int>(threadIdx.x), shares = quotient(threads, slots);
    int left = groups_;  // whose sums are still to be added up
    __syncthreads();
    if (shares > 1 && shares < groups_) {
      const int share = quotient(thread, slots), slot = thread - share * slots;
      if (share < shares) {
        Sums sum = of_group(share, slot);
#pragma unroll 1
        for (int g = share + shares; g < groups_; g += shares) sum += of_group(g, slot);
        of_group(share, slot) = sum;
      }
      __syncthreads();
      left = shares;
    }
#pragma unroll 1
    for (int i = thread; i < count_; i += threads) {
      Sums sum = of_group(0, i);
#pragma unroll 1
      for (int g = 1; g < left; ++g) sum += of_group(g, i);
      deliver(i, sum, overwrite);
    }
  }

 private:
  /// a / b of small integers, rounded down.
  __device__ static int quotient(int a, int b) {
    return static_cast<int>(__fdividef(static_cast<float>(a) + 0.5f, static_cast<float>(b)));
  }

  /// Up to three groups fewer than `most`, where units * groups then wastes fewer lanes of its last warp.
  __device__ int best_groups(int most) const {
    int best = most, lanes = 0, whole = 1;
#pragma unroll
    for (int less = 0; less < 4; ++less) {
      const int used = (most - less) * units_, warps = (used + 31) / 32;
      if (used > 0 && used * whole > lanes * warps) best = most - less, lanes = used, whole = warps;
    }
    return best;
  }

  /// Where the i-th source of a chunk is staged.
  __device__ static unsigned slot(int i) {
    const auto u = static_cast<unsigned>(i);
    return u % dealt * column + u / dealt;
  }

  /// Which of the tile's targets is this thread's i-th; threads beyond the last target repeat it.
  __device__ int own(int i) const { return min(unit_ + i * units_, count_ - 1); }

  __device__ More further(std::uint32_t s) const {
    More more;
    for (int v = 1; v < densities; ++v) more.q[v - 1] = __ldg(work_.strength + v * work_.strength_pitch + s);
    return more;
  }
  __device__ More more([[maybe_unused]] int at) const {
    if constexpr (densities > 1) return shared_.more[at];
    return {};
  }
  __device__ void clear(int i) {
    shared_.source[slot(i)] = no_source<Real>();
    if constexpr (densities > 1) shared_.more[slot(i)] = {};
  }

  /// In the frame, whose centre is that of the targets' leaf where these are read from in_leaf.
  __device__ Staged<Real> target_at(std::int64_t t) const {
    if constexpr (in_leaves) {
      const LeafSource same{static_cast<std::uint32_t>(t), {0, 0, 0}};
      Loaded<Real, LeafSource> loaded;
      loaded.load(work_, same);
      return loaded.in(shared_.frame, same);
    } else {
      return {place<Real>(__ldg(work_.target[0] + t), shared_.frame, 0),
              place<Real>(__ldg(work_.target[1] + t), shared_.frame, 1),
              place<Real>(__ldg(work_.target[2] + t), shared_.frame, 2), 0};
    }
  }

  /// Index of the tile's i-th target, and of its results.
  __device__ std::int64_t target(int i) const {
    if constexpr (deep) return direct_target(work_, first_ + i);
    return first_ + i;
  }
  __device__ std::int64_t result(int i, [[maybe_unused]] int density) const {
    if constexpr (densities > 1) return target(i) + density * work_.result_pitch;
    return target(i);
  }

  __device__ void sum_chunk(int staged) {
    const int round = dealt * groups_, filled = min(quotient(staged + round - 1, round) * round, chunk);
    for (int i = staged + static_cast<int>(threadIdx.x); i < filled; i += threads) clear(i);
    __syncthreads();
    if (group_ < groups_) sum_rounds(filled, round);
    __syncthreads();
    self_ -= staged;
    guarded_ -= min(guarded_, static_cast<std::uint32_t>(staged));
  }

  /// By batches of rounds; the guarded sources are a batch of their own.
  __device__ void sum_rounds(int filled, int round) {
    const int guarded = Kernel::singular ? static_cast<int>(min(guarded_, static_cast<std::uint32_t>(chunk))) : 0;
    Sums sum[n] = {};
#pragma unroll 1
    for (int first = 0, last; first < filled; first = last) {
      last = min(first < guarded ? quotient(guarded + round - 1, round) * round : first + batch * round, filled);
      Sums part[n] = {};
      Watch<Real> watch;
      bool close = first < guarded;
      if (!close) {
#pragma unroll 1
        for (int at = first / dealt + group_; at < last / dealt; at += groups_)
#pragma unroll
          for (int j = 0; j < dealt; ++j)
            targets_.add(load(shared_.source[j * column + at]), part, watch, more(j * column + at));
        close = Kernel::singular && watch.found_close(targets_.close_square);
      }
      if (close) sum_carefully(first / dealt + group_, last / dealt, part);
      if constexpr (deep)
#pragma unroll
        for (int i = 0; i < n; ++i) sum[i] += part[i];
      else
        add_to_total(part);
    }
    if constexpr (deep) add_to_total(sum);
  }

  /// Overwrites `part` with the sums of a batch. Close pairs come last: added first, their large terms would swallow
  /// the many small ones in single precision.
  __device__ __forceinline__ void sum_carefully(int begin, int end, Sums (&part)[n]) const {
#pragma unroll
    for (int i = 0; i < n; ++i) part[i] = {};
    bool any = false;
#pragma unroll 1
    for (int at = begin; at < end; at += groups_)
#pragma unroll 1
      for (int j = 0; j < dealt; ++j)
        any |= others(targets_.add_clear(load(shared_.source[j * column + at]), part, more(j * column + at)),
                      dealt * at + j) != 0;
    if (any)
#pragma unroll 1
      for (int at = begin; at < end; at += groups_)
#pragma unroll 1
        for (int j = 0; j < dealt; ++j) add_exact(load(shared_.source[j * column + at]), j, at, part);
  }
  __device__ __forceinline__ void add_exact(const Staged<Real>& s, int j, int at, Sums (&part)[n]) const {
    const unsigned close = others(targets_.close_to(s), dealt * at + j);
    const std::uint32_t index = shared_.index[j * column + at];
    add_exact_pairs<Kernel, Real, parts, softened>(
        work_, shared_.frame, close, [&](int i) { return target(own(i)); }, index, part,
        [&](int i) { return targets_.template seen<Source>(s, i); });
  }

  /// Of the targets that a source is close to, those that are not that source itself, unless that counts.
  __device__ unsigned others(unsigned close, int at) const {
#pragma unroll
    for (int i = 0; i < n; ++i)
      if (!CountsCoincident<Kernel> && at == self_ + own(i)) close &= ~(1u << i);
    return close;
  }

  __device__ void add_to_total(const Sums (&part)[n]) const {
#pragma unroll
    for (int i = 0; i < n; ++i) shared_.total[i][threadIdx.x] += part[i];
  }

  /// A group's total for target `slot` of the tile.
  __device__ Sums& of_group(int group, int slot) const {
    const int i = slot / units_;
    return shared_.total[i][group * units_ + slot - i * units_];
  }

  __device__ void deliver(int i, const Sums& sums, bool overwrite) const {
#pragma unroll
    for (int v = 0; v < densities; ++v) {
      const PairSums<Real>& sum = of_density(sums, v);
      Real values[] = {sum.u, sum.gx, sum.gy, sum.gz};
#pragma unroll
      for (int part = first_part(parts); part < end_part(parts); ++part) {
        values[part] *= shared_.frame.scale[part];
        if (!overwrite) values[part] += work_.result[part][result(i, v)];
      }
#pragma unroll
      for (int part = first_part(parts); part < end_part(parts); ++part)
        work_.result[part][result(i, v)] = values[part];
    }
  }

  const NearWork<Real>& work_;
  Shared& shared_;
  const std::int64_t first_;
  const int count_;
  int units_, groups_, group_, unit_;
  std::int64_t self_;
  std::uint32_t guarded_ = 0;
  PairTargets<Kernel, Real, n, parts, softened, densities> targets_;
};

}  // namespace farfield::cuda

// A warp's sums over the leaves near one child: first without remainders and without a test, then again with them where
// another leaf has a source within 1/64 of the edge. The child's own leaf is summed with remainders.
#pragma once
#include "backends/cuda/planar/family_leaves.hpp"
#include "kernels/inverse_square.hpp"

namespace farfield::cuda::plane {

/// A warp's sums for one child. A unit is a lane's `n` targets; groups of `units_` lanes share the sources.
template <class Kernel, class Real, int parts, int n>
class ChildSum {
  static constexpr bool potential = parts != gradient_alone, gradient = parts > 1;
  using Sums = SumsOf<Real, parts>;

 public:
  __device__ ChildSum(const NearWork<Real>& work, Shared<Real, parts>& shared, int from, int child)
      : work_(work), shared_(shared), from_(from), child_(child), count_(shared.around.targets[child]) {
    const float lane = static_cast<float>(threadIdx.x % 32) + 0.5f;
    units_ = (count_ + n - 1) / n;
    groups_ = static_cast<int>(__fdividef(32.5f, static_cast<float>(units_)));
    group_ = static_cast<int>(__fdividef(lane, static_cast<float>(units_)));
    unit_ = static_cast<int>(threadIdx.x % 32) - group_ * units_;
    if constexpr (potential) nothing_ = static_cast<Real>(kernel().own.log_unit / half_unit<Real>);
    if constexpr (HasCore<Kernel>) cored_ = kernel();
    const int own = offset(own_entry()) - from_, own_end = own + count_;
    self_ = work.alike ? own : -2 * tuning::family_leaf;
    const bool staged = work.alike && own >= 0 && own_end <= room<Real>;
#pragma unroll
    for (int i = 0; i < n; ++i) {
      const std::int64_t t = shared.around.target_begin[child] + target(i);
      target_[i] = staged ? load(shared.source[own + target(i)])
                          : make_source(work.target[0][t], work.target[1][t], Real(0), shared.around.frame);
    }
  }

  __device__ void sum() {
    int least = 0x7fffffff;
    each_other([&](const Source<Real>& s, int) { add_plain(s, least); });
    const bool again = __any_sync(all_lanes, least <= leading_bits(close_square<Real>));
    if (again) {
#pragma unroll
      for (Sums& sum : sums_) sum = {};
      charge_ = 0;
    }
    least = 0x7fffffff;
    const auto carefully = [&](const Source<Real>& s, int at) { add_with_rest(s, at, least); };
    if (again) each_other(carefully);
    each_own(carefully);
    if (!__any_sync(all_lanes, least <= leading_bits(closest_square<Real>))) return;
    const auto closest = [&](const Source<Real>& s, int at) { add_closest(s, at); };
    each_other(closest);
    each_own(closest);
  }

  /// Adds the sums of all groups to the results, or overwrites the results, through shared memory.
  __device__ void deliver() {
    const bool overwrite = work_.alike && from_ == 0;
    Sums* mine = shared_.sums[threadIdx.x / 32];
    __syncwarp();
    if (group_ < groups_)
#pragma unroll
      for (int i = 0; i < n; ++i) {
        if constexpr (potential) sums_[i].charge = charge_;
        mine[(group_ * n + i) * units_ + unit_] = sums_[i];
      }
    __syncwarp();
    const int slots = n * units_;
    const PartScales<Real> scale = shared_.around.frame.scale;
    for (int i = static_cast<int>(threadIdx.x % 32); i < count_; i += 32) {
      const std::int64_t t = shared_.around.target_begin[child_] + i;
      Real old[with_gradient] = {};
      if (!overwrite)
#pragma unroll
        for (int part = first_part(parts); part < end_part(parts); ++part) old[part] = work_.result[part][t];
      Sums sum = {};
      for (int at = i; at < groups_ * slots; at += slots) sum += mine[at];
      if constexpr (potential) {
        const Real value = kernel().of_sums(static_cast<Real>(half_unit<Real>) * sum.log, sum.charge);
        work_.result[0][t] = old[0] + value * scale[0];
      }
      if constexpr (gradient) {
        work_.result[1][t] = old[1] + sum.gx * scale[1];
        work_.result[2][t] = old[2] + sum.gy * scale[2];
        if (overwrite) work_.result[3][t] = 0;
      }
    }
    __syncwarp();
  }

 private:
  __device__ int own_entry() const { return 5 + (child_ & 1) + 4 * (child_ >> 1); }
  __device__ int offset(int entry) const { return shared_.around.offset[entry]; }
  __device__ int target(int i) const { return min(unit_ + i * units_, count_ - 1); }

  /// Calls use(source, its place) for this group's share of the staged sources at offsets low ... high - 1.
  template <class Use>
  __device__ __forceinline__ void over(int low, int high, const Use& use) const {
    const int begin = max(low - from_, 0), end = min(high - from_, room<Real>);
    if (group_ < groups_)
#pragma unroll 2
      for (int at = begin + group_; at < end; at += groups_) use(load(shared_.source[at]), at);
  }
  template <class Use>
  __device__ __forceinline__ void each_own(const Use& use) const {
    over(offset(own_entry()), offset(own_entry() + 1), use);
  }
  /// The three rows around the child, the middle one in two parts, and the coarser leaves.
  template <class Use>
  __device__ __forceinline__ void each_other(const Use& use) const {
    const int runs = 4 + static_cast<int>(shared_.around.takers >> child_ & 1u), middle = own_entry();
#pragma unroll 1
    for (int run = 0; run < runs; ++run) {
      const int first = run == 0   ? middle - 5
                        : run == 1 ? middle - 1
                        : run == 2 ? middle + 1
                        : run == 3 ? middle + 3
                                   : even;
      const int last = run == 0   ? middle - 2
                       : run == 1 ? middle
                       : run == 2 ? middle + 2
                       : run == 3 ? middle + 6
                                  : entries;
      over(offset(first), offset(last), use);
    }
  }

  __device__ void add_plain(const Source<Real>& s, int& least) {
    if constexpr (potential) charge_ += s.q;
    Real seen[n];
#pragma unroll
    for (int i = 0; i < n; ++i) {
      const Real dx = target_[i].x - s.x, dy = target_[i].y - s.y;
      seen[i] = fma(dy, dy, dx * dx);
      add(i, seen[i], logarithm_of(seen[i]), dx, dy, s.q);
    }
#pragma unroll
    for (int i = 0; i < n; i += 2) least = __vimin3_s32(least, leading_bits(seen[i]), leading_bits(seen[i + 1]));
  }
  __device__ void add(int i, Real r2, [[maybe_unused]] Real logarithm, Real dx, Real dy, Real q) {
    if constexpr (potential) sums_[i].log += q * logarithm;
    if constexpr (gradient) {
      const Real g = q * over_square(r2);
      sums_[i].gx -= g * dx;
      sums_[i].gy -= g * dy;
    }
  }

  __device__ static Real logarithm_of([[maybe_unused]] Real r2) {
    if constexpr (potential) return pair_logarithm(r2);
    return 0;
  }
  __device__ Real over_square(Real r2) const {
    if constexpr (HasCore<Kernel>) return cored_.over_square(r2);
    return Kernel{}.over_square(r2);
  }

  /// Leaves out the target itself and the closest pairs: what makes their share of of_sums 0 is added instead.
  __device__ void add_with_rest(const Source<Real>& s, int at, int& least) {
    if constexpr (potential) charge_ += s.q;
#pragma unroll
    for (int i = 0; i < n; ++i) {
      Real dx, dy;
      difference(target_[i], s, dx, dy);
      const Real r2 = fma(dy, dy, dx * dx);
      const bool self = at == self_ + target(i), out = self || !(r2 > closest_square<Real>);
      if (!self) least = min(least, leading_bits(r2));
      const Real kept = out ? Real(1) : r2;
      add(i, kept, out ? nothing_ : logarithm_of(kept), out ? Real(0) : dx, out ? Real(0) : dy, s.q);
    }
  }
  __device__ void add_closest(const Source<Real>& s, int at) {
#pragma unroll
    for (int i = 0; i < n; ++i) {
      Real dx, dy;
      difference(target_[i], s, dx, dy);
      if (at == self_ + target(i) || fma(dy, dy, dx * dx) > closest_square<Real>) continue;
      const PairSums<Real> pair =
          exact_pair<Kernel, Real, parts>(work_, shared_.around.frame, shared_.around.target_begin[child_] + target(i),
                                          shared_.around.index_of(at + from_));
      if constexpr (potential) sums_[i].log -= pair.u / static_cast<Real>(half_unit<Real>);
      if constexpr (gradient) sums_[i].gx += pair.gx, sums_[i].gy += pair.gy;
    }
  }
  /// In the frame.
  __device__ Kernel kernel() const {
    return kernel_of<Kernel>(in_frame<Kernel>(work_.parameters, shared_.around.frame.factor));
  }

  const NearWork<Real>& work_;
  Shared<Real, parts>& shared_;
  const int from_, child_, count_;
  int units_, groups_, group_, unit_, self_;
  Real nothing_ = 0;  ///< the logarithm at which a pair's potential is 0
  Source<Real> target_[n];
  Sums sums_[n] = {};
  Real charge_ = 0;
  struct None {};
  std::conditional_t<HasCore<Kernel>, Kernel, None> cored_;
};

}  // namespace farfield::cuda::plane

// p2p of families. A block per parent stages the leaves around the parent once (family_leaves.hpp); a warp per child
// sums over those leaves that are near the child. The lanes of a warp form groups: a group holds all targets of the
// child, up to `n` per lane, and the groups share the sources. Only the child's own box is sure to hold close pairs: it
// is summed last, by the careful pass of pair_targets.hpp (add_clear).
#include "backends/cuda/near/families/family_leaves.hpp"
#include "backends/cuda/near/moments/moments.hpp"
#include "backends/cuda/near/pair_variants.hpp"
#include "backends/cuda/planar/families.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {
namespace {

using namespace families;

/// Blocks of a multiprocessor; of several densities as many as shared memory holds.
template <class Kernel, class Real, int parts, Softened softened, int densities>
constexpr int residents() {
  if (densities > 1) return 4;
  return is_plain<Kernel, Real, parts, softened>() ? tuning::gradient_family_blocks : tuning::family_blocks<Real>;
}

/// A warp's sums for one child. A unit is a lane's `n` targets; groups of `units_` lanes share the sources.
template <class Kernel, class Real, int parts, int n, Softened softened, int densities, class Source>
class ChildSum {
  static constexpr bool in_leaves = std::is_same_v<Source, LeafSource>;
  using Leaves = families::Leaves<Real, Source>;
  using Window = families::Window<Real, densities>;
  using More = Further<Real, densities>;

 public:
  /// Divides lanes into units and groups. With a half added, the truncated float quotient is the integer quotient.
  __device__ ChildSum(const NearWork<Real>& work, Leaves& around, const Window& window, int child)
      : work_(work),
        around_(around),
        window_(window),
        runs_(around, window, child),
        before_own_(runs_.before_own(around, child)),
        first_(around.target_begin[child]),
        count_(around.targets[child]) {
    const float lane = static_cast<float>(threadIdx.x % 32) + 0.5f;
    units_ = (count_ + n - 1) / n;
    groups_ = static_cast<int>(__fdividef(32.5f, static_cast<float>(units_)));
    group_ = static_cast<int>(__fdividef(lane, static_cast<float>(units_)));
    unit_ = static_cast<int>(threadIdx.x % 32) - group_ * units_;
    const int own = around.own_begin(child) - window.from;
    const bool alike = in_leaves ? around.has_own_targets(child) : work.alike;
    self_ = alike ? own : -2 * tuning::family_leaf;
    targets_.prepare(work, around.frame.factor);
    const bool staged = alike && own >= 0 && own + count_ <= tuning::family_room<Real>;
#pragma unroll
    for (int i = 0; i < n; ++i) {
      const Staged<Real> t = staged ? window.source[own + target(i)] : target_at(first_ + target(i));
      targets_.x[i] = t.x, targets_.y[i] = t.y, targets_.z[i] = t.z;
    }
  }

  __device__ void sum() {
    Watch<Real> watch;
#pragma unroll 1
    for (int run = 0; run < before_own_; ++run)
      over(run, [&](const Staged<Real>& s, int at) { targets_.add(s, sums_, watch, window_.more(at)); });
    const bool again = Kernel::singular && __any_sync(warp, watch.found_close(targets_.close_square));
    if (again)
#pragma unroll
      for (int i = 0; i < n; ++i) sums_[i] = {};
    const int first = again ? 0 : before_own_;
    bool close = false;
#pragma unroll 1
    for (int run = first; run <= before_own_; ++run)
      over(run, [&](const Staged<Real>& s, int at) {
        close |= others(targets_.add_clear(s, sums_, window_.more(at)), at) != 0;
      });
    if (__any_sync(warp, close)) add_close(first);
  }

  /// Adds the sums of all groups to the results, or `overwrite`s the results. The sums pass through shared memory to
  /// the lanes that own a result.
  __device__ void deliver() {
    deliver_density<0>();
    if constexpr (densities > 1) deliver_density<1>();
    if constexpr (densities > 2) deliver_density<2>();
  }

 private:
  static_assert(densities <= 3);

  template <int v>
  __device__ void deliver_density() {
    const bool overwrite = work_.alike && window_.from == 0;
    PairSums<Real>* shared = around_.sums[threadIdx.x / 32];
    __syncwarp();
    if (group_ < groups_)
#pragma unroll
      for (int i = 0; i < n; ++i) shared[(group_ * n + i) * units_ + unit_] = of_density(sums_[i], v);
    __syncwarp();
    constexpr int step = 32 / parts;
    const int lane = static_cast<int>(threadIdx.x % 32), part = lane % parts, slots = n * units_;
    const Real scale = around_.frame.scale[part];
    const Real* sums = reinterpret_cast<const Real*>(shared) + part;
    Real* results = work_.result[part] + first_;
    if constexpr (v > 0) results += v * work_.result_pitch;
#pragma unroll 1
    for (int t = lane / parts; t < count_; t += 2 * step) {  // two at a time: their old values are read at once
      const bool second = t + step < count_;
      const Real old = overwrite ? Real(0) : results[t];
      const Real old_second = second && !overwrite ? results[t + step] : Real(0);
      Real sum = 0, sum_second = 0;
#pragma unroll 1
      for (int at = t; at < groups_ * slots; at += slots) {
        sum += sums[4 * at];
        if (second) sum_second += sums[4 * (at + step)];
      }
      results[t] = old + sum * scale;
      if (second) results[t + step] = old_second + sum_second * scale;
    }
  }

  /// Which of the child's targets is the lane's i-th; lanes beyond the last target repeat it.
  __device__ int target(int i) const { return min(unit_ + i * units_, count_ - 1); }
  __device__ Staged<Real> target_at(std::int64_t t) const {
    return {place<Real>(work_.target[0][t], around_.frame, 0), place<Real>(work_.target[1][t], around_.frame, 1),
            place<Real>(work_.target[2][t], around_.frame, 2), Real(0)};
  }

  /// Calls use(source, its place in the window) for this group's share of a run, every groups_-th source. By whole
  /// warps; lanes beyond the last group have no sources.
  template <class Use>
  __device__ __forceinline__ void over(int run, const Use& use) const {
    const int begin = __shfl_sync(warp, runs_.begin, run), end = begin + __shfl_sync(warp, runs_.length, run);
    if (group_ < groups_)
#pragma unroll 1
      for (int at = begin + group_; at < end; at += groups_) use(load(window_.source[at]), at);
  }

  /// Of the targets that a source is close to, those that are not that source itself.
  __device__ unsigned others(unsigned close, int at) const {
#pragma unroll
    for (int i = 0; i < n; ++i)
      if (at == self_ + target(i)) close &= ~(1u << i);
    return close;
  }

  /// Close pairs come last: added first, their large terms would swallow the many small ones.
  __device__ void add_close(int first_run) {
#pragma unroll 1
    for (int run = first_run; run <= before_own_; ++run)
      over(run, [&](const Staged<Real>& s, int at) {
        const unsigned close = others(targets_.close_to(s), at);
        if (close) add_exact(s, at, close);
      });
  }
  __device__ __forceinline__ void add_exact(const Staged<Real>& s, int at, unsigned close) {
    add_exact_pairs<Kernel, Real, parts, softened>(
        work_, around_.frame, close, [&](int i) { return first_ + target(i); }, around_.index_of(at + window_.from),
        sums_, [&](int i) { return targets_.template seen<Source>(s, i); });
  }

  const NearWork<Real>& work_;
  Leaves& around_;
  const Window& window_;
  const Runs runs_;
  const int before_own_;  ///< runs before the child's own leaf
  const std::int64_t first_;
  const int count_;
  int units_, groups_, group_, unit_, self_;
  PairTargets<Kernel, Real, n, parts, softened, densities> targets_;
  SumsOf<Real, densities> sums_[n] = {};
};

template <class Kernel, class Real, int parts, Softened softened, int n, int densities, class Source>
__device__ void sum_child_by(const NearWork<Real>& work, Leaves<Real, Source>& around,
                             const Window<Real, densities>& window, int child) {
  ChildSum<Kernel, Real, parts, n, softened, densities, Source> sum(work, around, window, child);
  sum.sum();
  sum.deliver();
}

/// Four targets per lane in single; two where four would leave two or more places empty: 1, 2, 5, 6, 9 or 10 targets.
template <class Kernel, class Real, int parts, Softened softened, int densities, class Source>
__device__ void sum_child(const NearWork<Real>& work, Leaves<Real, Source>& around,
                          const Window<Real, densities>& window, int child) {
  constexpr int most = tuning::targets_per_lane<Real>;
  const int count = around.targets[child];
  if (most == 2 || (count <= 10 && (count - 1) % 4 < 2))
    sum_child_by<Kernel, Real, parts, softened, 2>(work, around, window, child);
  else
    sum_child_by<Kernel, Real, parts, softened, most>(work, around, window, child);
}

template <class Kernel, class Real, int parts, Softened softened, int densities, class Source>
__global__ void __launch_bounds__(threads, residents<Kernel, Real, parts, softened, densities>())
    families_kernel(const __grid_constant__ NearWork<Real> work) {
  extern __shared__ __align__(16) unsigned char dynamic[];
  __shared__ Leaves<Real, Source> around;
  for (std::int64_t f = blockIdx.x; f < *work.near.families; f += gridDim.x) {
    const Family family = work.near.family[f];
    __syncthreads();
    around.template find<Kernel>(work, family);
    Window<Real, densities> window{reinterpret_cast<Staged<Real>*>(dynamic), 0};
    for (; window.from < around.sources(); window.from += tuning::family_room<Real>) {
      if (window.from > 0) __syncthreads();
      window.stage(work, around);
      __syncthreads();
      for (int child; (child = around.take_child(family.children)) >= 0;)
        sum_child<Kernel, Real, parts, softened>(work, around, window, child);
    }
  }
}

/// Several densities at once are not softened.
template <class Kernel, class Real, int densities>
auto kernel_for(const NearWork<Real>& work) {
  const auto of = [&](auto softened) {
    constexpr Softened as = softened();
    return with_parts(work.result.parts(), [&](auto parts) {
      if constexpr (densities == 1 && is_plain<Kernel, Real, parts(), as>())
        if (work.in_leaf) return &families_kernel<Kernel, Real, parts(), as, densities, LeafSource>;
      return &families_kernel<Kernel, Real, parts(), as, densities, std::uint32_t>;
    });
  };
  if constexpr (densities > 1)
    return of(std::integral_constant<Softened, Softened::no>{});
  else
    return with_softening<Kernel>(work.softening, of);
}

}  // namespace

template <class Kernel, class Real, int densities>
static void sum_families(const NearWork<Real>& work, unsigned blocks) {
  constexpr std::size_t bytes = Window<Real, densities>::bytes;
  const auto kernel = kernel_for<Kernel, Real, densities>(work);
  launch_kernel("p2p_families", kernel, {blocks, threads, bytes}, work.stream, work);
}

template <class Kernel, class Real>
void p2p_families(const NearWork<Real>& work, unsigned blocks) {
  if constexpr (OfInverseSquare<Kernel>) {
    plane::p2p_families<Kernel>(work, blocks);
  } else {
    if constexpr (Differentiates<Kernel>)
      if (work.densities == densities_together) return sum_families<Kernel, Real, densities_together>(work, blocks);
    sum_families<Kernel, Real, 1>(work, blocks);
  }
}

FARFIELD_INSTANTIATE(p2p_families, NearWork, unsigned)

}  // namespace farfield::cuda

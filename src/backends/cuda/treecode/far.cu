// m2p of a treecode: a warp per group of targets walks the tree and evaluates the multipoles of the boxes that it
// accepts. Low degrees in single: the warp copies up to 32 boxes at a time to shared memory as records (terms.hpp),
// from where lanes read the same numbers for several targets each; potential and gradient share one expansion. Any
// degree: one box at a time, with the gradient's expansions made by sparse maps.
#include "backends/cuda/far/evaluate.hpp"
#include "backends/cuda/far/fixed_degree.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/treecode/lanes.hpp"
#include "backends/cuda/treecode/terms.hpp"
#include "backends/cuda/treecode/walk.hpp"

namespace farfield::cuda {

inline constexpr int far_warps = 4;       ///< groups of a block
inline constexpr int most_accepted = 96;  ///< boxes that are listed before they are evaluated

/// Appends the boxes of the lanes that found one; by a whole warp.
__device__ inline void append(bool wanted, const Accepted& box, Accepted* list, int& listed) {
  const unsigned some = __ballot_sync(~0u, wanted), before = some & ((1u << threadIdx.x % 32) - 1);
  if (wanted) list[listed + __popc(before)] = box;
  listed += __popc(some);
}

/// Walks for the group and calls take(n) with n boxes in stage.list, once or more; n is a multiple of `batch` but for
/// the last time. Boxes whose mass suffices come to take_masses(n) where these are asked for, n of them in
/// stage.masses.
template <int batch, bool by_mass, class Stage, class Take, class TakeMasses>
__device__ void walk_far(const TreeWork& work, Stage& stage, const Take& take, const TakeMasses& take_masses) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  Walk walk(work, stage.group, stage.stack);
  int listed = 0, masses = 0;
  for (bool more = true; more;) {
    const Walk::Found found = walk.next(more);
    const bool is_far = found.kind == Walk::far, alone = by_mass && is_far && found.mass_suffices;
    append(is_far && !alone, {found.at[0], found.at[1], found.at[2], found.box}, stage.list, listed);
    if constexpr (by_mass) {
      append(alone, {found.at[0], found.at[1], found.at[2], __float_as_int(found.mass)}, stage.masses, masses);
      __syncwarp();
      if (!more || masses > most_accepted - 32) {
        take_masses(masses);
        masses = 0;
      }
    }
    __syncwarp();
    if (listed == 0 || (more && listed <= most_accepted - 32)) continue;
    const int now = more ? listed / batch * batch : listed;
    take(now);
    __syncwarp();
    listed -= now;
    if (now > 0 && lane < listed) stage.list[lane] = stage.list[now + lane];
    __syncwarp();
  }
}

/// What a group needs in shared memory.
template <class Terms>
struct FarStage {
  alignas(16) float record[Terms::boxes][Terms::pitch];
  Group group;
  Accepted list[most_accepted];
  Accepted masses[Terms::by_mass ? most_accepted : 1];  ///< in the place of a box's number its mass
  Walk::Stack stack;
};

/// The targets of a group and their sums, some to a lane.
template <class Terms>
class FarTargets {
  static constexpr int n = Terms::targets;

 public:
  __device__ FarTargets(const TreeWork& work, const Group& group, std::int64_t first, int count)
      : first_(first), lanes_(count, n) {
#pragma unroll
    for (int i = 0; i < n; ++i)
      for (int axis = 0; axis < 3; ++axis)
        x_[i][axis] = static_cast<float>(displacement(work.target[axis][first + lanes_.target(i)], group.middle[axis]));
  }
  __device__ void add(const float (*record)[Terms::pitch], int count) {
    for (int b = lanes_.first(count); b < count; b += lanes_.copies) Terms::add(record[b], x_, sum_);
  }
  __device__ void add_masses(const Accepted* box, int count) {
    if constexpr (Terms::by_mass)
#pragma unroll 2
      for (int b = lanes_.first(count); b < count; b += lanes_.copies) Terms::add_mass(box[b], x_, sum_);
  }
  /// Adds the sums of all copies of a target to the results.
  __device__ void deliver(const ResultArrays<float>& result) const {
#pragma unroll
    for (int i = 0; i < n; ++i)
#pragma unroll
      for (int part = 0; part < Terms::parts; ++part) {
        const float all = lanes_.sum_of_copies(sum_[i][part]);
        if (lanes_.delivers(i)) result[part][first_ + lanes_.target(i)] += all;
      }
  }

 private:
  std::int64_t first_;
  GroupLanes lanes_;
  float x_[n][3], sum_[n][4] = {};
};

template <class Terms>
__global__ void __launch_bounds__(far_warps* warp, Terms::residents / (far_warps * warp))
    walk_far_kernel(const __grid_constant__ Work<float> work,
                    const __grid_constant__ Factors<float, Terms::count> factors) {
  using Stage = FarStage<Terms>;
  __shared__ Stage stages[far_warps];
  __shared__ float factor[Terms::count];
  if (!Terms::serves(*walks_of(work).header)) return;
  const int own = static_cast<int>(threadIdx.x) / warp;
  for (int i = static_cast<int>(threadIdx.x); i < Terms::count; i += far_warps * warp) factor[i] = factors.value[i];
  __syncthreads();
  Stage& stage = stages[own];
  for_each_group(work, std::int64_t(blockIdx.x) * far_warps + own, [&](std::int64_t first, std::int64_t end) {
    stage.group.enclose(work, first, end, true);
    FarTargets<Terms> targets(work, stage.group, first, static_cast<int>(end - first));
    const auto take = [&](int listed) {
      for (int from = 0; from < listed; from += Terms::boxes) {
        const int now = min(Terms::boxes, listed - from);
        Terms::fill(work, stage.list + from, now, factor, stage.record);
        __syncwarp();
        targets.add(stage.record, now);
        __syncwarp();
      }
    };
    walk_far<Terms::boxes, Terms::by_mass>(work, stage, take,
                                           [&](int masses) { targets.add_masses(stage.masses, masses); });
    targets.deliver(work.result);
  });
}

/// What a group of any degree needs in shared memory, beside `coefficients`.
struct AnyStage {
  Group group;
  Accepted list[most_accepted];
  Walk::Stack stack;
};

/// Adds expansions `first` ... of one box at target t.
template <class Kernel, class Real, int expansions>
__device__ void add_any(const Work<Real>& work, BoxId box, std::int64_t t, const Extent<Real>& extent, int first,
                        Real* coefficient, Real (&sum)[expansions]) {
  stage<Real, expansions>(work.multipole + std::int64_t(box) * work.tables.stride, work.tables.coefficients,
                          work.tables.multipole_gradient, extent, first, coefficient);
  const BoxFrame frame(work.tree, box);
  const double scale = Kernel::Basis::potential_scale(1 / frame.factor);
  Real u[3], weight = 1;
  point_in_box(work.target, t, frame, u);
  Kernel::Basis::invert(u[0], u[1], u[2], weight, inverse_length(u));
  Evaluate<Kernel, Real, expansions> visit(coefficient);
  Kernel::Basis::columns(extent.degree, extent.recurrence, u[0], u[1], u[2], visit);
#pragma unroll
  for (int e = 0; e < expansions; ++e)
    sum[e] += visit.out[e] * weight * static_cast<Real>(first + e == 0 ? scale : scale * frame.factor);
  __syncwarp();
}

/// Expansions `first` ... of all boxes, as in evaluate.hpp: 0 is the multipole, 1 to 3 are its derivatives.
template <class Kernel, class Real, int expansions>
__global__ void __launch_bounds__(warp)
    walk_any_kernel(const __grid_constant__ Work<Real> work, Extent<Real> extent, int first) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ AnyStage stage;
  auto* coefficient = reinterpret_cast<Real*>(shared);
  const int lane = static_cast<int>(threadIdx.x);
  for_each_group(work, blockIdx.x, [&](std::int64_t begin, std::int64_t end) {
    stage.group.enclose(work, begin, end, true);
    for (std::int64_t t = begin; t < end; t += warp) {
      Real sum[expansions] = {};
      const std::int64_t own = min(t + lane, end - 1);
      const auto take = [&](int count) {
        for (int k = 0; k < count; ++k)
          add_any<Kernel, Real, expansions>(work, stage.list[k].box, own, extent, first, coefficient, sum);
      };
      walk_far<1, false>(work, stage, take, [](int) {});
      if (t + lane < end)
#pragma unroll
        for (int e = 0; e < expansions; ++e) work.result[first + e][own] += sum[e];
      __syncwarp();
    }
  });
}

template <class Kernel, class Real, int expansions>
static bool launch_any(const Work<Real>& work, const Extent<Real>& extent, int first) {
  const std::size_t bytes = static_cast<std::size_t>(extent.count) * expansions * sizeof(Real);
  if (warps_that_fit(bytes + sizeof(AnyStage), 1) == 0) return false;
  launch_kernel("m2p", walk_any_kernel<Kernel, Real, expansions>,
                {static_cast<unsigned>(groups_of(work.targets)), warp, bytes}, work.stream, work, extent, first);
  return true;
}

template <class Kernel, class Real>
static void walk_any_degree(const Work<Real>& work) {
  const TablesView<Real>& t = work.tables;
  const int parts = work.result.parts();
  const bool longer = parts > 1;
  const Extent<Real> extent{t.degree + longer, Kernel::Basis::coefficient_count(t.degree + longer),
                            longer ? t.recurrence_next : t.recurrence};
  if (parts > 1 && launch_any<Kernel, Real, with_gradient>(work, extent, 0)) return;
  for (int which = 0; which < parts; ++which)
    if (!launch_any<Kernel, Real, 1>(work, extent, which))
      throw Error(ErrorCode::device, "this degree's expansions exceed the device's shared memory; use a lower degree");
}

template <class Terms>
static void launch_terms(const Work<float>& work) {
  static const auto factors = make_factors<float, Terms::count>(Terms::factors());
  const std::int64_t groups = groups_of(work.targets);
  walk_far_kernel<Terms>
      <<<static_cast<unsigned>((groups + far_warps - 1) / far_warps), far_warps * warp, 0, work.stream>>>(work,
                                                                                                          factors);
  require_launch("m2p");
}

template <class Kernel, int degree>
static void launch_fixed(const Work<float>& work) {
  using Basis = typename Kernel::Basis;
  with_parts(work.result.parts(), [&](auto parts) {
    if constexpr (has_quadrupoles<Basis> && degree == 2) launch_terms<QuadrupoleTerms<parts()>>(work);
    launch_terms<OuterTerms<Basis, degree, parts()>>(work);
  });
}

template <class Kernel, class Real>
void walk_far(const Work<Real>& work) {
  if constexpr (sizeof(Real) == 4)
    if (with_fixed_degree<typename Kernel::Basis, Real>(work.tables.degree,
                                                        [&](auto degree) { launch_fixed<Kernel, degree()>(work); }))
      return;
  walk_any_degree<Kernel, Real>(work);
}

FARFIELD_INSTANTIATE(walk_far, Work)

}  // namespace farfield::cuda

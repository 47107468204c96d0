// m2p of a treecode: a warp per group of targets walks the tree and evaluates the multipoles of the boxes that it
// accepts. Low degrees in single: the warp copies up to 32 boxes at a time to shared memory as records (terms.hpp),
// from where lanes read the same numbers for several targets each; potential and gradient share one expansion. Any
// degree: any_degree.hpp.
#include "backends/cuda/far/fixed_degree.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/treecode/any_degree.hpp"
#include "backends/cuda/treecode/lanes.hpp"
#include "backends/cuda/treecode/terms.hpp"

namespace farfield::cuda {

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

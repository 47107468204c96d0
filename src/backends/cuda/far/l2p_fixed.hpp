// l2p of low degrees in single: consecutive threads take consecutive targets of a group of leaves, so that small and
// uneven leaves leave no lane idle; the group's locals lie in shared memory as [coefficient][leaf]. What is summed is a
// type: potential and gradient, which share one expansion (expansions/laplace_fixed.hpp), here; Hessians:
// moments/hessians.cu.
#pragma once
#include <cuda_pipeline_primitives.h>

#include "backends/cuda/far/fixed_degree.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {

/// The potential, with 4 parts and its gradient.
template <class Kernel, class Real, int of>
struct LowerParts {
  static constexpr int parts = of, room = 4;
  static __device__ Real* array(const ResultArrays<Real>& result, int part) { return result[part]; }
  template <int degree, class Coefficient>
  static __device__ void sum(const Real u[3], Coefficient&& a, Real* out) {
    Kernel::Basis::template fixed_sum<degree, of>(u[0], u[1], u[2], a, out);
  }
  struct Scale {
    Real potential, gradient;
    __device__ Scale(Real scale, Real factor) : potential(scale), gradient(scale * factor) {}
    __device__ Real operator[](int part) const { return part == 0 ? potential : gradient; }
  };
};

/// `pitch` is odd: the stores that transpose, and loads by threads of different leaves, access different banks.
/// `before`: results so far, copied asynchronously during the sums. The compiler sinks plain loads behind the sum, each
/// behind the store to the array before it: five waits for memory per target instead of one.
template <class Kernel, class Real, int degree, int boxes, class Sums>
__global__ void __launch_bounds__(tuning::l2p_threads)
    l2p_fixed_kernel(Work<Real> work,
                     const __grid_constant__ Factors<Real, Kernel::Basis::coefficient_count(degree)> factors) {
  constexpr int count = Kernel::Basis::coefficient_count(degree), stride = stride_of<Real>(count), pitch = boxes + 1;
  constexpr int parts = Sums::parts;
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ LeafGroup<Real, boxes> group;
  __shared__ Real factor[count], before[parts][tuning::l2p_threads];
  Real* coefficient = reinterpret_cast<Real*>(shared);  // [count][pitch]
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * boxes;
  for (int i = thread; i < count; i += tuning::l2p_threads) factor[i] = factors.value[i];
  const std::uint32_t total = find_leaves<Kernel>(work, first, group);
  if (total == 0) return;

  for (int place = thread; place < boxes * stride; place += tuning::l2p_threads) {
    const int b = place / stride, i = place % stride;
    if (i < count && group.targets.begin[b] < group.targets.begin[b + 1])
      coefficient[i * pitch + b] = work.local[std::int64_t(group.box[b]) * stride + i] * factor[i];
  }
  __syncthreads();
  for (std::uint32_t i = static_cast<std::uint32_t>(thread); i < total; i += tuning::l2p_threads) {
    const int b = group.targets.range_of(i);
    // Looked up again after the sum: addresses kept across it would cost up to a quarter of the resident warps.
    const auto target = [&] { return group.targets.first[b] + i; };
    const std::int64_t t = target();
    const Real* own = coefficient + b;
    for (int part = 0; part < parts; ++part)
      __pipeline_memcpy_async(&before[part][thread], Sums::array(work.result, part) + t, sizeof(Real));
    __pipeline_commit();
    Real u[3], out[Sums::room];
    for (int axis = 0; axis < 3; ++axis)
      u[axis] = static_cast<Real>(displacement(load_in_order(work.target[axis] + t), group.centre[axis][b]) *
                                  group.factor[b]);
    Sums::template sum<degree>(
        u, [&](auto c) { return own[decltype(c)::value * pitch]; }, out);
    const typename Sums::Scale scale(group.scale[b], static_cast<Real>(group.factor[b]));
    __pipeline_wait_prior(0);  // only what this thread copied: no barrier
    for (int part = 0; part < parts; ++part)
      Sums::array(work.result, part)[target()] = before[part][thread] + out[part] * scale[part];
  }
}

template <class Kernel, class Real, int degree, int boxes, class Sums>
static void launch_fixed_l2p(const Work<Real>& work) {
  constexpr int count = Kernel::Basis::coefficient_count(degree);
  static const auto factors = make_factors<Real, count>(Kernel::Basis::sum_factors(degree));
  const auto kernel = l2p_fixed_kernel<Kernel, Real, degree, boxes, Sums>;
  kernel<<<static_cast<unsigned>((work.boxes_to_look_at() + boxes - 1) / boxes), tuning::l2p_threads,
           sizeof(Real) * count*(boxes + 1), work.stream>>>(work, factors);
  require_launch("l2p");
}

/// Groups of 32 leaves, or of 8 where leaves have many targets or groups of 32 would be few blocks for the device.
template <class Kernel, class Real, int degree, class Sums>
static void choose_shape(const Work<Real>& work) {
  const bool few = work.boxes_to_look_at() < 32 * tuning::l2p_blocks * device_limits().multiprocessors;
  few || targets_per_leaf(work) > tuning::l2p_large_leaf ? launch_fixed_l2p<Kernel, Real, degree, 8, Sums>(work)
                                                         : launch_fixed_l2p<Kernel, Real, degree, 32, Sums>(work);
}

}  // namespace farfield::cuda

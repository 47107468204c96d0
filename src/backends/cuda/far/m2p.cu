// m2p: multipoles of finer boxes to the targets of a leaf, u += sum M_i S_i(u).
// Low degrees in single: a block per leaf with boxes in its m2p list. A group of 8, 16 or 32 lanes holds targets of the
// leaf; the groups of the block evaluate different boxes of the list, and their sums are added at the end, in a fixed
// order; in small trees several blocks share its targets. A leaf at the surface of a drop has a hundred boxes in its
// list, through which a warp by itself goes one after the other. Potential and gradient share one expansion. Any
// degree: evaluate.hpp; the gradient's expansions reach one degree higher.
#include "backends/cuda/far/evaluate.hpp"
#include "backends/cuda/far/fixed_degree.hpp"
#include "backends/cuda/planar/values.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {

[[maybe_unused]] static constexpr int fewest_lanes = 8;

/// Adds the multipole `coefficient` of `source`, already times the basis' factors, to sum[0 ... 3] at target t.
template <class Kernel, class Real, int degree, int parts>
__device__ void add_multipole(const Work<Real>& work, BoxId source, std::int64_t t, const Real* coefficient,
                              Real sum[4]) {
  const BoxFrame frame(work.tree, source);
  Real u[3], out[4];
  point_in_box(work.target, t, frame, u);
  Kernel::Basis::template fixed_outer_sum<degree, parts>(
      u[0], u[1], u[2], inverse_length(u), [&](auto c) { return coefficient[decltype(c)::value]; }, out);
  const auto scale = static_cast<Real>(Kernel::Basis::potential_scale(1 / frame.factor));
  sum[0] += out[0] * scale;
  for (int part = 1; part < parts; ++part) sum[part] += out[part] * (scale * static_cast<Real>(frame.factor));
}

constexpr int m2p_threads = tuning::m2p_warps * warp;

/// The sums of the block's groups, of which each warp has added up its own: the first warp's lanes get the total.
template <class Real, int parts>
__device__ void sum_of_warps(Real (&sum)[4], Real (&shared)[parts][m2p_threads]) {
#pragma unroll
  for (int part = 0; part < parts; ++part) shared[part][threadIdx.x] = sum[part];
  __syncthreads();
  if (threadIdx.x < warp)
#pragma unroll
    for (int part = 0; part < parts; ++part)
      for (int other = warp; other < m2p_threads; other += warp) sum[part] += shared[part][threadIdx.x + other];
  __syncthreads();
}

template <class Kernel, class Real, int degree, int parts>
__global__ void __launch_bounds__(m2p_threads)
    m2p_fixed_kernel(Work<Real> work,
                     const __grid_constant__ Factors<Real, Kernel::Basis::coefficient_count(degree)> factors,
                     int looks) {
  constexpr int count = Kernel::Basis::coefficient_count(degree), stride = stride_of<Real>(count), pitch = count | 1;
  __shared__ Real staged[m2p_threads / fewest_lanes][pitch], factor[count], of_warps[parts][m2p_threads];
  __shared__ BusyBoxes<m2p_threads> busy;
  const int thread = static_cast<int>(threadIdx.x);
  const ListView& list = work.lists.m2p;
  busy.find(work.tree, list, looks);
  if (busy.found == 0) return;
  for (int i = thread; i < count; i += m2p_threads) factor[i] = factors.value[i];
  __syncthreads();
  for (int at = 0; at < busy.found; ++at) {
    const BoxId box = busy.box[at];
    const std::int64_t end = work.tree.target_end[box], begin = work.tree.target_begin[box];
    int lanes = fewest_lanes;
    while (lanes < warp && lanes < end - begin) lanes *= 2;
    const int group = thread / lanes, within = thread % lanes, groups = m2p_threads / lanes;
    Real* coefficient = staged[group];
    for (std::int64_t from = begin + blockIdx.y * lanes; from < end; from += gridDim.y * lanes) {
      const std::int64_t t = from + within;
      Real sum[4] = {};
      const int first = thread / warp * (warp / lanes);  // group of the warp, whose lanes stay together
      for (std::int64_t k = list.begin[box] + first; k < list.begin[box + 1]; k += groups) {
        const std::int64_t own = k + group - first;
        const bool listed = own < list.begin[box + 1];
        const BoxId source = listed ? list.items[own] : no_box;
        if (listed)
          for (int i = within; i < count; i += lanes)
            coefficient[i] = work.multipole[static_cast<std::int64_t>(work.expanded(source)) * stride + i] * factor[i];
        __syncwarp();
        if (listed && t < end) add_multipole<Kernel, Real, degree, parts>(work, source, t, coefficient, sum);
        __syncwarp();
      }
#pragma unroll
      for (int part = 0; part < parts; ++part)
        for (int other = lanes; other < warp; other *= 2) sum[part] += __shfl_xor_sync(0xffffffffu, sum[part], other);
      sum_of_warps<Real, parts>(sum, of_warps);
      if (group == 0 && t < end)
        for (int part = 0; part < parts; ++part) work.result[part][t] += sum[part];
    }
  }
}

template <class Kernel, class Real, int degree, int parts>
static void launch_fixed_m2p(const Work<Real>& work) {
  static const auto factors =
      make_factors<Real, Kernel::Basis::coefficient_count(degree)>(Kernel::Basis::sum_factors(degree));
  const LookShape shape = look_shape(work.tree.boxes, tuning::m2p_warps);
  const dim3 blocks(shape.blocks, tuning::m2p_blocks(work.tree.boxes));
  m2p_fixed_kernel<Kernel, Real, degree, parts><<<blocks, m2p_threads, 0, work.stream>>>(work, factors, shape.looks);
  require_launch("m2p");
}

template <class Kernel, class Real>
void m2p(const Work<Real>& work) {
  if constexpr (InPlane<typename Kernel::Basis>) {
    planar_m2p<Kernel>(work);
  } else {
    if (with_fixed_degree<typename Kernel::Basis, Real>(work.tables.degree, [&](auto degree) {
          with_parts(work.result.parts(), [&](auto parts) { launch_fixed_m2p<Kernel, Real, degree(), parts()>(work); });
        }))
      return;
    evaluate_any_degree<Kernel, Real, true>(work);
  }
}

FARFIELD_INSTANTIATE(m2p, Work)

}  // namespace farfield::cuda

// m2p: multipoles of finer boxes to the targets of a leaf, u += sum M_i S_i(u).
// Low degrees in single: a warp per leaf with boxes in its m2p list. A group of 8, 16 or 32 lanes holds targets of the
// leaf; the groups of the warp evaluate different boxes of the list, and their sums are added at the end, in a fixed
// order. Potential and gradient share one expansion. Any degree: evaluate.hpp; the gradient's expansions reach one
// degree higher.
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

template <class Kernel, class Real, int degree, int parts>
__global__ void __launch_bounds__(tuning::box_warps* warp)
    m2p_fixed_kernel(Work<Real> work,
                     const __grid_constant__ Factors<Real, Kernel::Basis::coefficient_count(degree)> factors,
                     int looks) {
  constexpr int count = Kernel::Basis::coefficient_count(degree), stride = stride_of<Real>(count), pitch = count | 1;
  __shared__ Real staged[tuning::box_warps][warp / fewest_lanes][pitch], factor[count];
  __shared__ BusyBoxes<tuning::box_warps * warp> busy;
  const int lane = static_cast<int>(threadIdx.x) % warp, own = static_cast<int>(threadIdx.x) / warp;
  const ListView& list = work.lists.m2p;
  busy.find(work.tree, list, looks);
  if (busy.found == 0) return;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += tuning::box_warps * warp) factor[i] = factors.value[i];
  __syncthreads();
  for (BoxId box = busy.take(); box != no_box; box = busy.take()) {
    const std::int64_t end = work.tree.target_end[box], begin = work.tree.target_begin[box];
    int lanes = fewest_lanes;
    while (lanes < warp && lanes < end - begin) lanes *= 2;
    const int group = lane / lanes, within = lane % lanes, groups = warp / lanes;
    Real* coefficient = staged[own][group];
    for (std::int64_t from = begin; from < end; from += lanes) {
      const std::int64_t t = from + within;
      Real sum[4] = {};
      for (std::int64_t k = list.begin[box]; k < list.begin[box + 1]; k += groups) {
        const bool listed = k + group < list.begin[box + 1];
        const BoxId source = listed ? list.items[k + group] : no_box;
        if (listed)
          for (int i = within; i < count; i += lanes)
            coefficient[i] = work.multipole[static_cast<std::int64_t>(source) * stride + i] * factor[i];
        __syncwarp();
        if (listed && t < end) add_multipole<Kernel, Real, degree, parts>(work, source, t, coefficient, sum);
        __syncwarp();
      }
#pragma unroll
      for (int part = 0; part < parts; ++part) {
        for (int other = lanes; other < warp; other *= 2) sum[part] += __shfl_xor_sync(0xffffffffu, sum[part], other);
        if (group == 0 && t < end) work.result[part][t] += sum[part];
      }
    }
  }
}

template <class Kernel, class Real, int degree, int parts>
static void launch_fixed_m2p(const Work<Real>& work) {
  static const auto factors =
      make_factors<Real, Kernel::Basis::coefficient_count(degree)>(Kernel::Basis::sum_factors(degree));
  const LookShape shape = look_shape(work.tree.boxes, tuning::box_warps);
  m2p_fixed_kernel<Kernel, Real, degree, parts>
      <<<shape.blocks, tuning::box_warps * warp, 0, work.stream>>>(work, factors, shape.looks);
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

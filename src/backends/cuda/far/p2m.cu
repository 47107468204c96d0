// p2m: multipoles of the leaves, M_i = sum q R_i(u), u = (y - centre) / edge (Gumerov & Duraiswami 2008, eqs. 14-15).
// Low degrees in single: two to eight lanes per leaf, all sums of a leaf in the registers of each of its lanes. With a
// warp per leaf three quarters of the lanes had no source in leaves of eight, and the sums over lanes cost more than
// the functions. Any degree: a warp per leaf, lanes are sources, sums over lanes through shared memory.
// Cost: 5 instructions per source and pair (n, m >= 0); 16 to 20 bytes per source at the least.
#include "backends/cuda/far/accumulate.hpp"
#include "backends/cuda/far/fixed_degree.hpp"
#include "backends/cuda/m2l/tensor/operands.hpp"
#include "backends/cuda/planar/sums.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {

/// Writes the whole strides of the multipoles of all leaves, and of the boxes of levels 0 and 1, which m2m does not
/// reach; also the operands of these boxes for m2l on tensor cores.
template <class Kernel, class Real, int degree, int lanes>
__global__ void __launch_bounds__(tuning::box_warps* warp)
    p2m_fixed_kernel(Work<Real> work,
                     const __grid_constant__ Factors<Real, Kernel::Basis::coefficient_count(degree)> factor) {
  constexpr int count = Kernel::Basis::coefficient_count(degree), stride = stride_of<Real>(count), boxes = warp / lanes;
  constexpr int pitch = warp + 1;
  extern __shared__ __align__(16) unsigned char shared[];
  const int lane = static_cast<int>(threadIdx.x) % warp, own = static_cast<int>(threadIdx.x) / warp;
  const int warps = static_cast<int>(blockDim.x) / warp;
  const TreeView& tree = work.tree;
  const std::int64_t first = (static_cast<std::int64_t>(blockIdx.x) * warps + own) * boxes;
  const std::int64_t at = first + lane / lanes;
  const auto box = static_cast<BoxId>(at);
  const bool exists = at < tree.boxes, leaf = exists && tree.is_leaf(box);
  const int level = exists ? tree.level[box] : max_levels;

  Real sum[count] = {};
  if (leaf) {
    const BoxFrame frame(tree, box);
    const std::int64_t end = tree.source_end[box];
    for (std::int64_t s = tree.source_begin[box] + lane % lanes; s < end; s += lanes) {
      Real u[3];
      point_in_box(work.source, s, frame, u);
      Kernel::Basis::template fixed_terms<degree>(work.strength[s], u[0], u[1], u[2],
                                                  [&](auto i, Real value) { sum[decltype(i)::value] += value; });
    }
  }
  Real* column = reinterpret_cast<Real*>(shared) + own * count * pitch;
#pragma unroll
  for (int i = 0; i < count; ++i) column[i * pitch + lane] = sum[i] * factor.value[i];
  __syncwarp();
  const unsigned written = __ballot_sync(0xffffffffu, leaf || level < 2);
  const float scale = work.tensor.ready ? operand_scale(work.tensor, level) : 0;
  static_assert(boxes * stride % warp == 0, "whole warps");
  for (int place = lane; place < boxes * stride; place += warp) {
    const int b = place / stride, i = place % stride;
    const float own_scale = __shfl_sync(0xffffffffu, scale, b * lanes);
    if (!(written >> (b * lanes) & 1u)) continue;
    Real value = 0;
    if (i < count)
#pragma unroll
      for (int k = 0; k < lanes; ++k) value += column[i * pitch + b * lanes + k];
    work.multipole[(first + b) * stride + i] = value;
    if (work.tensor.ready) store_operands(work.tensor, first + b, i, value, own_scale);
  }
}

template <class Kernel, class Real, int degree, int lanes>
static void launch_fixed(const Work<Real>& work) {
  constexpr int count = Kernel::Basis::coefficient_count(degree);
  static const auto factors = make_factors<Real, count>(Kernel::Basis::term_factors(degree));
  launch_warps("p2m", p2m_fixed_kernel<Kernel, Real, degree, lanes>, work.tree.boxes, warp / lanes,
               sizeof(Real) * count * (warp + 1), work.stream, work, factors);
}

template <class Kernel, class Real>
static void p2m_in_space(const Work<Real>& work) {
  const double mean = mean_leaf(work.sources, work.tree.boxes);
  if (with_fixed_degree<typename Kernel::Basis, Real>(work.tables.degree, [&](auto degree) {
        if (mean <= tuning::p2m_two_lanes)
          launch_fixed<Kernel, Real, decltype(degree)::value, 2>(work);
        else if (mean <= tuning::p2m_four_lanes)
          launch_fixed<Kernel, Real, decltype(degree)::value, 4>(work);
        else
          launch_fixed<Kernel, Real, decltype(degree)::value, 8>(work);
      }))
    return;
  clear_multipoles(work);
  launch_accumulation(work, "p2m", p2m_kernel<Kernel, Real>);
}

template <class Kernel, class Real>
void p2m(const Work<Real>& work) {
  if constexpr (InPlane<typename Kernel::Basis>)
    planar_p2m<Kernel>(work);
  else
    p2m_in_space<Kernel>(work);
}

FARFIELD_INSTANTIATE(p2m, Work)

}  // namespace farfield::cuda

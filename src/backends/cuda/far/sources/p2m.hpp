// p2m in space, as a template over what sources carry: M_i = sum q R_i(u) + p . grad R_i(u) / edge,
// u = (y - centre) / edge (Gumerov & Duraiswami 2008, eqs. 14-15).
// Low degrees in single: two to eight lanes per leaf, all sums of a leaf in the registers of each of its lanes. With a
// warp per leaf three quarters of the lanes had no source in leaves of eight, and the sums over lanes cost more than
// the functions. From degree 12 on the sums of low orders come first and those of the others in a second pass over the
// sources (SolidOrders): registers and shared memory for all of them would leave few warps on a multiprocessor. Any
// degree: a warp per leaf, lanes are sources, sums over lanes through shared memory. Cost: 5 instructions per source
// and pair (n, m >= 0), with dipoles 12; 16 to 20 bytes per source at the least.
#pragma once
#include "backends/cuda/far/fixed_degree.hpp"
#include "backends/cuda/far/sources/accumulate.hpp"
#include "backends/cuda/m2l/tensor/operands.hpp"
#include "backends/cuda/tuning.hpp"
#include "expansions/laplace_fixed.hpp"
#include "expansions/solid_shape.hpp"

namespace farfield::cuda {

/// Of one leaf the sums of a lane's sources into the columns of a warp, [slot][lane].
template <class Kernel, class Real, int degree, int moments, int pass, class Factor>
__device__ void sum_orders(const Work<Real>& work, std::int64_t begin, std::int64_t end, int lanes, BoxId box,
                           const Factor& factor, Real* column) {
  using Orders = SolidOrders<degree, pass>;
  const int lane = static_cast<int>(threadIdx.x) % warp;
  Real sum[Orders::count] = {};
  if (begin < end) {
    const BoxFrame frame(work.tree, box);
    for (std::int64_t s = begin + lane % lanes; s < end; s += lanes) {
      Source<Real, moments> source;
      source.read(work, s, frame);
      Kernel::Basis::template fixed_terms<degree>(source.weight, source.u[0], source.u[1], source.u[2],
                                                  [&](auto i, auto value) {
                                                    constexpr int at = decltype(i)::value, n = solid_degree_of(at);
                                                    if constexpr (SolidOrders<degree, pass>::has(n, at))
                                                      sum[SolidOrders<degree, pass>::slot(n, at)] += summand(value);
                                                  });
    }
  }
  __syncwarp();  // the columns of the pass before have been read
  laplace::for_each_constant<0, degree + 1>([&](auto n) {
    laplace::for_each_constant<-decltype(n)::value, decltype(n)::value + 1>([&](auto m) {
      constexpr int of = decltype(n)::value, at = SolidShape::index(of, decltype(m)::value);
      if constexpr (SolidOrders<degree, pass>::has(of, at)) {
        constexpr int slot = SolidOrders<degree, pass>::slot(of, at);
        column[slot * (warp + 1) + lane] = sum[slot] * factor.value[at];
      }
    });
  });
  __syncwarp();
}

/// Adds the lanes' sums up and writes them for those of the lanes' boxes that are `written`, a bit for each lane. A
/// lane of the warp has the same slots for every box, so that where they go is found once. The first pass fills the
/// strides.
template <class Real, int degree, int lanes, int pass>
__device__ void write_orders(const Work<Real>& work, BoxId box, unsigned written, float scale, const Real* column) {
  using Orders = SolidOrders<degree, pass>;
  constexpr int count = SolidShape::count(degree), stride = stride_of<Real>(count);
  constexpr int slots = Orders::count + (pass == 0 ? stride - count : 0), rounds = (slots + warp - 1) / warp;
  const int lane = static_cast<int>(threadIdx.x) % warp;
  int coefficient[rounds];
#pragma unroll
  for (int k = 0; k < rounds; ++k) {
    const int slot = lane + k * warp;
    coefficient[k] = slot < Orders::count ? Orders::coefficient(slot) : count + slot - Orders::count;
  }
#pragma unroll 1
  for (int b = 0; b < warp / lanes; ++b) {
    const float own_scale = __shfl_sync(0xffffffffu, scale, b * lanes);
    const std::int64_t own = __shfl_sync(0xffffffffu, box, b * lanes);
    if (!(written >> (b * lanes) & 1u)) continue;
#pragma unroll
    for (int k = 0; k < rounds; ++k) {
      const int slot = lane + k * warp;
      if (slot >= slots) continue;
      Real value = 0;
      if (slot < Orders::count)
#pragma unroll
        for (int i = 0; i < lanes; ++i) value += column[slot * (warp + 1) + b * lanes + i];
      work.multipole[own * stride + coefficient[k]] = value;
      if (work.tensor.ready) store_operands(work.tensor, own, coefficient[k], value, own_scale);
    }
  }
}

/// Blocks that a multiprocessor holds: of two passes with some 90 sums each four, in 128 registers instead of 168,
/// which spill 16 bytes at degree 12. More sums spill more.
constexpr int p2m_blocks_of(int degree) { return degree == 12 || degree == 13 ? 4 : 1; }

/// Writes the whole strides of the multipoles of all leaves, and of the boxes of levels 0 and 1, which m2m does not
/// reach; also the operands of these boxes for m2l on tensor cores.
template <class Kernel, class Real, int degree, int lanes, int moments>
__global__ void __launch_bounds__(tuning::box_warps* warp, p2m_blocks_of(degree))
    p2m_fixed_kernel(Work<Real> work,
                     const __grid_constant__ Factors<Real, Kernel::Basis::coefficient_count(degree)> factor) {
  static_assert(Kernel::Basis::coefficient_count(degree) == SolidShape::count(degree));
  constexpr int boxes = warp / lanes;
  extern __shared__ __align__(16) unsigned char shared[];
  const int lane = static_cast<int>(threadIdx.x) % warp, own = static_cast<int>(threadIdx.x) / warp;
  const int warps = static_cast<int>(blockDim.x) / warp;
  const TreeView& tree = work.tree;
  const BoxId box = work.box_to_look_at((static_cast<std::int64_t>(blockIdx.x) * warps + own) * boxes + lane / lanes);
  const bool exists = box != no_box, leaf = exists && tree.is_leaf(box) && !work.is_image(box);
  const int level = exists ? tree.level[box] : max_levels;
  const std::int64_t begin = leaf ? tree.source_begin[box] : 0, end = leaf ? tree.source_end[box] : 0;
  const unsigned written = __ballot_sync(0xffffffffu, leaf || level < 2);
  if (written == 0) return;
  const float scale = work.tensor.ready ? operand_scale(work.tensor, level) : 0;
  Real* column = reinterpret_cast<Real*>(shared) + own * SolidOrders<degree, 0>::count * (warp + 1);
  sum_orders<Kernel, Real, degree, moments, 0>(work, begin, end, lanes, box, factor, column);
  write_orders<Real, degree, lanes, 0>(work, box, written, scale, column);
  if constexpr (SolidOrders<degree, 0>::passes == 2) {
    sum_orders<Kernel, Real, degree, moments, 1>(work, begin, end, lanes, box, factor, column);
    write_orders<Real, degree, lanes, 1>(work, box, written, scale, column);
  }
}

template <class Kernel, class Real, int degree, int lanes, int moments>
static void launch_fixed_p2m(const Work<Real>& work) {
  constexpr int count = Kernel::Basis::coefficient_count(degree);
  static const auto factors = make_factors<Real, count>(Kernel::Basis::term_factors(degree));
  launch_warps("p2m", p2m_fixed_kernel<Kernel, Real, degree, lanes, moments>, work.boxes_to_look_at(), warp / lanes,
               sizeof(Real) * SolidOrders<degree, 0>::count * (warp + 1), work.stream, work, factors);
}

/// Of any degree; `levels`: tables of each level, where they depend on it.
template <class Kernel, class Real, int moments, class... Levels>
__global__ void p2m_kernel(Work<Real> work, Levels... levels) {
  extern __shared__ __align__(16) unsigned char shared[];
  const int warps = static_cast<int>(blockDim.x) / warp, own = static_cast<int>(threadIdx.x) / warp;
  const std::int64_t box = static_cast<std::int64_t>(blockIdx.x) * warps + own;
  if (box >= work.tree.boxes) return;
  const auto b = static_cast<BoxId>(box);
  if (!work.tree.is_leaf(b) || work.is_image(b)) return;
  Real* column = reinterpret_cast<Real*>(shared) + own * column_numbers(work.tables.degree);
  Real* multipole = work.multipole + box * work.tables.stride;
  accumulate<Kernel, Real, false, moments>(work, tables_of(work, b, levels...), BoxFrame(work.tree, b),
                                           work.tree.source_begin[b], work.tree.source_end[b], false, column,
                                           multipole);
  if constexpr (sizeof(Real) == 4) {
    if (!work.tensor.ready) return;
    __syncwarp();
    const float scale = operand_scale(work.tensor, work.tree.level[b]);
    for (int i = static_cast<int>(threadIdx.x) % warp; i < work.tensor.full.width; i += warp)
      store_operands(work.tensor, box, i, multipole[i], scale);
  }
}

/// The same, a block per leaf: each warp sums 32 of the sources, and their sums are added in the order of a warp's that
/// takes all, to the bit.
template <class Kernel, class Real, int moments, class... Levels>
__global__ void p2m_block_kernel(Work<Real> work, Levels... levels) {
  extern __shared__ __align__(16) unsigned char shared[];
  const int warps = static_cast<int>(blockDim.x) / warp, own = static_cast<int>(threadIdx.x) / warp;
  const auto box = static_cast<BoxId>(blockIdx.x);
  if (!work.tree.is_leaf(box) || work.is_image(box)) return;
  const int count = work.tables.coefficients, column = column_numbers(work.tables.degree);
  Real* sums = reinterpret_cast<Real*>(shared) + warps * column;  // [warps][count]
  Real* multipole = work.multipole + std::int64_t(box) * work.tables.stride;
  const std::int64_t begin = work.tree.source_begin[box], end = work.tree.source_end[box];
  for (std::int64_t first = begin; first < end; first += warps * warp) {
    const std::int64_t mine = first + own * warp, last = mine + warp < end ? mine + warp : end;
    accumulate<Kernel, Real, false, moments>(work, tables_of(work, box, levels...), BoxFrame(work.tree, box), mine,
                                             last, false, reinterpret_cast<Real*>(shared) + own * column,
                                             sums + own * count);
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
      Real sum = first == begin ? sums[i] : multipole[i] + sums[i];
      for (int w = 1; w < warps && first + w * warp < end; ++w) sum += sums[w * count + i];
      multipole[i] = sum;
    }
    __syncthreads();
  }
}

/// False: not for this tree.
template <class Kernel, int moments, class Real, class... Levels>
bool p2m_by_blocks(const Work<Real>& work, const Levels&... levels) {
  const std::size_t bytes =
      static_cast<std::size_t>(column_numbers(work.tables.degree) + work.tables.coefficients) * sizeof(Real);
  const int warps = warps_that_fit(bytes, tuning::box_warps);
  if (!few_large_leaves(work) || warps < 2) return false;
  launch_kernel("p2m", p2m_block_kernel<Kernel, Real, moments, Levels...>,
                {static_cast<unsigned>(work.tree.boxes), warps * warp, bytes * static_cast<std::size_t>(warps)},
                work.stream, work, levels...);
  return true;
}

template <class Kernel, int moments, class Real, class... Levels>
void p2m_of_any_degree(const Work<Real>& work, const Levels&... levels) {
  const auto bytes =
      static_cast<std::size_t>(work.tree.boxes) * static_cast<std::size_t>(work.tables.stride) * sizeof(Real);
  require(cudaMemsetAsync(work.multipole, 0, bytes, work.stream), "cudaMemsetAsync");
  if constexpr (sizeof(Real) == 8)
    if (p2m_by_blocks<Kernel, moments>(work, levels...)) return;
  launch_accumulation(work, "p2m", p2m_kernel<Kernel, Real, moments, Levels...>, levels...);
}

template <class Kernel, class Real, int degree, int moments>
static void choose_lanes(const Work<Real>& work) {
  const double mean = sources_per_leaf(work);
  if constexpr (moments == with_dipole)
    launch_fixed_p2m<Kernel, Real, degree, 4, moments>(work);
  else if (mean <= tuning::p2m_two_lanes)
    launch_fixed_p2m<Kernel, Real, degree, 2, moments>(work);
  else if (mean <= tuning::p2m_four_lanes)
    launch_fixed_p2m<Kernel, Real, degree, 4, moments>(work);
  else
    launch_fixed_p2m<Kernel, Real, degree, 8, moments>(work);
}

template <class Kernel, int moments, class Real>
void p2m_in_space(const Work<Real>& work) {
  using Basis = typename Kernel::Basis;
  constexpr int highest = moments == 1 ? Basis::highest_fixed : highest_of_few;
  if (with_fixed_degree<Basis, Real, highest>(
          work.tables.degree, [&](auto degree) { choose_lanes<Kernel, Real, decltype(degree)::value, moments>(work); }))
    return;
  p2m_of_any_degree<Kernel, moments>(work);
}

}  // namespace farfield::cuda

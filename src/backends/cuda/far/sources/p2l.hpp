// p2l in space, as a template over what sources carry: sources of coarser leaves into the locals of smaller boxes,
// L_i += sum q S_i(u) + p . grad S_i(u) / edge, S_i(u) = R_i(u / r^2) / r.
// Low degrees in single: a warp per box with leaves in its p2l list, lanes are sources of the whole list, the lanes'
// sums are added once at the end. Any degree: a warp per box, one leaf of the list after the other.
#pragma once
#include "backends/cuda/far/fixed_degree.hpp"
#include "backends/cuda/far/sources/accumulate.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda {

/// Source s of a leaf in the frame of a box; from NearWork::in_leaf, where the leaf may be an image.
template <class Real, int moments>
__device__ void read_listed(const Work<Real>& work, std::int64_t s, BoxId leaf, const BoxFrame& frame,
                            Source<Real, moments>& source) {
  if constexpr (sizeof(Real) == 4 && moments == 1)
    if (work.in_leaf) {
      const float4 at = work.in_leaf[s];
      const float place[3] = {at.x, at.y, at.z};
      for (int axis = 0; axis < 3; ++axis)
        source.u[axis] = static_cast<Real>(
            (displacement(work.tree.coordinate(leaf, axis), frame.centre[axis]) + place[axis]) * frame.factor);
      source.weight = at.w;
      return;
    }
  source.read(work, s, frame);
}

/// Adds the sources of the leaves listed for `box`, 32 leaves at a time, to the sums of the lane that
/// reads the source.
template <class Kernel, class Real, int degree, int moments, class Sum>
__device__ void add_listed(const Work<Real>& work, BoxId box, FlatRanges<warp>& flat, Sum& sum) {
  const int lane = static_cast<int>(threadIdx.x) % warp;
  const ListView& list = work.lists.p2l;
  const TreeView& tree = work.tree;
  const BoxFrame frame(tree, box);
  const std::int64_t last = list.begin[box + 1];
  for (std::int64_t k = list.begin[box]; k < last; k += warp) {
    const BoxId leaf = k + lane < last ? list.items[k + lane] : no_box;
    __syncwarp();
    const std::uint32_t total =
        flat.fill(lane, leaf == no_box ? 0 : tree.source_begin[leaf], leaf == no_box ? 0 : tree.source_end[leaf]);
    __syncwarp();
    for (std::uint32_t i = static_cast<std::uint32_t>(lane); i < total; i += warp) {
      const int range = flat.range_of(i);
      const std::int64_t s = flat.first[range] + i;
      Source<Real, moments> source;
      read_listed(work, s, list.items[k + range], frame, source);
      auto& u = source.u;
      typename Source<Real, moments>::Number weight = 1;
      Kernel::Basis::invert(u[0], u[1], u[2], weight, inverse_length(u));
      Kernel::Basis::template fixed_terms<degree>(source.weight * weight, u[0], u[1], u[2], [&](auto c, auto value) {
        sum[decltype(c)::value] += summand(value);
      });
    }
  }
}

template <class Kernel, class Real, int degree, int moments>
__global__ void __launch_bounds__(tuning::box_warps* warp)
    p2l_fixed_kernel(Work<Real> work,
                     const __grid_constant__ Factors<Real, Kernel::Basis::coefficient_count(degree)> factor,
                     int looks) {
  constexpr int count = Kernel::Basis::coefficient_count(degree), stride = stride_of<Real>(count), pitch = warp + 1;
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ FlatRanges<warp> ranges[tuning::box_warps];
  __shared__ BusyBoxes<tuning::box_warps * warp> busy;
  const int lane = static_cast<int>(threadIdx.x) % warp, own = static_cast<int>(threadIdx.x) / warp;
  busy.find(work.tree, work.lists.p2l, looks);
  Real* column = reinterpret_cast<Real*>(shared) + own * count * pitch;
  for (BoxId box = busy.take(); box != no_box; box = busy.take()) {
    Real sum[count] = {};
    add_listed<Kernel, Real, degree, moments>(work, box, ranges[own], sum);
#pragma unroll
    for (int i = 0; i < count; ++i) column[i * pitch + lane] = sum[i] * factor.value[i];
    __syncwarp();
    for (int i = lane; i < count; i += warp) {
      Real value = 0;
      for (int k = 0; k < warp; ++k) value += column[i * pitch + k];
      work.local[static_cast<std::int64_t>(box) * stride + i] += value;
    }
    __syncwarp();
  }
}

template <class Kernel, class Real, int degree, int moments>
static void launch_fixed_p2l(const Work<Real>& work) {
  constexpr int count = Kernel::Basis::coefficient_count(degree);
  static const auto factors = make_factors<Real, count>(Kernel::Basis::term_factors(degree));
  constexpr std::size_t bytes = sizeof(Real) * count * (warp + 1);
  const int warps = warps_that_fit(bytes, tuning::box_warps);
  const LookShape shape = look_shape(work.tree.boxes, warps);
  launch_kernel("p2l", p2l_fixed_kernel<Kernel, Real, degree, moments>,
                {shape.blocks, warps * warp, bytes * static_cast<std::size_t>(warps)}, work.stream, work, factors,
                shape.looks);
}

/// Of any degree; `levels`: tables of each level, where they depend on it.
template <class Kernel, class Real, int moments, class... Levels>
__global__ void p2l_kernel(Work<Real> work, Levels... levels) {
  extern __shared__ __align__(16) unsigned char shared[];
  const int warps = static_cast<int>(blockDim.x) / warp, own = static_cast<int>(threadIdx.x) / warp;
  const std::int64_t box = static_cast<std::int64_t>(blockIdx.x) * warps + own;
  if (box >= work.tree.boxes) return;
  const auto b = static_cast<BoxId>(box);
  const ListView& list = work.lists.p2l;
  Real* column = reinterpret_cast<Real*>(shared) + own * column_numbers(work.tables.degree);
  for (std::int64_t k = list.begin[box]; k < list.begin[box + 1]; ++k) {
    const BoxId source = list.items[k];
    BoxFrame frame(work.tree, b);
    if (work.in_leaf && work.is_image(source))
      for (int axis = 0; axis < 3; ++axis)
        frame.centre[axis] -= displacement(work.tree, source, work.images.home[source], axis);
    accumulate<Kernel, Real, true, moments>(work, tables_of(work, b, levels...), frame, work.tree.source_begin[source],
                                            work.tree.source_end[source], true, column,
                                            work.local + box * work.tables.stride);
  }
}

template <class Kernel, int moments, class Real>
void p2l_in_space(const Work<Real>& work) {
  if (with_fixed_degree<typename Kernel::Basis, Real>(work.tables.degree, [&](auto degree) {
        launch_fixed_p2l<Kernel, Real, decltype(degree)::value, moments>(work);
      }))
    return;
  launch_accumulation(work, "p2l", p2l_kernel<Kernel, Real, moments>);
}

}  // namespace farfield::cuda

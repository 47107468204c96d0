// p2m and p2l of the plane: M_n = factor_n sum q z^n, L_n += factor_n sum q (1 / conj z)^n in box units, of any degree.
// Powers are summed eight degrees at a time, in registers; a point is read again for the next eight, from a cache.
#pragma once
#include "backends/cuda/far/fixed_degree.hpp"
#include "backends/cuda/planar/parents.hpp"
#include "core/math.hpp"

namespace farfield::cuda {

inline constexpr int powers_at_once = 8;

/// Point i in the frame of a box.
template <class Real>
__device__ Complex<Real> planar_point(const double* const axis[3], std::int64_t i, const BoxFrame& frame) {
  return {static_cast<Real>(displacement(load_in_order(axis[0] + i), frame.centre[0]) * frame.factor),
          static_cast<Real>(displacement(load_in_order(axis[1] + i), frame.centre[1]) * frame.factor)};
}

/// -log of the box's edge in the caller's unit of length.
template <class Real>
__device__ Real minus_log_edge(const Work<Real>& work, const BoxFrame& frame) {
  return static_cast<Real>(work.parameters.log_unit + log(frame.factor));
}

/// sum[i] += first z^i, q z^(8 chunk) being the first.
template <class Real>
__device__ __forceinline__ void add_powers(Complex<Real> z, Real q, int chunk, Complex<Real> (&sum)[powers_at_once]) {
  Complex<Real> power{q, 0};
  if (chunk > 0) {
    const Complex<Real> z2 = z * z, z4 = z2 * z2, z8 = z4 * z4;
    for (int c = 0; c < chunk; ++c) power = power * z8;
  }
#pragma unroll
  for (int i = 0; i < powers_at_once; ++i) {
    sum[i] = sum[i] + power;
    if (i + 1 < powers_at_once) power = power * z;
  }
}

/// Sums of four neighbouring lanes: lane k of the four gets degrees 2 k and 2 k + 1 of the eight.
template <class Real>
__device__ __forceinline__ void share_four(const Complex<Real> (&sum)[powers_at_once], int lane,
                                           Complex<Real> (&own)[2]) {
  const bool upper = lane & 2, odd = lane & 1;
  Complex<Real> half[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const Complex<Real> kept = upper ? sum[i + 4] : sum[i], sent = upper ? sum[i] : sum[i + 4];
    half[i] = kept + Complex<Real>{__shfl_xor_sync(0xffffffffu, sent.re, 2), __shfl_xor_sync(0xffffffffu, sent.im, 2)};
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const Complex<Real> kept = odd ? half[i + 2] : half[i], sent = odd ? half[i] : half[i + 2];
    own[i] = kept + Complex<Real>{__shfl_xor_sync(0xffffffffu, sent.re, 1), __shfl_xor_sync(0xffffffffu, sent.im, 1)};
  }
}

/// Four lanes per leaf. Writes the whole strides of the multipoles of all leaves, and of the boxes of levels 0 and 1,
/// which m2m does not reach.
template <class Kernel, class Real>
__global__ void __launch_bounds__(planar_threads) planar_p2m_kernel(const __grid_constant__ Work<Real> work) {
  const TreeView& tree = work.tree;
  const int lane = static_cast<int>(threadIdx.x) % 4, size = work.planar.size, half = work.tables.stride / 2;
  const std::int64_t at = (std::int64_t(blockIdx.x) * planar_threads + threadIdx.x) / 4;
  const bool exists = at < tree.boxes;
  const auto box = static_cast<BoxId>(exists ? at : 0);
  const bool leaf = exists && tree.is_leaf(box);
  const BoxFrame frame(tree, box);
  const std::int64_t begin = leaf ? tree.source_begin[box] : 0, end = leaf ? tree.source_end[box] : 0;
  if (!__any_sync(0xffffffffu, leaf || (exists && tree.level[box] < 2))) return;
  for (int first = 0; first < half; first += powers_at_once) {
    Complex<Real> sum[powers_at_once] = {}, own[2];
    if (first < size)
      for (std::int64_t s = begin + lane; s < end; s += 4)
        add_powers(planar_point<Real>(work.source, s, frame), work.strength[s], first / powers_at_once, sum);
    share_four(sum, lane, own);
    const int n = first + 2 * lane;
    if (!(leaf || (exists && tree.level[box] < 2)) || n >= half) continue;
    Complex<Real>* to = as_complex(work.multipole + at * work.tables.stride) + n;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const Real factor = n + i < size ? work.planar.power[n + i] : Real(0);
      own[i] = {own[i].re * factor, own[i].im * factor};
    }
    if (n == 0) own[0].im = leaf ? own[0].re * minus_log_edge(work, frame) : Real(0);
    to[0] = own[0], to[1] = own[1];
  }
}

template <class Kernel, class Real>
void planar_p2m(const Work<Real>& work) {
  const std::int64_t blocks = (4 * std::int64_t(work.tree.boxes) + planar_threads - 1) / planar_threads;
  planar_p2m_kernel<Kernel, Real><<<static_cast<unsigned>(blocks), planar_threads, 0, work.stream>>>(work);
  require_launch("p2m");
}

/// A warp per box with leaves in its p2l list; lanes are sources of one leaf after another. S_0 is a logarithm.
template <class Kernel, class Real>
__global__ void __launch_bounds__(tuning::box_warps* warp)
    planar_p2l_kernel(const __grid_constant__ Work<Real> work, int looks) {
  __shared__ BusyBoxes<tuning::box_warps * warp> busy;
  const int lane = static_cast<int>(threadIdx.x) % warp, size = work.planar.size;
  const TreeView& tree = work.tree;
  const ListView& list = work.lists.p2l;
  const bool with_logarithm = work.result[0];
  busy.find(tree, list, looks);
  for (BoxId box = busy.take(); box != no_box; box = busy.take()) {
    const BoxFrame frame(tree, box);
    Complex<Real>* local = as_complex(work.local + std::int64_t(box) * work.tables.stride);
    const Real unit = minus_log_edge(work, frame);
    for (int first = 0; first < size; first += powers_at_once) {
      Complex<Real> sum[powers_at_once] = {};
      Real logarithm = 0;
      for (std::int64_t k = list.begin[box]; k < list.begin[box + 1]; ++k) {
        const BoxId leaf = list.items[k];
        for (std::int64_t s = tree.source_begin[leaf] + lane; s < tree.source_end[leaf]; s += warp) {
          const Complex<Real> u = planar_point<Real>(work.source, s, frame);
          const Real r2 = u.re * u.re + u.im * u.im, inverse = Math<Real>::inverse(r2), q = work.strength[s];
          add_powers(Complex<Real>{u.re * inverse, u.im * inverse}, q, first / powers_at_once, sum);
          if (first == 0 && with_logarithm) logarithm += q * (unit - Real(0.5) * Math<Real>::log(r2));
        }
      }
      if (first == 0) sum[0] = {logarithm, 0};
      Complex<Real> own[2];
      share_four(sum, lane, own);
      for (int other = 4; other < warp; other *= 2)
#pragma unroll
        for (Complex<Real>& number : own)
          number = number + Complex<Real>{__shfl_xor_sync(0xffffffffu, number.re, other),
                                          __shfl_xor_sync(0xffffffffu, number.im, other)};
      if (lane < 4)
#pragma unroll
        for (int i = 0; i < 2; ++i)
          if (const int n = first + 2 * lane + i; n < size) {
            const Real factor = work.planar.power[n];
            local[n].re += factor * own[i].re;
            if (n > 0) local[n].im += factor * own[i].im;
          }
      __syncwarp();
    }
  }
}

template <class Kernel, class Real>
void planar_p2l(const Work<Real>& work) {
  const LookShape shape = look_shape(work.tree.boxes, tuning::box_warps);
  planar_p2l_kernel<Kernel, Real><<<shape.blocks, tuning::box_warps * warp, 0, work.stream>>>(work, shape.looks);
  require_launch("p2l");
}

}  // namespace farfield::cuda

// l2p and m2p of the plane, of any degree, by Horner's rule in complex numbers: a local is Re f(z), f = sum conj(L_n)
// factor_n z^n, with gradient (Re f', -Im f'); a multipole is Re h, h = sum M_n factor_n v^n - M_0 log z + M_unit with
// v = 1/z. Eight multiply-adds per degree for both. The gradient alone needs the derivatives alone, four per degree,
// and no logarithm: f' = sum n conj(L_n) factor_n z^(n-1).
#pragma once
#include "backends/cuda/far/fixed_degree.hpp"
#include "backends/cuda/planar/sums.hpp"
#include "kernels/vector_result.hpp"

namespace farfield::cuda {

/// A value and its derivative.
template <class Real>
struct ComplexJet {
  Complex<Real> f{0, 0}, derivative{0, 0};
  __device__ __forceinline__ void step(Complex<Real> z, Complex<Real> coefficient, bool with_derivative) {
    if (with_derivative) derivative = derivative * z + f;
    f = f * z + coefficient;
  }
};

/// Of coefficient n, times the basis' factor, what is summed: itself, or of the gradient alone n times it.
template <int parts, class Real>
__device__ Real summed_factor(const Work<Real>& work, int n) {
  const Real factor = work.planar.power[n];
  return parts == gradient_alone ? static_cast<Real>(n) * factor : factor;
}

/// Consecutive threads take consecutive targets of a group of leaves, whose coefficients lie in shared memory.
template <class Kernel, class Real, int boxes, int parts>
__global__ void __launch_bounds__(tuning::l2p_threads)
    planar_l2p_kernel(const __grid_constant__ Work<Real> work, int pitch) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ LeafGroup<Real, boxes> group;
  auto* coefficient = reinterpret_cast<Complex<Real>*>(shared);  // [boxes][pitch]
  const int thread = static_cast<int>(threadIdx.x), size = work.planar.size;
  const std::int64_t first = std::int64_t(blockIdx.x) * boxes;
  const std::uint32_t total = find_leaves<Kernel>(work, first, group);
  if (total == 0) return;
  for (int place = thread; place < boxes * size; place += tuning::l2p_threads) {
    const int b = place / size, n = place - b * size;
    if (group.targets.begin[b] == group.targets.begin[b + 1]) continue;
    const Complex<Real> own = as_complex(work.local + std::int64_t(group.box[b]) * work.tables.stride)[n];
    const Real factor = summed_factor<parts>(work, n);
    coefficient[b * pitch + n] = {own.re * factor, n > 0 ? -own.im * factor : Real(0)};
  }
  __syncthreads();
  for (std::uint32_t i = static_cast<std::uint32_t>(thread); i < total; i += tuning::l2p_threads) {
    const int b = group.targets.range_of(i);
    const std::int64_t t = group.targets.first[b] + i;
    Real before[3];
#pragma unroll
    for (int part = first_part(parts); part < (parts > 1 ? 3 : 1); ++part) before[part] = work.result[part][t];
    Complex<Real> z;
    z.re = static_cast<Real>(displacement(load_in_order(work.target[0] + t), group.centre[0][b]) * group.factor[b]);
    z.im = static_cast<Real>(displacement(load_in_order(work.target[1] + t), group.centre[1][b]) * group.factor[b]);
    ComplexJet<Real> jet;
    const Complex<Real>* own = coefficient + b * pitch;
#pragma unroll 4
    for (int n = size - 1; n >= first_part(parts); --n) jet.step(z, own[n], parts == with_gradient);
    if constexpr (parts == gradient_alone) jet.derivative = jet.f;
    const Real scale = group.scale[b], per_length = scale * static_cast<Real>(group.factor[b]);
    if constexpr (parts != gradient_alone) work.result[0][t] = before[0] + jet.f.re * scale;
    if constexpr (parts > 1) {
      work.result[1][t] = before[1] + jet.derivative.re * per_length;
      work.result[2][t] = before[2] - jet.derivative.im * per_length;
    }
  }
}

template <class Kernel, class Real, int boxes>
void launch_planar_l2p(const Work<Real>& work) {
  const int pitch = work.planar.size | 1;
  const auto bytes = sizeof(Complex<Real>) * static_cast<std::size_t>(boxes * pitch);
  with_parts_of<Kernel>(work.result.parts(), [&](auto parts) {
    launch_kernel("l2p", planar_l2p_kernel<Kernel, Real, boxes, parts()>,
                  {static_cast<unsigned>((work.tree.boxes + boxes - 1) / boxes), tuning::l2p_threads, bytes},
                  work.stream, work, pitch);
  });
}

template <class Kernel, class Real>
void planar_l2p(const Work<Real>& work) {
  const std::size_t bytes = sizeof(Complex<Real>) * 32 * static_cast<std::size_t>(work.planar.size + 1);
  if (targets_per_leaf(work) > tuning::l2p_large_leaf || bytes > (32u << 10))
    launch_planar_l2p<Kernel, Real, 8>(work);
  else
    launch_planar_l2p<Kernel, Real, 32>(work);
}

/// Where a multipole is evaluated: v = 1/u and |u|^2, u the target in the frame of its box.
template <class Real>
struct OuterPoint {
  Real r2 = 1;
  Complex<Real> v{1, 0};

  OuterPoint() = default;
  __device__ explicit OuterPoint(Complex<Real> u) : r2(u.re * u.re + u.im * u.im) {
    const Real inverse = Math<Real>::inverse(r2);
    v = {u.re * inverse, -u.im * inverse};
  }
};

/// Adds a multipole to sum[0 ... 2], whose terms of degrees 1 and above `jet` has summed; `low`: M_0 and M_unit,
/// `factor`: one over the box's edge.
template <int parts, class Real>
__device__ __forceinline__ void add_outer(ComplexJet<Real>& jet, const OuterPoint<Real>& at, Complex<Real> low,
                                          Real scale, Real factor, Real (&sum)[3]) {
  const Complex<Real> v = at.v;
  if constexpr (parts == gradient_alone)
    jet.derivative = jet.f;
  else
    jet.step(v, {0, 0}, parts > 1);
  const Real charge = low.re;
  if constexpr (parts != gradient_alone)
    sum[0] += (jet.f.re - charge * (Real(0.5) * Math<Real>::log(at.r2)) + low.im) * scale;
  if constexpr (parts > 1) {
    const Complex<Real> slope = v * v * jet.derivative + Complex<Real>{charge * v.re, charge * v.im};  // -h'
    const Real per_length = scale * factor;
    sum[1] -= slope.re * per_length;
    sum[2] += slope.im * per_length;
  }
}

/// Adds the multipole of `source` to sum[0 ... 2] at target t; the lanes of a warp read the same coefficients.
template <class Kernel, class Real, int parts>
__device__ void add_planar_multipole(const Work<Real>& work, BoxId source, std::int64_t t, Real (&sum)[3]) {
  const BoxFrame frame(work.tree, source);
  const OuterPoint<Real> at(planar_point<Real>(work.target, t, frame));
  const Complex<Real>* own = as_complex(work.multipole + std::int64_t(source) * work.tables.stride);
  ComplexJet<Real> jet;
  for (int n = work.planar.size - 1; n > 0; --n) {
    const Complex<Real> m = own[n];
    const Real factor = summed_factor<parts>(work, n);
    jet.step(at.v, {m.re * factor, m.im * factor}, parts == with_gradient);
  }
  add_outer<parts>(jet, at, own[0], static_cast<Real>(Kernel::Basis::potential_scale(1 / frame.factor)),
                   static_cast<Real>(frame.factor), sum);
}

/// A warp per leaf with boxes in its m2p list. Groups of 8, 16 or 32 lanes hold its targets and share the boxes; their
/// sums are added at the end, in a fixed order.
template <class Kernel, class Real, int parts>
__global__ void __launch_bounds__(tuning::box_warps* warp)
    planar_m2p_kernel(const __grid_constant__ Work<Real> work, int looks) {
  __shared__ BusyBoxes<tuning::box_warps * warp> busy;
  const int lane = static_cast<int>(threadIdx.x) % warp;
  const ListView& list = work.lists.m2p;
  busy.find(work.tree, list, looks);
  for (BoxId box = busy.take(); box != no_box; box = busy.take()) {
    const std::int64_t end = work.tree.target_end[box], begin = work.tree.target_begin[box];
    int lanes = 8;
    while (lanes < warp && lanes < end - begin) lanes *= 2;
    const int group = lane / lanes, within = lane % lanes, groups = warp / lanes;
    for (std::int64_t from = begin; from < end; from += lanes) {
      const std::int64_t t = from + within;
      Real sum[3] = {};
      if (t < end)
        for (std::int64_t k = list.begin[box] + group; k < list.begin[box + 1]; k += groups)
          add_planar_multipole<Kernel, Real, parts>(work, list.items[k], t, sum);
      __syncwarp();
#pragma unroll
      for (int part = first_part(parts); part < (parts > 1 ? 3 : 1); ++part) {
        for (int other = lanes; other < warp; other *= 2) sum[part] += __shfl_xor_sync(0xffffffffu, sum[part], other);
        if (group == 0 && t < end) work.result[part][t] += sum[part];
      }
    }
  }
}

template <class Kernel, class Real>
void planar_m2p(const Work<Real>& work) {
  const LookShape shape = look_shape(work.tree.boxes, tuning::box_warps);
  with_parts_of<Kernel>(work.result.parts(), [&](auto parts) {
    planar_m2p_kernel<Kernel, Real, parts()>
        <<<shape.blocks, tuning::box_warps * warp, 0, work.stream>>>(work, shape.looks);
  });
  require_launch("m2p");
}

}  // namespace farfield::cuda

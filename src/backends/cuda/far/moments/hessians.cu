// Hessians of expansions at targets, parts 4 to 9 of what l2p and m2p add. Low degrees of l2p in single: l2p_fixed.hpp
// with the sums of expansions/laplace_second.hpp, 13 instructions per target and pair (n, m >= 0). Any degree:
// expansions of the second derivatives are made once per box by the gradient's maps applied twice
// (docs/mathematics/dipoles.md); five of the six are evaluated together, since off its sources 1/r is harmonic: xx =
// -yy - zz. A warp per leaf, lanes are targets.
#include "backends/cuda/far/evaluate.hpp"
#include "backends/cuda/far/l2p_fixed.hpp"
#include "backends/cuda/far/moments/moments.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/tuning.hpp"
#include "expansions/laplace_second.hpp"

namespace farfield::cuda {

/// The second derivatives of a box's expansion about itself: `first` the coefficients of the first derivatives, of
/// which the maps `again` make those of the second, evaluated to `second`.
template <class Real>
struct HessianMaps {
  int own, first;  ///< coefficients
  Extent<Real> second;
  SparseView<Real> gradient[3], again[3];
};

template <class Basis, class Real, bool multipole>
HessianMaps<Real> maps_of(const TablesView<Real>& t) {
  const auto extent = [&](int more, const Real* recurrence) {
    return Extent<Real>{t.degree + more, Basis::coefficient_count(t.degree + more), recurrence};
  };
  HessianMaps<Real> maps{t.coefficients, t.coefficients, extent(0, t.recurrence), {}, {}};
  if (multipole) maps.first = Basis::coefficient_count(t.degree + 1), maps.second = extent(2, t.recurrence_after);
  for (int axis = 0; axis < 3; ++axis) {
    maps.gradient[axis] = multipole ? t.multipole_gradient[axis] : t.local_gradient[axis];
    maps.again[axis] = multipole ? t.gradient_of_gradient[axis] : t.local_gradient[axis];
  }
  return maps;
}

template <class Real>
__device__ Real row_or_zero(const SparseView<Real>& map, const Real* x, int row) {
  return row < map.rows ? apply_row(map, x, row) : Real(0);
}

/// yy, zz, xy, xz, yz in the order of the parts; with one at a time `which` says which of them.
inline constexpr int second_derivatives = 5;
__device__ inline int axis_of_second(int which, int k) {
  constexpr int axes[second_derivatives][2] = {{1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  return axes[which][k];
}

/// [second.count][expansions] at `coefficient`, behind the first derivatives that they need.
template <class Real, int expansions>
__device__ const Real* stage_second(const HessianMaps<Real>& maps, const Real* from, int which, Real* memory) {
  constexpr bool all = expansions == second_derivatives;
  const int lane = static_cast<int>(threadIdx.x) % warp;
  for (int i = lane; i < maps.first; i += warp) {
    if constexpr (all)
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) memory[axis * maps.first + i] = row_or_zero(maps.gradient[axis], from, i);
    else
      memory[i] = row_or_zero(maps.gradient[axis_of_second(which, 0)], from, i);
  }
  __syncwarp();
  Real* coefficient = memory + (all ? 3 : 1) * maps.first;
  for (int i = lane; i < maps.second.count; i += warp) {
    if constexpr (all)
#pragma unroll
      for (int e = 0; e < expansions; ++e)
        coefficient[i * expansions + e] =
            row_or_zero(maps.again[axis_of_second(e, 1)], memory + axis_of_second(e, 0) * maps.first, i);
    else
      coefficient[i] = row_or_zero(maps.again[axis_of_second(which, 1)], memory, i);
  }
  __syncwarp();
  return coefficient;
}

/// Adds the second derivatives about box `about` to the Hessians of the targets of `box`.
template <class Kernel, class Real, int expansions, bool multipole>
__device__ void evaluate_second(const Work<Real>& work, BoxId box, BoxId about, const Extent<Real>& extent, int which,
                                const Real* coefficient) {
  const BoxFrame frame(work.tree, about);
  const Real scale = static_cast<Real>(Kernel::Basis::potential_scale(1 / frame.factor) * frame.factor * frame.factor);
  const std::int64_t end = work.tree.target_end[box];
  for (std::int64_t t = work.tree.target_begin[box] + static_cast<int>(threadIdx.x) % warp; t < end; t += warp) {
    Real u[3], weight = 1;
    point_in_box(work.target, t, frame, u);
    if constexpr (multipole) Kernel::Basis::invert(u[0], u[1], u[2], weight, inverse_length(u));
    Evaluate<Kernel, Real, expansions> visit(coefficient);
    Kernel::Basis::columns(extent.degree, extent.recurrence, u[0], u[1], u[2], visit);
    Real trace = 0;
#pragma unroll
    for (int e = 0; e < expansions; ++e) {
      const int component = which + e;
      const Real value = visit.out[e] * (weight * scale);
      work.result.of_hessian(with_gradient + 1 + component)[t] += value;
      if (component < 2) trace += value;
    }
    if (which < 2) work.result.part[with_gradient][t] -= trace;
  }
  __syncwarp();
}

template <class Kernel, class Real, int expansions, bool multipole>
__global__ void __launch_bounds__(tuning::box_warps* warp)
    hessian_kernel(Work<Real> work, const __grid_constant__ HessianMaps<Real> maps, int which) {
  extern __shared__ __align__(16) unsigned char shared[];
  constexpr int first = expansions == second_derivatives ? 3 : 1;
  const int warps = static_cast<int>(blockDim.x) / warp, own = static_cast<int>(threadIdx.x) / warp;
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * warps + own;
  if (at >= work.tree.boxes) return;
  const auto box = static_cast<BoxId>(at);
  Real* memory =
      reinterpret_cast<Real*>(shared) + std::int64_t(own) * (first * maps.first + expansions * maps.second.count);
  const auto add = [&](const Real* expansion, BoxId about) {
    const Real* second = stage_second<Real, expansions>(maps, expansion, which, memory);
    evaluate_second<Kernel, Real, expansions, multipole>(work, box, about, maps.second, which, second);
  };
  const std::int64_t stride = work.tables.stride;
  if constexpr (multipole) {
    const ListView& list = work.lists.m2p;
    for (std::int64_t k = list.begin[box]; k < list.begin[box + 1]; ++k)
      add(work.multipole + work.expanded(list.items[k]) * stride, list.items[k]);
  } else {
    if (work.tree.is_leaf(box) && work.tree.target_count(box) > 0) add(work.local + box * stride, box);
  }
}

template <class Kernel, class Real, int expansions, bool multipole>
static bool launch_second(const Work<Real>& work, const HessianMaps<Real>& maps, int which) {
  constexpr int first = expansions == second_derivatives ? 3 : 1;
  const auto bytes = static_cast<std::size_t>(first * maps.first + expansions * maps.second.count) * sizeof(Real);
  if (warps_that_fit(bytes, 1) == 0) return false;
  launch_warps(multipole ? "m2p" : "l2p", hessian_kernel<Kernel, Real, expansions, multipole>, work.tree.boxes, 1,
               bytes, work.stream, work, maps, which);
  return true;
}

template <class Kernel, class Real, bool multipole>
static void add_hessians(const Work<Real>& work) {
  const auto maps = maps_of<typename Kernel::Basis, Real, multipole>(work.tables);
  if (launch_second<Kernel, Real, second_derivatives, multipole>(work, maps, 0)) return;
  for (int which = 0; which < second_derivatives; ++which)
    if (!launch_second<Kernel, Real, 1, multipole>(work, maps, which))
      throw Error(ErrorCode::device, "this degree's expansions exceed the device's shared memory; use a lower degree");
}

/// The Hessian, as l2p_fixed.hpp sums it.
template <class Real>
struct HessianParts {
  static constexpr int parts = with_hessian - with_gradient, room = parts;
  static __device__ Real* array(const ResultArrays<Real>& result, int part) {
    return result.of_hessian(with_gradient + part);
  }
  template <int degree, class Coefficient>
  static __device__ void sum(const Real u[3], Coefficient&& a, Real* out) {
    laplace::rho_hessian<degree>(u[0], u[1], u[2], a, out);
  }
  struct Scale {
    Real hessian;
    __device__ Scale(Real scale, Real factor) : hessian(scale * factor * factor) {}
    __device__ Real operator[](int /*part*/) const { return hessian; }
  };
};

template <class Kernel, class Real>
void l2p_of_hessians(const Work<Real>& work) {
  static_assert(std::is_same_v<typename Kernel::Basis, LaplaceBasis>);
  if (with_fixed_degree<LaplaceBasis, Real>(
          work.tables.degree, [&](auto degree) { choose_shape<Kernel, Real, degree(), HessianParts<Real>>(work); }))
    return;
  add_hessians<Kernel, Real, false>(work);
}
template <class Kernel, class Real>
void m2p_of_hessians(const Work<Real>& work) {
  add_hessians<Kernel, Real, true>(work);
}

FARFIELD_INSTANTIATE(l2p_of_hessians, Work)
FARFIELD_INSTANTIATE(m2p_of_hessians, Work)

}  // namespace farfield::cuda

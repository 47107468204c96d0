// evaluate: expansions of any degree at targets, for l2p and m2p. The gradient's expansions are made once per box by
// sparse maps (Gumerov & Duraiswami 2008, section 2.3), then the four expansions share one recurrence. A warp per leaf
// or, of few large ones, a block; lanes are targets, coefficients in shared memory as [coefficient][expansion].
#pragma once
#include <algorithm>

#include "backends/cuda/far/fixed_degree.hpp"
#include "backends/cuda/far/visitors.hpp"
#include "backends/cuda/levels/view.hpp"
#include "backends/cuda/tuning.hpp"
#include "expansions/basis.hpp"

namespace farfield::cuda {

/// Degree, number of coefficients and recurrence of the expansions that are evaluated.
template <class Real>
struct Extent {
  int degree, count;
  const Real* recurrence;
};

/// The recurrence for expansions about a box.
template <class Real>
__device__ const Real* recurrence_of(const Work<Real>& /*work*/, const Extent<Real>& extent, BoxId /*box*/) {
  return extent.recurrence;
}
template <class Real>
__device__ const Real* recurrence_of(const Work<Real>& work, const Extent<Real>& extent, BoxId box,
                                     const TablesView<Real>* levels) {
  const TablesView<Real>& own = tables_of(work, box, levels);
  return extent.degree > own.degree ? own.recurrence_next : own.recurrence;
}

/// The threads that share a box: a warp or a block.
struct Team {
  int thread, threads;
  __device__ explicit Team(bool block)
      : thread(static_cast<int>(threadIdx.x) % (block ? static_cast<int>(blockDim.x) : warp)),
        threads(block ? static_cast<int>(blockDim.x) : warp) {}
  __device__ void wait() const { threads == warp ? __syncwarp() : __syncthreads(); }
};

/// Stages the coefficients of expansion `first` and the following ones (0: the expansion itself, 1-3: its derivatives).
template <class Real, int expansions>
__device__ void stage(const Team& team, const Real* from, int own_count, const SparseView<Real>* gradient,
                      const Extent<Real>& extent, int first, Real* coefficient) {
  for (int i = team.thread; i < extent.count; i += team.threads)
#pragma unroll
    for (int e = 0; e < expansions; ++e) {
      const int which = first + e;
      Real value = 0;
      if (which == 0)
        value = i < own_count ? from[i] : Real(0);
      else if (i < gradient[which - 1].rows)
        value = apply_row(gradient[which - 1], from, i);
      coefficient[i * expansions + e] = value;
    }
  team.wait();
}

/// Adds the expansion about box `about` to the results of the targets of `box`.
template <class Kernel, class Real, int expansions, bool multipole>
__device__ void evaluate(const Team& team, const Work<Real>& work, BoxId box, BoxId about, const Extent<Real>& extent,
                         const Real* recurrence, int first, const Real* coefficient) {
  const BoxFrame frame(work.tree, about);
  const double scale = Kernel::Basis::potential_scale(1 / frame.factor);
  const std::int64_t end = work.tree.target_end[box];
  for (std::int64_t t = work.tree.target_begin[box] + team.thread; t < end; t += team.threads) {
    Real u[3], weight = 1;
    point_in_box(work.target, t, frame, u);
    if constexpr (multipole && Inverts<typename Kernel::Basis, Real>)
      Kernel::Basis::invert(u[0], u[1], u[2], weight, inverse_length(u));
    Evaluate<Kernel, Real, expansions> visit(coefficient);
    if constexpr (multipole && !Inverts<typename Kernel::Basis, Real>)
      Kernel::Basis::singular_columns(extent.degree, recurrence, u[0], u[1], u[2], inverse_length(u), visit);
    else
      Kernel::Basis::columns(extent.degree, recurrence, u[0], u[1], u[2], visit);
#pragma unroll
    for (int e = 0; e < expansions; ++e) {
      const int which = first + e;
      Real* out = work.result[which] + t;
      *out += visit.out[e] * weight * static_cast<Real>(which == 0 ? scale : scale * frame.factor);
    }
  }
  team.wait();
}

/// `blocks`: a block serves one box, else each of its warps.
template <class Kernel, class Real, int expansions, bool multipole, class... Levels>
__global__ void evaluate_kernel(Work<Real> work, Extent<Real> extent, int first, bool blocks, Levels... levels) {
  extern __shared__ __align__(16) unsigned char shared[];
  const Team team(blocks);
  const int teams = static_cast<int>(blockDim.x) / team.threads, own = static_cast<int>(threadIdx.x) / team.threads;
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * teams + own;
  if (at >= work.tree.boxes) return;
  const auto box = static_cast<BoxId>(at);
  Real* coefficient = reinterpret_cast<Real*>(shared) + static_cast<std::int64_t>(own) * extent.count * expansions;
  const int count = work.tables.coefficients;
  if constexpr (multipole) {
    const ListView& list = work.lists.m2p;
    for (std::int64_t k = list.begin[box]; k < list.begin[box + 1]; ++k) {
      const BoxId source = list.items[k];
      stage<Real, expansions>(team,
                              work.multipole + static_cast<std::int64_t>(work.expanded(source)) * work.tables.stride,
                              count, tables_of(work, source, levels...).multipole_gradient, extent, first, coefficient);
      evaluate<Kernel, Real, expansions, true>(team, work, box, source, extent,
                                               recurrence_of(work, extent, source, levels...), first, coefficient);
    }
  } else {
    if (!work.tree.is_leaf(box) || work.tree.target_count(box) == 0) return;
    stage<Real, expansions>(team, work.local + static_cast<std::int64_t>(box) * work.tables.stride, count,
                            tables_of(work, box, levels...).local_gradient, extent, first, coefficient);
    evaluate<Kernel, Real, expansions, false>(team, work, box, box, extent, recurrence_of(work, extent, box, levels...),
                                              first, coefficient);
  }
}

template <class Kernel, class Real, int expansions, bool multipole, class... Levels>
bool launch_evaluation(const Work<Real>& work, const Extent<Real>& extent, int first, const Levels&... levels) {
  const std::size_t bytes = static_cast<std::size_t>(extent.count) * expansions * sizeof(Real);
  if (warps_that_fit(bytes, 1) == 0) return false;
  const char* const name = multipole ? "m2p" : "l2p";
  const auto kernel = evaluate_kernel<Kernel, Real, expansions, multipole, Levels...>;
  if (few_large_leaves(work))
    launch_kernel(name, kernel, {static_cast<unsigned>(work.tree.boxes), tuning::box_warps * warp, bytes}, work.stream,
                  work, extent, first, true, levels...);
  else
    launch_warps(name, kernel, work.tree.boxes, 1, bytes, work.stream, work, extent, first, false, levels...);
  return true;
}

template <class Kernel, class Real, bool multipole, class... Levels>
void evaluate_any_degree(const Work<Real>& work, const Levels&... levels) {
  const TablesView<Real>& t = work.tables;
  const int parts = std::min(work.result.parts(), with_gradient);  // a Hessian: far/moments/hessians.cu
  const bool longer = multipole && parts > 1;
  const Extent<Real> extent{t.degree + longer, Kernel::Basis::coefficient_count(t.degree + longer),
                            longer ? t.recurrence_next : t.recurrence};
  if (parts > 1 && launch_evaluation<Kernel, Real, with_gradient, multipole>(work, extent, 0, levels...)) return;
  for (int which = 0; which < parts; ++which)  // degrees whose four expansions exceed shared memory
    if (!launch_evaluation<Kernel, Real, 1, multipole>(work, extent, which, levels...))
      throw Error(ErrorCode::device, "this degree's expansions exceed the device's shared memory; use a lower degree");
}

}  // namespace farfield::cuda

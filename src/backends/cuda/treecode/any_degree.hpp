// What m2p of a treecode finds, box by box, and its sums of any degree: a warp per group of targets walks the tree and
// evaluates one box at a time, with the gradient's expansions made by sparse maps.
#pragma once
#include "backends/cuda/far/evaluate.hpp"
#include "backends/cuda/treecode/walk.hpp"

namespace farfield::cuda {

inline constexpr int far_warps = 4;       ///< groups of a block
inline constexpr int most_accepted = 96;  ///< boxes that are listed before they are evaluated

/// A box to be evaluated, and the centre of its expansion from the group's middle.
struct alignas(16) Accepted {
  float x, y, z;
  BoxId box;
};

/// Appends the boxes of the lanes that found one; by a whole warp.
__device__ inline void append(bool wanted, const Accepted& box, Accepted* list, int& listed) {
  const unsigned some = __ballot_sync(~0u, wanted), before = some & ((1u << threadIdx.x % 32) - 1);
  if (wanted) list[listed + __popc(before)] = box;
  listed += __popc(some);
}

/// Walks for the group and calls take(n) with n boxes in stage.list, once or more; n is a multiple of `batch` but for
/// the last time. Boxes whose mass suffices come to take_masses(n) where these are asked for, n of them in
/// stage.masses.
template <int batch, bool by_mass, class Stage, class Take, class TakeMasses>
__device__ void walk_far(const TreeWork& work, Stage& stage, const Take& take, const TakeMasses& take_masses) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  Walk walk(work, stage.group, stage.stack);
  int listed = 0, masses = 0;
  for (bool more = true; more;) {
    const Walk::Found found = walk.next(more);
    const bool is_far = found.kind == Walk::far, alone = by_mass && is_far && found.mass_suffices;
    append(is_far && !alone, {found.at[0], found.at[1], found.at[2], found.box}, stage.list, listed);
    if constexpr (by_mass) {
      append(alone, {found.at[0], found.at[1], found.at[2], __float_as_int(found.mass)}, stage.masses, masses);
      __syncwarp();
      if (!more || masses > most_accepted - 32) {
        take_masses(masses);
        masses = 0;
      }
    }
    __syncwarp();
    if (listed == 0 || (more && listed <= most_accepted - 32)) continue;
    const int now = more ? listed / batch * batch : listed;
    take(now);
    __syncwarp();
    listed -= now;
    if (now > 0 && lane < listed) stage.list[lane] = stage.list[now + lane];
    __syncwarp();
  }
}

/// What a group of any degree needs in shared memory, beside `coefficients`.
struct AnyStage {
  Group group;
  Accepted list[most_accepted];
  Walk::Stack stack;
};

/// Adds expansions `first` ... of one box at target t.
template <class Kernel, class Real, int expansions, class... Levels>
__device__ void add_any(const Work<Real>& work, BoxId box, std::int64_t t, const Extent<Real>& extent, int first,
                        Real* coefficient, Real (&sum)[expansions], Levels... levels) {
  using Basis = typename Kernel::Basis;
  stage<Real, expansions>(Team(false), work.multipole + std::int64_t(box) * work.tables.stride,
                          work.tables.coefficients, tables_of(work, box, levels...).multipole_gradient, extent, first,
                          coefficient);
  const BoxFrame frame(work.tree, box);
  const double scale = Basis::potential_scale(1 / frame.factor);
  Real u[3], weight = 1;
  point_in_box(work.target, t, frame, u);
  Evaluate<Kernel, Real, expansions> visit(coefficient);
  const Real* recurrence = recurrence_of(work, extent, box, levels...);
  if constexpr (Inverts<Basis, Real>) {
    Basis::invert(u[0], u[1], u[2], weight, inverse_length(u));
    Basis::columns(extent.degree, recurrence, u[0], u[1], u[2], visit);
  } else {
    Basis::singular_columns(extent.degree, recurrence, u[0], u[1], u[2], inverse_length(u), visit);
  }
#pragma unroll
  for (int e = 0; e < expansions; ++e)
    sum[e] += visit.out[e] * weight * static_cast<Real>(first + e == 0 ? scale : scale * frame.factor);
  __syncwarp();
}

/// Expansions `first` ... of all boxes, as in evaluate.hpp: 0 is the multipole, 1 to 3 are its derivatives.
template <class Kernel, class Real, int expansions, class... Levels>
__global__ void __launch_bounds__(warp)
    walk_any_kernel(const __grid_constant__ Work<Real> work, Extent<Real> extent, int first, Levels... levels) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ AnyStage stage;
  auto* coefficient = reinterpret_cast<Real*>(shared);
  const int lane = static_cast<int>(threadIdx.x);
  for_each_group(work, blockIdx.x, [&](std::int64_t begin, std::int64_t end) {
    stage.group.enclose(work, begin, end, true);
    for (std::int64_t t = begin; t < end; t += warp) {
      Real sum[expansions] = {};
      const std::int64_t own = min(t + lane, end - 1);
      const auto take = [&](int count) {
        for (int k = 0; k < count; ++k)
          add_any<Kernel, Real, expansions>(work, stage.list[k].box, own, extent, first, coefficient, sum, levels...);
      };
      walk_far<1, false>(work, stage, take, [](int) {});
      if (t + lane < end)
#pragma unroll
        for (int e = 0; e < expansions; ++e) work.result[first + e][own] += sum[e];
      __syncwarp();
    }
  });
}

template <class Kernel, class Real, int expansions, class... Levels>
bool launch_any(const Work<Real>& work, const Extent<Real>& extent, int first, const Levels&... levels) {
  const std::size_t bytes = static_cast<std::size_t>(extent.count) * expansions * sizeof(Real);
  if (warps_that_fit(bytes + sizeof(AnyStage), 1) == 0) return false;
  launch_kernel("m2p", walk_any_kernel<Kernel, Real, expansions, Levels...>,
                {static_cast<unsigned>(groups_of(work.targets)), warp, bytes}, work.stream, work, extent, first,
                levels...);
  return true;
}

/// `levels`: tables of each level, where they depend on it.
template <class Kernel, class Real, class... Levels>
void walk_any_degree(const Work<Real>& work, const Levels&... levels) {
  const TablesView<Real>& t = work.tables;
  const int parts = work.result.parts();
  const bool longer = parts > 1;
  const Extent<Real> extent{t.degree + longer, Kernel::Basis::coefficient_count(t.degree + longer),
                            longer ? t.recurrence_next : t.recurrence};
  if (parts > 1 && launch_any<Kernel, Real, with_gradient>(work, extent, 0, levels...)) return;
  for (int which = 0; which < parts; ++which)
    if (!launch_any<Kernel, Real, 1>(work, extent, which, levels...))
      throw Error(ErrorCode::device, "this degree's expansions exceed the device's shared memory; use a lower degree");
}

}  // namespace farfield::cuda

// m2p of a treecode: a warp per group of targets, a lane per target, walks the tree and evaluates the multipoles of the
// boxes that it accepts. Low degrees in single: coefficients of up to 16 boxes at a time are copied to shared memory,
// from where every lane reads the same numbers; potential and gradient share one expansion. Any degree: one box at a
// time, with the gradient's expansions made by sparse maps.
#include "backends/cuda/far/evaluate.hpp"
#include "backends/cuda/far/fixed_degree.hpp"
#include "backends/cuda/near/pair_targets.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/treecode/walk.hpp"

namespace farfield::cuda {

inline constexpr int far_warps = 4;       ///< groups of a block
inline constexpr int most_accepted = 96;  ///< boxes that are listed before they are evaluated

/// Appends the boxes of the lanes that found one; by a whole warp.
__device__ inline void append(bool wanted, BoxId box, BoxId* list, int& listed) {
  const unsigned some = __ballot_sync(~0u, wanted), before = some & ((1u << threadIdx.x % 32) - 1);
  if (wanted) list[listed + __popc(before)] = box;
  listed += __popc(some);
}

/// The centre that a box's expansion is about.
__device__ inline double centre_of(const TreeWork& work, BoxId box, const BoxFrame& frame, int axis) {
  const float4 moved = work.centre ? work.centre[box] : float4{0, 0, 0, 0};
  return frame.centre[axis] + static_cast<double>(axis == 0 ? moved.x : axis == 1 ? moved.y : moved.z) / frame.factor;
}

/// What a warp needs in shared memory: coefficients times the basis' factors, and u = x factor - centre of every box,
/// from the middle of the group.
template <class Kernel, int degree>
struct FarStage {
  static constexpr int count = Kernel::Basis::coefficient_count(degree), pitch = (count + 3) / 4 * 4,
                       boxes = count <= 32    ? 16
                               : count <= 64  ? 8
                               : count <= 128 ? 4
                                              : 2;
  alignas(16) float coefficient[boxes][pitch];
  float4 frame[boxes];
  float scale[boxes];
  Cuboid around;
  Walk::Stack stack;
  BoxId list[most_accepted];
};

template <class Kernel, int degree, int parts>
class FarTarget {
  using Stage = FarStage<Kernel, degree>;

 public:
  __device__ FarTarget(const Work<float>& work, Stage& stage, std::int64_t t) : work_(work), stage_(stage) {
    for (int axis = 0; axis < 3; ++axis) {
      middle_[axis] = (stage.around.low[axis] + stage.around.high[axis]) / 2;
      x_[axis] = static_cast<float>(displacement(work.target[axis][t], middle_[axis]));
    }
  }
  /// Adds boxes [0, count) of the list; by a whole warp.
  __device__ void add(int count, const float* factor) {
    for (int from = 0; from < count; from += Stage::boxes) {
      const int now = min(Stage::boxes, count - from);
      fill(stage_.list + from, now, factor);
      __syncwarp();
      for (int b = 0; b < now; ++b) add_box(b);
      __syncwarp();
    }
  }
  float sum[4] = {};

 private:
  __device__ void fill(const BoxId* boxes, int count, const float* factor) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    for (int i = lane; i < count * Stage::count; i += 32) {
      const int b = i / Stage::count, c = i % Stage::count;
      stage_.coefficient[b][c] = work_.multipole[std::int64_t(boxes[b]) * work_.tables.stride + c] * factor[c];
    }
    if (lane >= count) return;
    const BoxFrame frame(work_.tree, boxes[lane]);
    const auto at = [&](int axis) {
      return static_cast<float>(displacement(centre_of(work_, boxes[lane], frame, axis), middle_[axis]) * frame.factor);
    };
    stage_.frame[lane] = {at(0), at(1), at(2), static_cast<float>(frame.factor)};
    stage_.scale[lane] = static_cast<float>(Kernel::Basis::potential_scale(1 / frame.factor));
  }
  __device__ void add_box(int b) {
    const float4 frame = stage_.frame[b];
    const float u[3] = {x_[0] * frame.w - frame.x, x_[1] * frame.w - frame.y, x_[2] * frame.w - frame.z},
                r2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    float out[4];
    Kernel::Basis::template fixed_outer_sum<degree, parts>(
        u[0], u[1], u[2], approximate_inverse_sqrt(r2),
        [&](auto c) { return stage_.coefficient[b][decltype(c)::value]; }, out);
    const float scale = stage_.scale[b];
    sum[0] += out[0] * scale;
#pragma unroll
    for (int part = 1; part < parts; ++part) sum[part] += out[part] * (scale * frame.w);
  }

  const Work<float>& work_;
  Stage& stage_;
  double middle_[3];
  float x_[3];
};

/// Walks for the group, whose cuboid is `stage.around`, and calls take(n) with n boxes in stage.list, once or more.
template <class Stage, class Take>
__device__ void walk_far(const TreeWork& work, Stage& stage, const Take& take) {
  Walk walk(work, stage.around, stage.stack);
  int listed = 0;
  for (bool more = true; more;) {
    const Walk::Found found = walk.next(more);
    append(found.place == Walk::far, found.box, stage.list, listed);
    __syncwarp();
    if (listed == 0 || (more && listed <= most_accepted - 32)) continue;
    take(listed);
    __syncwarp();
    listed = 0;
  }
}

template <class Kernel, int degree, int parts>
__global__ void __launch_bounds__(far_warps* warp, 768 / (far_warps * warp))
    walk_far_kernel(const __grid_constant__ Work<float> work,
                    const __grid_constant__ Factors<float, Kernel::Basis::coefficient_count(degree)> factors) {
  using Stage = FarStage<Kernel, degree>;
  __shared__ Stage stages[far_warps];
  __shared__ float factor[Stage::count];
  const int lane = static_cast<int>(threadIdx.x) % warp, own = static_cast<int>(threadIdx.x) / warp;
  for (int i = static_cast<int>(threadIdx.x); i < Stage::count; i += far_warps * warp) factor[i] = factors.value[i];
  __syncthreads();
  const std::int64_t first = (std::int64_t(blockIdx.x) * far_warps + own) * group_targets;
  if (first >= work.targets) return;
  const std::int64_t t = min(first + lane, work.targets - 1);
  Stage& stage = stages[own];
  const Cuboid around = cuboid_of_warp(work.target, t);
  if (lane == 0) stage.around = around;
  __syncwarp();
  FarTarget<Kernel, degree, parts> target(work, stage, t);
  walk_far(work, stage, [&](int count) { target.add(count, factor); });
  if (first + lane >= work.targets) return;
#pragma unroll
  for (int part = 0; part < parts; ++part) work.result[part][t] += target.sum[part];
}

/// What a group of any degree needs in shared memory, beside `coefficients`.
struct AnyStage {
  Cuboid around;
  Walk::Stack stack;
  BoxId list[most_accepted];
};

/// Expansions `first` ... of all boxes, as in evaluate.hpp: 0 is the multipole, 1 to 3 are its derivatives.
template <class Kernel, class Real, int expansions>
__global__ void __launch_bounds__(warp)
    walk_any_kernel(const __grid_constant__ Work<Real> work, Extent<Real> extent, int first) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ AnyStage stage;
  auto* coefficient = reinterpret_cast<Real*>(shared);
  const int lane = static_cast<int>(threadIdx.x);
  const std::int64_t begin = std::int64_t(blockIdx.x) * group_targets, t = min(begin + lane, work.targets - 1);
  const Cuboid around = cuboid_of_warp(work.target, t);
  if (lane == 0) stage.around = around;
  __syncwarp();
  Real sum[expansions] = {};
  walk_far(work, stage, [&](int count) {
    for (int k = 0; k < count; ++k) {
      const BoxId box = stage.list[k];
      cuda::stage<Real, expansions>(work.multipole + std::int64_t(box) * work.tables.stride, work.tables.coefficients,
                                    work.tables.multipole_gradient, extent, first, coefficient);
      const BoxFrame frame(work.tree, box);
      const double scale = Kernel::Basis::potential_scale(1 / frame.factor);
      Real u[3], weight = 1;
      point_in_box(work.target, t, frame, u);
      Kernel::Basis::invert(u[0], u[1], u[2], weight, inverse_length(u));
      Evaluate<Kernel, Real, expansions> visit(coefficient);
      Kernel::Basis::columns(extent.degree, extent.recurrence, u[0], u[1], u[2], visit);
#pragma unroll
      for (int e = 0; e < expansions; ++e)
        sum[e] += visit.out[e] * weight * static_cast<Real>(first + e == 0 ? scale : scale * frame.factor);
      __syncwarp();
    }
  });
  if (begin + lane >= work.targets) return;
#pragma unroll
  for (int e = 0; e < expansions; ++e) work.result[first + e][t] += sum[e];
}

template <class Kernel, class Real, int expansions>
static bool launch_any(const Work<Real>& work, const Extent<Real>& extent, int first) {
  const std::size_t bytes = static_cast<std::size_t>(extent.count) * expansions * sizeof(Real);
  if (warps_that_fit(bytes + sizeof(AnyStage), 1) == 0) return false;
  launch_kernel("m2p", walk_any_kernel<Kernel, Real, expansions>,
                {static_cast<unsigned>(groups_of(work.targets)), warp, bytes}, work.stream, work, extent, first);
  return true;
}

template <class Kernel, class Real>
static void walk_any_degree(const Work<Real>& work) {
  const TablesView<Real>& t = work.tables;
  const int parts = work.result.parts();
  const bool longer = parts > 1;
  const Extent<Real> extent{t.degree + longer, Kernel::Basis::coefficient_count(t.degree + longer),
                            longer ? t.recurrence_next : t.recurrence};
  if (parts > 1 && launch_any<Kernel, Real, most_parts>(work, extent, 0)) return;
  for (int which = 0; which < parts; ++which)
    if (!launch_any<Kernel, Real, 1>(work, extent, which))
      throw Error(ErrorCode::device, "this degree's expansions exceed the device's shared memory; use a lower degree");
}

template <class Kernel, int degree>
static void launch_fixed(const Work<float>& work) {
  constexpr int count = Kernel::Basis::coefficient_count(degree);
  static const auto factors = make_factors<float, count>(Kernel::Basis::sum_factors(degree));
  const std::int64_t groups = groups_of(work.targets);
  const auto kernel =
      with_parts(work.result.parts(), [](auto parts) { return &walk_far_kernel<Kernel, degree, parts()>; });
  kernel<<<static_cast<unsigned>((groups + far_warps - 1) / far_warps), far_warps * warp, 0, work.stream>>>(work,
                                                                                                            factors);
  require_launch("m2p");
}

template <class Kernel, class Real>
void walk_far(const Work<Real>& work) {
  if constexpr (Kernel::Basis::decay.axes == 3) {  // `choose` refuses others
    if constexpr (sizeof(Real) == 4)
      if (with_fixed_degree<typename Kernel::Basis, Real>(work.tables.degree,
                                                          [&](auto degree) { launch_fixed<Kernel, degree()>(work); }))
        return;
    walk_any_degree<Kernel, Real>(work);
  }
}

FARFIELD_INSTANTIATE(walk_far, Work)

}  // namespace farfield::cuda

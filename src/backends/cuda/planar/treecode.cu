// m2p of a treecode in the plane, of any degree: a warp per group of targets walks the tree and evaluates the
// multipoles of the boxes that it accepts (values.hpp). The coefficients of some boxes at a time lie in shared memory,
// where the two targets of a lane share every load. Eight multiply-adds per degree, box and target for potential and
// gradient.
#include "backends/cuda/planar/values.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/treecode/any_degree.hpp"
#include "backends/cuda/treecode/lanes.hpp"

namespace farfield::cuda {

template <class Real>
inline constexpr int staged_boxes = sizeof(Real) == 4 ? 8 : 4;

/// A box in shared memory, beside its coefficients. Targets are subtracted in double: they may be many edges away.
template <class Real>
struct PlanarPlace {
  double centre[2], factor;  ///< one over its edge
  Real scale;
};

/// What a group needs in shared memory, beside coefficients.
template <class Real>
struct PlanarStage {
  Group group;
  Accepted list[most_accepted];
  Walk::Stack stack;
  PlanarPlace<Real> place[staged_boxes<Real>];
};

/// Copies boxes from[0] ... from[now - 1] to shared memory, coefficients times their factors; by a whole warp.
template <class Kernel, int parts, class Real>
__device__ void stage_boxes(const Work<Real>& work, const Accepted* from, int now, int pitch, PlanarPlace<Real>* place,
                            Complex<Real>* coefficient) {
  const int lane = static_cast<int>(threadIdx.x) % warp, size = work.planar.size;
  for (int i = lane; i < now * size; i += warp) {
    const int b = i / size, n = i - b * size;
    const Complex<Real> own = as_complex(work.multipole + std::int64_t(from[b].box) * work.tables.stride)[n];
    const Real factor = n > 0 ? summed_factor<parts>(work, n) : Real(1);
    coefficient[b * pitch + n] = {own.re * factor, own.im * factor};
  }
  if (lane >= now) return;
  const BoxFrame frame(work.tree, from[lane].box);
  place[lane] = {{frame.centre[0], frame.centre[1]},
                 frame.factor,
                 static_cast<Real>(Kernel::Basis::potential_scale(1 / frame.factor))};
}

/// The targets of a group and their sums, some to a lane.
template <class Real, int parts>
class PlanarTargets {
  static constexpr int n = 2, end = parts > 1 ? 3 : 1;  // nothing changes along z

 public:
  __device__ PlanarTargets(const TreeWork& work, std::int64_t first, int count) : first_(first), lanes_(count, n) {
#pragma unroll
    for (int i = 0; i < n; ++i)
      for (int axis = 0; axis < 2; ++axis) x_[i][axis] = work.target[axis][first + lanes_.target(i)];
  }

  /// Adds `count` staged boxes.
  __device__ void add(const PlanarPlace<Real>* place, const Complex<Real>* coefficient, int pitch, int size,
                      int count) {
    for (int b = lanes_.first(count); b < count; b += lanes_.copies) add_box(place[b], coefficient + b * pitch, size);
  }

  /// Adds the sums of all copies of a target to the results; by a whole warp.
  __device__ void deliver(const ResultArrays<Real>& result) const {
#pragma unroll
    for (int i = 0; i < n; ++i)
#pragma unroll
      for (int part = first_part(parts); part < end; ++part) {
        const Real all = lanes_.sum_of_copies(sum_[i][part]);
        if (lanes_.delivers(i)) result[part][first_ + lanes_.target(i)] += all;
      }
  }

 private:
  __device__ void add_box(const PlanarPlace<Real>& box, const Complex<Real>* own, int size) {
    OuterPoint<Real> at[n];
    ComplexJet<Real> jet[n];
#pragma unroll
    for (int i = 0; i < n; ++i)
      at[i] = OuterPoint<Real>({static_cast<Real>(displacement(x_[i][0], box.centre[0]) * box.factor),
                                static_cast<Real>(displacement(x_[i][1], box.centre[1]) * box.factor)});
    for (int degree = size - 1; degree > 0; --degree) {
      const Complex<Real> m = own[degree];
#pragma unroll
      for (int i = 0; i < n; ++i) jet[i].step(at[i].v, m, parts == with_gradient);
    }
#pragma unroll
    for (int i = 0; i < n; ++i)
      add_outer<parts>(jet[i], at[i], own[0], box.scale, static_cast<Real>(box.factor), sum_[i]);
  }

  std::int64_t first_;
  GroupLanes lanes_;
  double x_[n][2];
  Real sum_[n][3] = {};
};

template <class Kernel, class Real, int parts>
__global__ void __launch_bounds__(far_warps* warp)
    planar_walk_kernel(const __grid_constant__ Work<Real> work, int pitch) {
  constexpr int boxes = staged_boxes<Real>;
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ PlanarStage<Real> stages[far_warps];
  const int own = static_cast<int>(threadIdx.x) / warp;
  PlanarStage<Real>& stage = stages[own];
  Complex<Real>* coefficient = reinterpret_cast<Complex<Real>*>(shared) + own * boxes * pitch;
  for_each_group(work, std::int64_t(blockIdx.x) * far_warps + own, [&](std::int64_t first, std::int64_t end) {
    stage.group.enclose(work, first, end, true);
    PlanarTargets<Real, parts> targets(work, first, static_cast<int>(end - first));
    const auto take = [&](int listed) {
      for (int from = 0; from < listed; from += boxes) {
        const int now = min(boxes, listed - from);
        stage_boxes<Kernel, parts>(work, stage.list + from, now, pitch, stage.place, coefficient);
        __syncwarp();
        targets.add(stage.place, coefficient, pitch, work.planar.size, now);
        __syncwarp();
      }
    };
    walk_far<boxes, false>(work, stage, take, [](int) {});
    targets.deliver(work.result);
  });
}

template <class Kernel, class Real>
void walk_far(const Work<Real>& work) {
  const int pitch = work.planar.size | 1;
  const auto bytes = sizeof(Complex<Real>) * static_cast<std::size_t>(far_warps * staged_boxes<Real> * pitch);
  const std::int64_t groups = groups_of(work.targets);
  with_parts_of<Kernel>(work.result.parts(), [&](auto parts) {
    launch_kernel("m2p", planar_walk_kernel<Kernel, Real, parts()>,
                  {static_cast<unsigned>((groups + far_warps - 1) / far_warps), far_warps * warp, bytes}, work.stream,
                  work, pitch);
  });
}

FARFIELD_INSTANTIATE(walk_far, Work)

}  // namespace farfield::cuda

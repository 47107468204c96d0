// p2p of families in the plane (p2p_families.hpp): the up to 4 x 4 leaves around a parent are staged row by row, so
// that a child's near sources lie in three runs; a warp per child sums them. Beside families in space:
// - A third of the pairs per target: what a child costs beside them counts three times as much. Lanes hold two or four
//   targets, whichever leaves fewer idle. (Up to six, in 128 registers: a quarter slower, fewer blocks being resident.)
// - Close pairs are a hundred times as frequent: of 21 points per leaf a quarter has another one within 1/16 of the
// edge.
//   So a coordinate is kept to 2^-37 of the edge, as a number and its remainder in 16 bits. The child's own leaf is
//   summed with remainders. All leaves are, where another leaf has a source within 1/64; only pairs within 2^-13 are
//   differenced in double.
// - The unit of length is added once per target, to the sum of q log r^2: it multiplies the sum of the strengths.
// Cost with gradient: 10 instructions and two of the special-function unit per pair (16 results per cycle and
// multiprocessor, the limit: 1.8e12 pairs/s on an H200).
#pragma once
#include <cuda_fp16.h>

#include "backends/cuda/near/p2p_families.hpp"
#include "backends/cuda/near/pair_targets.hpp"
#include "backends/cuda/planar/parents.hpp"
#include "backends/cuda/runtime/check.hpp"
#include "core/math.hpp"

namespace farfield::cuda::plane {

inline constexpr int even = 16,
                     entries = even + most_coarser;  ///< leaves of the children's size, and with coarser ones
inline constexpr unsigned all_lanes = ~0u;
inline constexpr int threads = planar_threads, warps = threads / 32;
template <class Real>
inline constexpr int room = sizeof(Real) == 4 ? 768 : 512;  ///< sources that are staged at a time
inline constexpr int most_of_lane = 4;

/// A staged source: in single with what the rounding of x and y left, times 2^23, as two numbers of 16 bits.
template <class Real>
struct alignas(16) Source {
  Real x, y, q;
  std::conditional_t<sizeof(Real) == 4, __half2, double> rest;
};
__device__ inline Source<float> load(const Source<float>& s) {
  const float4 v = *reinterpret_cast<const float4*>(&s);
  const unsigned rest = __float_as_uint(v.w);
  return {v.x, v.y, v.z, *reinterpret_cast<const __half2*>(&rest)};
}
__device__ inline Source<double> load(const Source<double>& s) {
  const double2 v = *reinterpret_cast<const double2*>(&s);
  return {v.x, v.y, s.q, 0};
}

__device__ inline Source<float> make_source(double x, double y, float q, const PairFrame<float>& frame) {
  const double u = displacement(x, frame.centre[0]) * frame.factor, v = displacement(y, frame.centre[1]) * frame.factor;
  const auto a = static_cast<float>(u), b = static_cast<float>(v);
  return {a, b, q, __floats2half2_rn(static_cast<float>((u - a) * 0x1p23), static_cast<float>((v - b) * 0x1p23))};
}
__device__ inline Source<double> make_source(double x, double y, double q, const PairFrame<double>&) {
  return {x, y, q, 0};
}

/// log r^2 in units of log 2 (single) or 1.
__device__ inline float pair_logarithm(float x) {
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ inline double pair_logarithm(double x) { return device_log(x); }
template <class Real>
inline constexpr double half_unit = sizeof(Real) == 4 ? 0.5 * 0.693147180559945309417 : 0.5;

/// Squares of distances in the frame: of a pair in other leaves that takes remainders, of one that takes double.
template <class Real>
inline constexpr Real close_square = sizeof(Real) == 4 ? Real(0x1p-12) : least_square<double>;
template <class Real>
inline constexpr Real closest_square = sizeof(Real) == 4 ? Real(0x1p-26) : least_square<double>;

/// The leaves around a parent, in shared memory: entry 4 y + x is the leaf at (x - 1, y - 1) from the parent's corner.
template <class Real>
struct Leaves {
  std::uint32_t begin[entries];  ///< first source of every leaf
  int offset[entries + 1];       ///< where that source would be staged, were there room for all
  std::int64_t target_begin[4];  ///< of the children
  int targets[4];
  int sum;  ///< sources in the entries of the first warp
  unsigned takers, children;
  PairFrame<Real> frame;

  template <class Kernel>
  __device__ void find(const NearWork<Real>& work, const Family& family) {
    const TreeView& tree = work.tree;
    const int thread = static_cast<int>(threadIdx.x);
    const BoxId p = family.parent;
    if (thread == threads - 1)
      frame = make_frame<Kernel, Real>(tree.coordinate(p, 0), tree.coordinate(p, 1), tree.coordinate(p, 2),
                                       tree.lattice.edge(tree.level[p] + 1));
    if (thread < 64)
      place_leaf(tree, thread,
                 thread < even      ? leaf_about(tree, family, thread)
                 : thread < entries ? coarser_leaf(work, family, thread - even)
                                    : no_box);
    else if (thread < 68)
      find_targets(tree, family, thread - 64);
    if (thread == 68) {
      takers = (family.takers | family.takers >> 4) & 15u;
      children = (family.children | family.children >> 4) & 15u;
    }
    __syncthreads();
    if (thread >= 32 && thread < entries) offset[thread + 1] += sum;
    __syncthreads();
  }
  __device__ int sources() const { return offset[entries]; }
  /// Index of the source at an offset.
  __device__ std::uint32_t index_of(int at) const {
    int entry = 0;
#pragma unroll
    for (int step = 32; step > 0; step /= 2)
      if (entry + step < entries && offset[entry + step] <= at) entry += step;
    return begin[entry] + static_cast<std::uint32_t>(at - offset[entry]);
  }

 private:
  /// The child `octant` & 3 of a box in the plane.
  __device__ static BoxId child_of(const TreeView& tree, BoxId box, int octant) {
    return PlanarChildren(tree, box)(octant);
  }
  __device__ static BoxId leaf_about(const TreeView& tree, const Family& family, int entry) {
    const int x = entry % 4, y = entry / 4;
    const int cx = (x > 0) + (x > 2), cy = (y > 0) + (y > 2);  // colleague: 0, 1, 1, 2
    // octants of the children that touch it
    const unsigned near = (x == 0 ? 5u : x == 3 ? 10u : 15u) & (y == 0 ? 3u : y == 3 ? 12u : 15u);
    const unsigned own = (family.children | family.children >> 4) & near;
    const BoxId colleague = tree.colleague[std::int64_t(family.parent) * colleagues_per_box + 9 + 3 * cy + cx];
    return own ? child_of(tree, colleague, (x == 0 || x == 2) + 2 * (y == 0 || y == 2)) : no_box;
  }
  /// The i-th coarser leaf; see near/family_leaves.hpp.
  __device__ static BoxId coarser_leaf(const NearWork<Real>& work, const Family& family, int i) {
    if (family.takers == 0) return no_box;
    const BoxId child = work.tree.child(family.parent, __ffs(static_cast<int>(family.takers)) - 1);
    const ListView& near = work.lists.near;
    const std::int64_t first = near.begin[child] + (near.items[near.begin[child]] == child), at = first + i;
    const BoxId leaf = at < near.begin[child + 1] ? near.items[at] : no_box;
    return leaf != no_box && work.tree.level[leaf] < work.tree.level[child] ? leaf : no_box;
  }
  /// By whole warps.
  __device__ void place_leaf(const TreeView& tree, int thread, BoxId leaf) {
    const int lane = thread % 32;
    const std::int64_t first = leaf == no_box ? 0 : tree.source_begin[leaf],
                       last = leaf == no_box ? 0 : tree.source_end[leaf];
    const int count = sum_up_to(lane, static_cast<int>(last - first));
    if (thread < entries) begin[thread] = static_cast<std::uint32_t>(first), offset[thread + 1] = count;
    if (thread == 31) sum = count;
    if (thread == 0) offset[0] = 0;
  }
  __device__ void find_targets(const TreeView& tree, const Family& family, int octant) {
    const bool own = (family.children | family.children >> 4) >> octant & 1u;
    const BoxId child = own ? child_of(tree, family.parent, octant) : no_box;
    target_begin[octant] = child == no_box ? 0 : tree.target_begin[child];
    targets[octant] = child == no_box ? 0 : static_cast<int>(tree.target_end[child] - target_begin[octant]);
  }
};

/// Sums of one target: of q log r^2, of the gradient, and of q.
template <class Real>
struct alignas(16) Sums {
  Real log, gx, gy, charge;
};

/// What a block holds in shared memory.
template <class Real>
struct Shared {
  Leaves<Real> around;
  Source<Real> source[room<Real>];
  Sums<Real> sums[warps][32 * most_of_lane];
};

/// Stages the sources at offsets from ... from + room - 1; by all threads.
template <class Real>
__device__ void stage_sources_of(const NearWork<Real>& work, Shared<Real>& shared, int from) {
  constexpr int batch = sizeof(Real) == 4 ? 3 : 2;
  const int end = min(shared.around.sources() - from, room<Real>);
  for (int first = static_cast<int>(threadIdx.x); first < end; first += batch * threads) {
    double x[batch], y[batch];
    Real q[batch];
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      const std::uint32_t s = shared.around.index_of(from + min(first + b * threads, end - 1));
      x[b] = __ldg(work.source[0] + s), y[b] = __ldg(work.source[1] + s), q[b] = __ldg(work.strength + s);
    }
#pragma unroll
    for (int b = 0; b < batch; ++b)
      if (first + b * threads < end)
        shared.source[first + b * threads] = make_source(x[b], y[b], q[b], shared.around.frame);
  }
}

/// A warp's sums for one child. A unit is a lane's `n` targets; groups of `units_` lanes share the sources.
template <class Kernel, class Real, int parts, int n>
class ChildSum {
 public:
  __device__ ChildSum(const NearWork<Real>& work, Shared<Real>& shared, int from, int child)
      : work_(work), shared_(shared), from_(from), child_(child), count_(shared.around.targets[child]) {
    const float lane = static_cast<float>(threadIdx.x % 32) + 0.5f;
    units_ = (count_ + n - 1) / n;
    groups_ = static_cast<int>(__fdividef(32.5f, static_cast<float>(units_)));
    group_ = static_cast<int>(__fdividef(lane, static_cast<float>(units_)));
    unit_ = static_cast<int>(threadIdx.x % 32) - group_ * units_;
    nothing_ = static_cast<Real>(kernel().own.log_unit / half_unit<Real>);
    const int own = offset(own_entry()) - from_, own_end = own + count_;
    self_ = work.alike ? own : -2 * tuning::family_leaf;
    const bool staged = work.alike && own >= 0 && own_end <= room<Real>;
#pragma unroll
    for (int i = 0; i < n; ++i) {
      const std::int64_t t = shared.around.target_begin[child] + target(i);
      target_[i] = staged ? load(shared.source[own + target(i)])
                          : make_source(work.target[0][t], work.target[1][t], Real(0), shared.around.frame);
    }
  }

  __device__ void sum() {
    int least = 0x7fffffff;
    each_other([&](const Source<Real>& s, int) { add_plain(s, least); });
    const bool again = __any_sync(all_lanes, least <= leading_bits(close_square<Real>));
    if (again) {
#pragma unroll
      for (Sums<Real>& sum : sums_) sum = {};
      charge_ = 0;
    }
    least = 0x7fffffff;
    const auto carefully = [&](const Source<Real>& s, int at) { add_with_rest(s, at, least); };
    if (again) each_other(carefully);
    each_own(carefully);
    if (!__any_sync(all_lanes, least <= leading_bits(closest_square<Real>))) return;
    const auto closest = [&](const Source<Real>& s, int at) { add_closest(s, at); };
    each_other(closest);
    each_own(closest);
  }

  /// Adds the sums of all groups to the results, or overwrites the results, through shared memory.
  __device__ void deliver() {
    const bool overwrite = work_.alike && from_ == 0;
    Sums<Real>* mine = shared_.sums[threadIdx.x / 32];
    __syncwarp();
    if (group_ < groups_)
#pragma unroll
      for (int i = 0; i < n; ++i) {
        sums_[i].charge = charge_;
        mine[(group_ * n + i) * units_ + unit_] = sums_[i];
      }
    __syncwarp();
    const int slots = n * units_;
    const PartScales<Real> scale = shared_.around.frame.scale;
    for (int i = static_cast<int>(threadIdx.x % 32); i < count_; i += 32) {
      const std::int64_t t = shared_.around.target_begin[child_] + i;
      Real old[most_parts] = {};
      if (!overwrite)
#pragma unroll
        for (int part = 0; part < parts; ++part) old[part] = work_.result[part][t];
      Sums<Real> sum = {};
      for (int at = i; at < groups_ * slots; at += slots) {
        const Sums<Real> more = mine[at];
        sum.log += more.log, sum.gx += more.gx, sum.gy += more.gy, sum.charge += more.charge;
      }
      const Real value = kernel().of_sums(static_cast<Real>(half_unit<Real>) * sum.log, sum.charge);
      work_.result[0][t] = old[0] + value * scale[0];
      if constexpr (parts > 1) {
        work_.result[1][t] = old[1] + sum.gx * scale[1];
        work_.result[2][t] = old[2] + sum.gy * scale[2];
        if (overwrite) work_.result[3][t] = 0;
      }
    }
    __syncwarp();
  }

 private:
  __device__ int own_entry() const { return 5 + (child_ & 1) + 4 * (child_ >> 1); }
  __device__ int offset(int entry) const { return shared_.around.offset[entry]; }
  __device__ int target(int i) const { return min(unit_ + i * units_, count_ - 1); }

  /// Calls use(source, its place) for this group's share of the staged sources at offsets low ... high - 1.
  template <class Use>
  __device__ __forceinline__ void over(int low, int high, const Use& use) const {
    const int begin = max(low - from_, 0), end = min(high - from_, room<Real>);
    if (group_ < groups_)
#pragma unroll 2
      for (int at = begin + group_; at < end; at += groups_) use(load(shared_.source[at]), at);
  }
  template <class Use>
  __device__ __forceinline__ void each_own(const Use& use) const {
    over(offset(own_entry()), offset(own_entry() + 1), use);
  }
  /// The three rows around the child, the middle one in two parts, and the coarser leaves.
  template <class Use>
  __device__ __forceinline__ void each_other(const Use& use) const {
    const int runs = 4 + static_cast<int>(shared_.around.takers >> child_ & 1u), middle = own_entry();
#pragma unroll 1
    for (int run = 0; run < runs; ++run) {
      const int first = run == 0   ? middle - 5
                        : run == 1 ? middle - 1
                        : run == 2 ? middle + 1
                        : run == 3 ? middle + 3
                                   : even;
      const int last = run == 0   ? middle - 2
                       : run == 1 ? middle
                       : run == 2 ? middle + 2
                       : run == 3 ? middle + 6
                                  : entries;
      over(offset(first), offset(last), use);
    }
  }

  __device__ void add_plain(const Source<Real>& s, int& least) {
    charge_ += s.q;
    Real seen[n];
#pragma unroll
    for (int i = 0; i < n; ++i) {
      const Real dx = target_[i].x - s.x, dy = target_[i].y - s.y;
      seen[i] = fma(dy, dy, dx * dx);
      add(i, seen[i], pair_logarithm(seen[i]), dx, dy, s.q);
    }
#pragma unroll
    for (int i = 0; i < n; i += 2) least = __vimin3_s32(least, leading_bits(seen[i]), leading_bits(seen[i + 1]));
  }
  __device__ void add(int i, Real r2, Real logarithm, Real dx, Real dy, Real q) {
    sums_[i].log += q * logarithm;
    if constexpr (parts > 1) {
      const Real g = q * Math<Real>::inverse(r2);
      sums_[i].gx -= g * dx;
      sums_[i].gy -= g * dy;
    }
  }

  /// The difference of coordinates with their remainders.
  __device__ static void difference(const Source<Real>& t, const Source<Real>& s, Real& dx, Real& dy) {
    dx = t.x - s.x, dy = t.y - s.y;
    if constexpr (sizeof(Real) == 4) {
      const float2 rest = __half22float2(__hsub2(t.rest, s.rest));
      dx = fma(rest.x, 0x1p-23f, dx);
      dy = fma(rest.y, 0x1p-23f, dy);
    }
  }
  /// Leaves out the target itself and the closest pairs: what makes their share of of_sums 0 is added instead.
  __device__ void add_with_rest(const Source<Real>& s, int at, int& least) {
    charge_ += s.q;
#pragma unroll
    for (int i = 0; i < n; ++i) {
      Real dx, dy;
      difference(target_[i], s, dx, dy);
      const Real r2 = fma(dy, dy, dx * dx);
      const bool self = at == self_ + target(i), out = self || !(r2 > closest_square<Real>);
      if (!self) least = min(least, leading_bits(r2));
      const Real kept = out ? Real(1) : r2;
      add(i, kept, out ? nothing_ : pair_logarithm(kept), out ? Real(0) : dx, out ? Real(0) : dy, s.q);
    }
  }
  __device__ void add_closest(const Source<Real>& s, int at) {
#pragma unroll
    for (int i = 0; i < n; ++i) {
      Real dx, dy;
      difference(target_[i], s, dx, dy);
      if (at == self_ + target(i) || fma(dy, dy, dx * dx) > closest_square<Real>) continue;
      const PairSums<Real> pair =
          exact_pair<Kernel, Real, parts>(work_, shared_.around.frame, shared_.around.target_begin[child_] + target(i),
                                          shared_.around.index_of(at + from_));
      sums_[i].log -= pair.u / static_cast<Real>(half_unit<Real>);
      sums_[i].gx += pair.gx;
      sums_[i].gy += pair.gy;
    }
  }
  /// In the frame.
  __device__ Kernel kernel() const {
    return kernel_of<Kernel>(in_frame<Kernel>(work_.parameters, shared_.around.frame.factor));
  }

  const NearWork<Real>& work_;
  Shared<Real>& shared_;
  const int from_, child_, count_;
  int units_, groups_, group_, unit_, self_;
  Real nothing_;  ///< the logarithm at which a pair's potential is 0
  Source<Real> target_[n];
  Sums<Real> sums_[n] = {};
  Real charge_ = 0;
};

template <class Kernel, class Real, int parts, int n>
__device__ void sum_child_by(const NearWork<Real>& work, Shared<Real>& shared, int from, int child) {
  ChildSum<Kernel, Real, parts, n> sum(work, shared, from, child);
  sum.sum();
  sum.deliver();
}

/// What a source costs a warp with n targets per lane, over the number of groups that share the sources.
template <int n>
__device__ float cost_of(int count) {
  const int units = (count + n - 1) / n;
  return units > 32 ? 1e30f : (n + 1.0f) / static_cast<float>(32 / units);
}

template <class Kernel, class Real, int parts>
__device__ void sum_child(const NearWork<Real>& work, Shared<Real>& shared, int from, int child) {
  const int count = shared.around.targets[child];
  if (cost_of<2>(count) < cost_of<4>(count))
    sum_child_by<Kernel, Real, parts, 2>(work, shared, from, child);
  else
    sum_child_by<Kernel, Real, parts, 4>(work, shared, from, child);
}

template <class Kernel, class Real, int parts>
__global__ void __launch_bounds__(threads, sizeof(Real) == 4 ? 5 : 4)
    families_kernel(const __grid_constant__ NearWork<Real> work) {
  __shared__ Shared<Real> shared;
  const int child = static_cast<int>(threadIdx.x) / 32;
  for (std::int64_t f = blockIdx.x; f < *work.near.families; f += gridDim.x) {
    __syncthreads();
    shared.around.template find<Kernel>(work, work.near.family[f]);
    for (int from = 0; from < shared.around.sources(); from += room<Real>) {
      if (from > 0) __syncthreads();
      stage_sources_of(work, shared, from);
      __syncthreads();
      if (shared.around.targets[child] > 0) sum_child<Kernel, Real, parts>(work, shared, from, child);
    }
  }
}

template <class Kernel, class Real>
void p2p_families(const NearWork<Real>& work, unsigned blocks) {
  const auto kernel =
      with_parts(work.result.parts(), [](auto parts) { return &families_kernel<Kernel, Real, parts()>; });
  kernel<<<blocks, threads, 0, work.stream>>>(work);
  require_launch("p2p_families");
}

}  // namespace farfield::cuda::plane

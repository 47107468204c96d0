// p2p of families. A block per parent stages the up to 4 x 4 x 4 leaves about it once; a warp per child gathers its 27.
//
// The leaves are staged by colleagues of the parent, x fastest, and within them by octants. A child then finds its
// sources in four rows, each of two colleagues of the parent that follow one another, instead of in 9 rows of 3 boxes
// or 27 boxes; no interaction lists are read. Lanes are units of up to `n` targets times groups that share the sources.
// Only the child's own box is sure to hold close pairs: it comes last and is summed with care, see pair_targets.hpp.
#include <algorithm>

#include "backends/cuda/check.hpp"
#include "backends/cuda/p2p_families.hpp"
#include "backends/cuda/pair_targets.hpp"
#include "backends/cuda/stages.hpp"
#include "kernels/count.hpp"
#include "kernels/laplace3d.hpp"

namespace farfield::cuda {
namespace {

constexpr int entries = 64;  // leaves about a parent
constexpr unsigned warp = ~0u;

constexpr int threads = 128, warps = threads / 32;
template <class Real>
constexpr int resident = sizeof(Real) == 4 ? 6 : 5;  // blocks of a multiprocessor that registers are to suffice for

/// Most targets of a lane. In double, where a pair takes longer, two are enough to hide what else is to be done.
template <class Real>
constexpr int most_per_lane = sizeof(Real) == 4 ? 4 : 2;

/// A block has 48 KB of shared memory without asking for more.
template <class Real>
constexpr int most_room = 32 * 1024 / static_cast<int>(sizeof(Staged<Real>));

/// The leaves along an axis belong to the parent's colleagues -1, 0 and 1, here numbered 0, 1, 2: one, two, one.
__device__ int width(int colleague) { return colleague == 1 ? 2 : 1; }
__device__ int before(int colleague) { return colleague + (colleague > 1); }

/// Number of the first entry of the parent's colleague (x, y, z).
__device__ int first_entry(int x, int y, int z) {
  return 16 * before(z) + width(z) * (4 * before(y) + width(y) * before(x));
}
/// Along one axis: which colleague the entry belongs to, of `whole` entries per leaf; leaves the rest in `entry`.
__device__ int take_colleague(int& entry, int whole) {
  const int colleague = (entry >= whole) + (entry >= 3 * whole);
  entry -= before(colleague) * whole;
  return colleague;
}

/// Which leaf about the parent an entry is.
struct Place {
  int slot, octant;
  unsigned near;  ///< octants of the parent's children that touch it

  __device__ explicit Place(int entry) {
    const int z = take_colleague(entry, 16), y = take_colleague(entry, 4 * width(z));
    const int x = take_colleague(entry, width(y) * width(z));
    slot = x + 3 * y + 9 * z;
    const int ox = x == 1 ? entry % 2 : x == 0, oy = y == 1 ? entry / width(x) % 2 : y == 0;
    const int oz = z == 1 ? entry / (width(x) * width(y)) : z == 0;
    octant = ox + 2 * oy + 4 * oz;
    near = (x == 0   ? 0x55u
            : x == 2 ? 0xaau
                     : 0xffu) &
           (y == 0   ? 0x33u
            : y == 2 ? 0xccu
                     : 0xffu) &
           (z == 0   ? 0x0fu
            : z == 2 ? 0xf0u
                     : 0xffu);
  }
};

/// The leaves about a parent, in shared memory.
template <class Real>
struct Neighbourhood {
  std::uint32_t begin[entries];  ///< first source of every leaf
  int offset[entries + 1];       ///< where it would be staged, were there room for all
  std::int64_t target_begin[8];  ///< of the children
  int targets[8];
  PairFrame<Real> frame;
  unsigned next;                                         ///< how many children warps have taken from the window
  PairSums<Real> sums[warps][32 * most_per_lane<Real>];  ///< of a warp's lanes, while they are combined

  /// By all threads: the leaves, and the targets of the family.
  template <class Kernel>
  __device__ void find(const TreeView& tree, const Family& family) {
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
    const BoxId p = family.parent;
    if (thread == threads - 1)
      frame = make_frame<Kernel, Real>(tree.coordinate(p, 0), tree.coordinate(p, 1), tree.coordinate(p, 2),
                                       tree.lattice.edge(tree.level[p] + 1));
    int count = 0;
    if (thread < entries) {
      const Place place(thread);
      const BoxId colleague = tree.colleague[std::int64_t(p) * colleagues_per_box + place.slot];
      const bool wanted = colleague != no_box && (place.near & family.children);
      const BoxId leaf = wanted ? tree.child(colleague, place.octant) : no_box;
      begin[thread] = leaf == no_box ? 0 : static_cast<std::uint32_t>(tree.source_begin[leaf]);
      count = leaf == no_box ? 0 : static_cast<int>(static_cast<std::uint32_t>(tree.source_end[leaf]) - begin[thread]);
    } else if (thread < entries + 8) {
      const int octant = thread - entries;
      const BoxId child = family.children >> octant & 1u ? tree.child(p, octant) : no_box;
      target_begin[octant] = child == no_box ? 0 : tree.target_begin[child];
      targets[octant] = child == no_box ? 0 : static_cast<int>(tree.target_end[child] - target_begin[octant]);
    }
    for (int step = 1; step < 32; step *= 2) {
      const int other = __shfl_up_sync(warp, count, step);
      if (lane >= step) count += other;
    }
    if (thread < entries) offset[thread + 1] = count;
    if (thread == 0) offset[0] = 0;
    __syncthreads();
    if (thread >= 32 && thread < entries) offset[thread + 1] += offset[32];
    __syncthreads();
  }

  /// The next child for a warp that has time, -1 where none is left. Which warp sums a child changes no bit.
  __device__ int take_child(unsigned children) {
    unsigned turn = threadIdx.x % 32 == 0 ? atomicAdd(&next, 1u) : 0;
    for (turn = __shfl_sync(warp, turn, 0); turn > 0 && children; --turn) children &= children - 1;
    return __ffs(static_cast<int>(children)) - 1;
  }

  __device__ int sources() const { return offset[entries]; }
  __device__ int own_begin(int child) const { return offset[first_entry(1, 1, 1) + child]; }
  __device__ int own_end(int child) const { return offset[first_entry(1, 1, 1) + child + 1]; }
  /// Index of the source at an offset.
  __device__ std::uint32_t index_of(int at) const {
    int entry = 0;
    for (int step = entries / 2; step > 0; step /= 2)
      if (offset[entry + step] <= at) entry += step;
    return begin[entry] + static_cast<std::uint32_t>(at - offset[entry]);
  }
};

/// What of it is staged: sources with offsets from ... from + room.
template <class Real>
struct Window {
  Staged<Real>* source;
  int room, from;

  /// By all threads.
  __device__ void stage(const Work<Real>& work, Neighbourhood<Real>& around) const {
    if (threadIdx.x == 0) around.next = 0;
    const int end = min(around.sources() - from, room);
    stage_sources<threads, sizeof(Real) == 4 ? 4 : 2>(
        work, around.frame, end, [&](int i) { return around.index_of(from + i); },
        [&](int i, bool exists, const Staged<Real>& staged, std::uint32_t) { store_if(exists, source + i, staged); });
  }
};

/// The staged sources of a child, a run per lane: the four rows about it without its own leaf, which cuts one row in
/// two, and then that leaf.
struct Runs {
  static constexpr int own = 5;
  int begin, length;

  template <class Real>
  __device__ Runs(const Neighbourhood<Real>& around, const Window<Real>& window, int child) {
    const int lane = static_cast<int>(threadIdx.x % 32), x = child & 1, y = child >> 1 & 1, z = child >> 2;
    const int own_row = (1 - y) + 2 * (1 - z), row = lane < 4 ? lane : own_row;
    const int ry = y + (row & 1), rz = z + (row >> 1);
    int low = around.offset[first_entry(x, ry, rz)];
    int high = around.offset[first_entry(x + 1, ry, rz) + width(x + 1) * width(ry) * width(rz)];
    if (lane == own_row || lane == own) high = lane == own ? around.own_end(child) : around.own_begin(child);
    if (lane == 4 || lane == own) low = lane == own ? around.own_begin(child) : around.own_end(child);
    low = max(low - window.from, 0);
    high = min(high - window.from, window.room);
    begin = low;
    length = max(high - low, 0);
  }
};

/// A warp's sums for one child: units of `n` targets times groups of lanes that share the sources.
template <class Kernel, class Real, bool with_gradient, int n>
class ChildSum {
  using Around = Neighbourhood<Real>;

 public:
  __device__ ChildSum(const Work<Real>& work, Around& around, const Window<Real>& window, int child)
      : work_(work),
        around_(around),
        window_(window),
        runs_(around, window, child),
        first_(around.target_begin[child]),
        count_(around.targets[child]) {
    const float lane = static_cast<float>(threadIdx.x % 32) + 0.5f;
    units_ = (count_ + n - 1) / n;
    groups_ = static_cast<int>(__fdividef(32.5f, static_cast<float>(units_)));
    group_ = static_cast<int>(__fdividef(lane, static_cast<float>(units_)));
    unit_ = static_cast<int>(threadIdx.x % 32) - group_ * units_;
    const int own = around.own_begin(child) - window.from;
    self_ = work.alike ? own : -2 * family_leaf;
    const bool staged = work.alike && own >= 0 && own + count_ <= window.room;
#pragma unroll
    for (int i = 0; i < n; ++i) {
      const Staged<Real> t = staged ? window.source[own + target(i)] : target_at(first_ + target(i));
      targets_.x[i] = t.x, targets_.y[i] = t.y, targets_.z[i] = t.z;
    }
  }

  __device__ void sum() {
    Watch<Real> watch;
#pragma unroll 1
    for (int run = 0; run < Runs::own; ++run)
      over(run, [&](const Staged<Real>& s, int) { targets_.add(s, sums_, watch); });
    const bool again = Kernel::softens && __any_sync(warp, watch.found_close());
    if (again)
#pragma unroll
      for (int i = 0; i < n; ++i) sums_[i] = {};
    const int first = again ? 0 : Runs::own;
    bool close = false;
#pragma unroll 1
    for (int run = first; run <= Runs::own; ++run)
      over(run, [&](const Staged<Real>& s, int at) { close |= others(targets_.add_apart(s, sums_), at) != 0; });
    if (__any_sync(warp, close)) add_close(first);
  }

  /// Adds the sums of all groups to the results, or `overwrite`s those. They pass through shared memory to lanes that
  /// own a result.
  __device__ void deliver() {
    const bool overwrite = work_.alike && window_.from == 0;
    PairSums<Real>* shared = around_.sums[threadIdx.x / 32];
    __syncwarp();
    if (group_ < groups_)
#pragma unroll
      for (int i = 0; i < n; ++i) shared[(group_ * n + i) * units_ + unit_] = sums_[i];
    __syncwarp();
    constexpr int parts = with_gradient ? 4 : 1, step = 32 / parts;
    const int lane = static_cast<int>(threadIdx.x % 32), part = lane % parts, slots = n * units_;
    const Real scale = part == 0 ? around_.frame.potential_scale : around_.frame.gradient_scale;
    const Real* sums = reinterpret_cast<const Real*>(shared) + part;
    Real* results = result_array(work_, part) + first_;
#pragma unroll 1
    for (int t = lane / parts; t < count_; t += 2 * step) {  // two at a time: their old values are read at once
      const bool second = t + step < count_;
      const Real old = overwrite ? Real(0) : results[t];
      const Real old_second = second && !overwrite ? results[t + step] : Real(0);
      Real sum = 0, sum_second = 0;
#pragma unroll 1
      for (int at = t; at < groups_ * slots; at += slots) {
        sum += sums[4 * at];
        if (second) sum_second += sums[4 * (at + step)];
      }
      results[t] = old + sum * scale;
      if (second) results[t + step] = old_second + sum_second * scale;
    }
  }

 private:
  /// Which of the child's targets is the lane's i-th; lanes beyond the last repeat it.
  __device__ int target(int i) const { return min(unit_ + i * units_, count_ - 1); }
  __device__ Staged<Real> target_at(std::int64_t t) const {
    return {place<Real>(work_.target[0][t], around_.frame, 0), place<Real>(work_.target[1][t], around_.frame, 1),
            place<Real>(work_.target[2][t], around_.frame, 2), Real(0)};
  }

  /// use(source, where it is staged) for this group's share of a run: every groups-th. By whole warps; lanes beyond the
  /// last group have none.
  template <class Use>
  __device__ __forceinline__ void over(int run, const Use& use) const {
    const int begin = __shfl_sync(warp, runs_.begin, run), end = begin + __shfl_sync(warp, runs_.length, run);
    if (group_ < groups_)
#pragma unroll 1
      for (int at = begin + group_; at < end; at += groups_) use(load(window_.source[at]), at);
  }

  /// Of the targets that a source is close to, those that are not that source itself.
  __device__ unsigned others(unsigned close, int at) const {
#pragma unroll
    for (int i = 0; i < n; ++i)
      if (at == self_ + target(i)) close &= ~(1u << i);
    return close;
  }

  /// Close pairs come last: else their size would swallow the many small terms.
  __device__ void add_close(int first_run) {
#pragma unroll 1
    for (int run = first_run; run <= Runs::own; ++run)
      over(run, [&](const Staged<Real>& s, int at) {
        const unsigned close = others(targets_.close_to(s), at);
        if (close)
          add_exact_pairs<Kernel, Real, with_gradient, false>(
              work_, around_.frame, close, [&](int i) { return first_ + target(i); },
              around_.index_of(at + window_.from), sums_);
      });
  }

  const Work<Real>& work_;
  Around& around_;
  const Window<Real>& window_;
  const Runs runs_;
  const std::int64_t first_;
  const int count_;
  int units_, groups_, group_, unit_, self_;
  PairTargets<Kernel, Real, n, with_gradient> targets_;
  PairSums<Real> sums_[n] = {};
};

template <class Kernel, class Real, bool with_gradient, int n>
__device__ void sum_child_by(const Work<Real>& work, Neighbourhood<Real>& around, const Window<Real>& window,
                             int child) {
  ChildSum<Kernel, Real, with_gradient, n> sum(work, around, window, child);
  sum.sum();
  sum.deliver();
}

/// Four targets per lane, but two where four would leave half of them idle: 5 or 6, 9 or 10 targets.
template <class Kernel, class Real, bool with_gradient>
__device__ void sum_child(const Work<Real>& work, Neighbourhood<Real>& around, const Window<Real>& window, int child) {
  constexpr int most = most_per_lane<Real>;
  const int count = around.targets[child];
  if (most == 2 || (count <= 10 && (count - 1) % 4 < 2))
    sum_child_by<Kernel, Real, with_gradient, 2>(work, around, window, child);
  else
    sum_child_by<Kernel, Real, with_gradient, most>(work, around, window, child);
}

template <class Kernel, class Real, bool with_gradient>
__global__ void __launch_bounds__(threads, resident<Real>) families_kernel(const __grid_constant__ Work<Real> work) {
  extern __shared__ __align__(16) unsigned char dynamic[];
  __shared__ Neighbourhood<Real> around;
  const TreeView& tree = work.tree;
  for (std::int64_t f = blockIdx.x; f < *work.near.families; f += gridDim.x) {
    const Family family = work.near.family[f];
    __syncthreads();
    around.template find<Kernel>(tree, family);
    Window<Real> window{reinterpret_cast<Staged<Real>*>(dynamic), work.near.room, 0};
    for (; window.from < around.sources(); window.from += window.room) {
      if (window.from > 0) __syncthreads();
      window.stage(work, around);
      __syncthreads();
      for (int child; (child = around.take_child(family.children)) >= 0;)
        sum_child<Kernel, Real, with_gradient>(work, around, window, child);
    }
  }
}

}  // namespace

template <class Kernel, class Real>
void p2p_families(const Work<Real>& work, unsigned blocks) {
  const auto kernel = work.gradient[0] ? families_kernel<Kernel, Real, true> : families_kernel<Kernel, Real, false>;
  Work<Real> roomy = work;
  roomy.near.room = std::min(work.near.room, most_room<Real>);
  const std::size_t bytes = static_cast<std::size_t>(roomy.near.room) * sizeof(Staged<Real>);
  kernel<<<blocks, threads, bytes, work.stream>>>(roomy);
  require_launch("p2p_families");
}

#define FARFIELD_INSTANTIATE_FAMILIES(Kernel, Real) \
  template void p2p_families<Kernel, Real>(const Work<Real>&, unsigned);
FARFIELD_INSTANTIATE_FAMILIES(Laplace3d, float)
FARFIELD_INSTANTIATE_FAMILIES(Laplace3d, double)
FARFIELD_INSTANTIATE_FAMILIES(Count, float)
FARFIELD_INSTANTIATE_FAMILIES(Count, double)

}  // namespace farfield::cuda

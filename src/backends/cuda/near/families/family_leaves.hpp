// What a family's block stages: the leaves around a parent, found once per family; and each child's share of them.
//
// The up to 4 x 4 x 4 leaves of the children's size are staged in the order of the parent's colleagues, x fastest, and
// within a colleague by octants. The near sources of a child then lie in four rows of two neighbouring colleagues each,
// instead of in 9 rows of 3 boxes or 27 boxes. Coarser leaves adjacent to the parent follow in a row of their own: a
// child needs either all of them or none.
#pragma once
#include "backends/cuda/near/families/p2p_families.hpp"
#include "backends/cuda/near/source_rows.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/tuning.hpp"

namespace farfield::cuda::families {

inline constexpr int even = 64, entries = even + most_coarser;  // leaves of the children's size, and with coarser ones
inline constexpr unsigned warp = ~0u;
inline constexpr int threads = 128, warps = threads / 32;
static_assert(most_coarser == 32 && entries + 8 < threads);

/// The leaves along an axis belong to the parent's colleagues -1, 0 and 1, here numbered 0, 1, 2: one, two, one.
__device__ inline int width(int colleague) { return colleague == 1 ? 2 : 1; }
__device__ inline int before(int colleague) { return colleague + (colleague > 1); }

/// Number of the first entry of the parent's colleague (x, y, z).
__device__ inline int first_entry(int x, int y, int z) {
  return 16 * before(z) + width(z) * (4 * before(y) + width(y) * before(x));
}
/// Along one axis: the colleague that the entry belongs to, of `whole` entries per leaf; `entry` keeps the remainder.
__device__ inline int take_colleague(int& entry, int whole) {
  const int colleague = (entry >= whole) + (entry >= 3 * whole);
  entry -= before(colleague) * whole;
  return colleague;
}

/// Which of the leaves around the parent an entry is.
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

/// The leaves around a parent, in shared memory. `Source`: an index, or LeafSource.
template <class Real, class Source>
struct Leaves {
  Source begin[entries];         ///< first source of every leaf
  int offset[entries + 1];       ///< where that source would be staged, were there room for all
  std::int64_t target_begin[8];  ///< of the children
  int targets[8];
  PairFrame<Real> frame;
  int sum[entries / 32];                                            ///< sources in the entries of each warp
  unsigned takers;                                                  ///< Family::takers
  unsigned next;                                                    ///< children of the window already taken by warps
  PairSums<Real> sums[warps][32 * tuning::targets_per_lane<Real>];  ///< of each warp's lanes, while they are added up

  /// Finds the leaves and the targets of the family; by all threads.
  template <class Kernel>
  __device__ void find(const NearWork<Real>& work, const Family& family) {
    const TreeView& tree = work.tree;
    const int thread = static_cast<int>(threadIdx.x);
    const BoxId p = family.parent;
    if (thread == 0) takers = family.takers;
    const auto about = [&] {
      return make_frame<Kernel, Real>(tree.coordinate(p, 0), tree.coordinate(p, 1), tree.coordinate(p, 2),
                                      tree.lattice.edge(tree.level[p] + 1));
    };
    if (thread == threads - 1) frame = about();
    if (thread < even)
      place_leaf(tree, thread, leaf_about(tree, family, Place(thread)), about);
    else if (thread < entries)
      place_leaf(tree, thread, coarser_leaf(work, family, thread - even), about);
    else if (thread < entries + 8)
      find_targets(tree, family, thread - entries);
    __syncthreads();
    if (thread >= 32 && thread < entries) offset[thread + 1] += sum[0] + (thread >= 64 ? sum[1] : 0);
    __syncthreads();
  }

  /// The next child for an idle warp, -1 where none is left. Which warp sums a child changes no bit of a result.
  __device__ int take_child(unsigned children) {
    unsigned turn = threadIdx.x % 32 == 0 ? atomicAdd(&next, 1u) : 0;
    for (turn = __shfl_sync(warp, turn, 0); turn > 0 && children; --turn) children &= children - 1;
    return __ffs(static_cast<int>(children)) - 1;
  }

  __device__ int sources() const { return offset[entries]; }
  __device__ int own_begin(int child) const { return offset[first_entry(1, 1, 1) + child]; }
  __device__ int own_end(int child) const { return offset[first_entry(1, 1, 1) + child + 1]; }
  /// Are the child's targets its sources, in the same order?
  __device__ bool has_own_targets(int child) const {
    return number_of(begin[first_entry(1, 1, 1) + child]) == target_begin[child];
  }
  /// Index of the source at an offset.
  __device__ Source source_at(int at) const {
    int entry = 0;
    for (int step = even; step > 0; step /= 2)
      if (offset[entry + step] <= at) entry += step;  // entry < entries: offset[entries] > at
    return behind(begin[entry], static_cast<std::uint32_t>(at - offset[entry]));
  }
  __device__ std::uint32_t index_of(int at) const { return number_of(source_at(at)); }

 private:
  __device__ static BoxId leaf_about(const TreeView& tree, const Family& family, const Place& place) {
    const BoxId colleague = tree.colleague[std::int64_t(family.parent) * colleagues_per_box + place.slot];
    return colleague != no_box && (place.near & (family.children | family.others)) ? tree.child(colleague, place.octant)
                                                                                   : no_box;
  }

  /// Makes `leaf` entry `thread`, an empty one for no_box; by whole warps.
  template <class Frame>
  __device__ void place_leaf(const TreeView& tree, int thread, BoxId leaf, const Frame& about) {
    const int lane = thread % 32;
    const std::uint32_t first = leaf == no_box ? 0 : static_cast<std::uint32_t>(tree.source_begin[leaf]);
    const int own = leaf == no_box ? 0 : static_cast<int>(static_cast<std::uint32_t>(tree.source_end[leaf]) - first);
    begin[thread] = first_of(tree, leaf, first, about);
    const int count = sum_up_to(lane, own);
    offset[thread + 1] = count;
    if (lane == 31) sum[thread / 32] = count;
    if (thread == 0) offset[0] = 0;
  }

  template <class Frame>
  __device__ static Source first_of(const TreeView& tree, BoxId leaf, std::uint32_t first,
                                    [[maybe_unused]] const Frame& about) {
    if constexpr (std::is_same_v<Source, LeafSource>)
      return leaf == no_box ? Source{} : leaf_source(tree, leaf, first, about());
    else
      return first;
  }

  __device__ void find_targets(const TreeView& tree, const Family& family, int octant) {
    const BoxId child = family.children >> octant & 1u ? tree.child(family.parent, octant) : no_box;
    target_begin[octant] = child == no_box ? 0 : tree.target_begin[child];
    targets[octant] = child == no_box ? 0 : static_cast<int>(tree.target_end[child] - target_begin[octant]);
  }
};

/// The part of the sources that is staged: offsets from ... from + family_room - 1. Behind them lie their strengths in
/// further densities.
template <class Real, int densities = 1>
struct Window {
  using More = Further<Real, densities>;
  static constexpr int room = tuning::family_room<Real>;
  static constexpr int bytes = room * static_cast<int>(sizeof(Staged<Real>) + (densities > 1 ? sizeof(More) : 0));
  Staged<Real>* source;
  int from;

  __device__ More* further() const { return reinterpret_cast<More*>(source + tuning::family_room<Real>); }
  __device__ More more([[maybe_unused]] int at) const {
    if constexpr (densities > 1) return further()[at];
    return {};
  }

  /// By all threads.
  template <class Source>
  __device__ void stage(const NearWork<Real>& work, Leaves<Real, Source>& around) const {
    if (threadIdx.x == 0) around.next = 0;
    const int end = min(around.sources() - from, tuning::family_room<Real>);
    stage_sources<threads, sizeof(Real) == 4 ? 4 : 2>(
        work, around.frame, end, [&](int i) { return around.source_at(from + i); },
        [&](int i, bool exists, const Staged<Real>& staged, std::uint32_t s) {
          store_if(exists, source + i, staged);
          if constexpr (densities > 1)
            for (int v = 1; exists && v < densities; ++v)
              further()[i].q[v - 1] = __ldg(work.strength + v * work.strength_pitch + s);
        });
  }
};

/// The staged sources near a child, a run per lane: first the four rows around the child, without the child's own leaf,
/// which cuts one of the rows in two; then the coarser leaves, if the child is in `takers`; last its own leaf.
struct Runs {
  static constexpr int second_half = 4, coarser = 5;
  int begin, length;

  template <class Leaves, class Window>
  __device__ Runs(const Leaves& around, const Window& window, int child) {
    const int lane = static_cast<int>(threadIdx.x % 32), x = child & 1, y = child >> 1 & 1, z = child >> 2;
    const int own = before_own(around, child);
    const int own_row = (1 - y) + 2 * (1 - z), row = lane < 4 ? lane : own_row;
    const int ry = y + (row & 1), rz = z + (row >> 1);
    int low = around.offset[first_entry(x, ry, rz)];
    int high = around.offset[first_entry(x + 1, ry, rz) + width(x + 1) * width(ry) * width(rz)];
    if (lane == own_row || lane == own) high = lane == own ? around.own_end(child) : around.own_begin(child);
    if (lane == second_half || lane == own) low = lane == own ? around.own_begin(child) : around.own_end(child);
    if (lane == coarser && lane < own) low = around.offset[even], high = around.sources();
    low = max(low - window.from, 0);
    high = min(high - window.from, Window::room);
    begin = low;
    length = max(high - low, 0);
  }

  /// Runs before the child's own leaf.
  template <class Leaves>
  __device__ static int before_own(const Leaves& around, int child) {
    return coarser + static_cast<int>(around.takers >> child & 1u);
  }
};

}  // namespace farfield::cuda::families

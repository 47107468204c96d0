// Walk: one group of targets finds the boxes that it expands and the sources that it sums as pairs, from the root down.
// No lists are stored: the stages p2p and m2p of a treecode walk the tree anew, each for its own half, which takes some
// hundredths of their time, and memory does not grow with the number of interactions.
//
// A group is up to 64 targets that follow one another in the order of the tree, wherever leaves end; of fewer targets
// groups are smaller, so that there are groups enough. Where the order jumps, the cuboid around them could span
// everything: such a group is divided (end_of_group). A warp walks for it: up to four opened boxes at a time, a lane
// per child. What is found, and its order, depends on the tree alone; both halves compute the same bits of a distance.
#pragma once
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/treecode/places.hpp"
#include "tree/displacement.hpp"

namespace farfield::cuda {

inline constexpr int most_group_targets = 64, least_group_targets = 8;
/// Targets of a group: so many that there are some thousand groups.
inline __host__ __device__ int group_size(std::int64_t targets) {
  int size = most_group_targets;
  while (size > least_group_targets && targets < std::int64_t(4096) * size) size /= 2;
  return size;
}
inline __host__ __device__ std::int64_t groups_of(std::int64_t targets) {
  const int size = group_size(targets);
  return (targets + size - 1) / size;
}

/// The cuboid around targets [first, end); by a whole warp.
__device__ inline Cuboid cuboid_of_warp(const double* const x[3], std::int64_t first, std::int64_t end) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  Cuboid c;
  for (int axis = 0; axis < 3; ++axis) {
    const double one = x[axis][min(first + lane, end - 1)], two = x[axis][min(first + 32 + lane, end - 1)];
    double low = fmin(one, two), high = fmax(one, two);
    for (int other = 16; other > 0; other /= 2) {
      low = fmin(low, __shfl_xor_sync(~0u, low, other));
      high = fmax(high, __shfl_xor_sync(~0u, high, other));
    }
    c.low[axis] = low, c.high[axis] = high;
  }
  return c;
}

/// Where a group ends that begins with target `first`, at `last` at the latest: at the end of a box, if there is no box
/// with all its targets that holds few points. By a whole warp. (Undivided groups of 2^24 points of a Plummer model
/// took 0.75 s for p2p: one that spans the core sums all sources.)
__device__ inline std::int64_t end_of_group(const TreeView& tree, std::int64_t first, std::int64_t last) {
  constexpr std::int64_t few = 512;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (BoxId box = 0; !tree.is_leaf(box);) {
    const BoxId child = tree.first_child[box] + lane;
    const bool holds =
        lane < tree.child_count(box) && tree.target_begin[child] <= first && first < tree.target_end[child];
    const int which = __ffs(static_cast<int>(__ballot_sync(~0u, holds))) - 1;
    const BoxId next = tree.first_child[box] + which;
    if (last > tree.target_end[next]) {
      if (tree.source_count(box) <= few && tree.target_count(box) <= few) break;
      last = tree.target_end[next];
    }
    box = next;
  }
  return last;
}

/// The cuboid around a group by its middle and half of its sides, in shared memory.
struct Group {
  double middle[3];
  float half[3];
  float stretch, mass_stretch;  ///< the latter infinite where boxes are accepted by their angle

  __device__ float largest_half() const { return fmaxf(half[0], fmaxf(half[1], half[2])); }
  /// By a whole warp, for all of it.
  __device__ void enclose(const TreeWork& work, std::int64_t first, std::int64_t end, bool stretched) {
    const Cuboid c = cuboid_of_warp(work.target, first, end);
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
      for (int axis = 0; axis < 3; ++axis) {
        middle[axis] = (c.low[axis] + c.high[axis]) / 2;
        half[axis] = static_cast<float>(fmax(c.high[axis] - middle[axis], middle[axis] - c.low[axis]));
      }
      const Walks walks = walks_of(work);
      const bool by_error = stretched && walks.header->by_error();
      stretch = by_error ? walks.stretch[first] : 0;
      mass_stretch = by_error ? mass_stretch_of(walks.header->moved, stretch) : INFINITY;
    }
    __syncwarp();
  }
};

/// Calls take(first, end) for the groups of targets that begin as number `number`; by a whole warp.
template <class Take>
__device__ void for_each_group(const TreeWork& work, std::int64_t number, const Take& take) {
  const int size = group_size(work.targets);
  std::int64_t first = number * size;
  for (const std::int64_t last = min(first + size, work.targets); first < last;) {
    const std::int64_t end = end_of_group(work.tree, first, last);
    take(first, end);
    __syncwarp();
    first = end;
  }
}

class Walk {
 public:
  enum Kind { nowhere, near, far, opened };
  struct Found {
    Kind kind = nowhere;
    BoxId box = no_box;
    float at[3] = {};                             ///< the centre of its expansion, from the group's middle
    float mass = 0;                               ///< of a box about its centre of mass
    bool mass_suffices = false;                   ///< to evaluate a far box
    std::uint32_t source_begin = 0, sources = 0;  ///< of a near box
  };
  /// Opened boxes whose children are still to be looked at. Opening one box at a time adds at most seven on each of 62
  /// levels; more than one are taken only where room for that remains.
  struct Stack {
    static constexpr int size = 640, at_once = 4, room_for_depth = 7 * 62, ample = size - 8 * at_once - room_for_depth;
    BoxId first_child[size];
    std::uint8_t children[size];
  };

  __device__ Walk(const TreeWork& work, const Group& group, Stack& stack)
      : place_(walks_of(work).place), group_(group), stack_(stack) {}

  /// What the next boxes are, one per lane; `more`: there are others.
  __device__ Found next(bool& more) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    BoxId box = no_box;
    if (first_) {
      if (lane == 0) box = 0;
      first_ = false;
    } else {
      const int taken = min(opened_, opened_ <= Stack::ample ? Stack::at_once : 1), at = opened_ - taken + lane / 8;
      if (lane / 8 < taken && lane % 8 < stack_.children[at]) box = stack_.first_child[at] + lane % 8;
      __syncwarp();
      opened_ -= taken;
    }
    BoxPlace place;
    const Found found = box == no_box ? Found{} : look(box, place);
    const unsigned open = __ballot_sync(~0u, found.kind == opened);
    if (found.kind == opened) {
      const int at = opened_ + __popc(open & ((1u << lane) - 1));
      stack_.first_child[at] = static_cast<BoxId>(place.first);
      stack_.children[at] = static_cast<std::uint8_t>(place.count);
    }
    opened_ += __popc(open);
    __syncwarp();
    more = opened_ > 0;
    return found;
  }

 private:
  /// The rule of tree/acceptance.hpp, about the centre of the expansion. No multiply-add is left to the compiler, which
  /// might choose another one in another kernel.
  __device__ Found look(BoxId box, BoxPlace& place) const {
    place = read(place_ + box);
    Found found{nowhere, box, {}, place.mass, false, place.first, place.sources()};
    float square = 0;
    for (int axis = 0; axis < 3; ++axis) {
      found.at[axis] = static_cast<float>(displacement(place.centre[axis], group_.middle[axis]));
      const float d = fmaxf(fabsf(found.at[axis]) - group_.half[axis], 0.0f);
      square = __fmaf_rn(d, d, square);
    }
    const float least = fmaxf(place.least, __fmul_rn(place.weight, group_.stretch)),
                alone = __fmul_rn(place.mass_weight, group_.mass_stretch);
    if (square >= __fmul_rn(least, least)) {
      found.kind = place.gives_nothing() ? nowhere : far;
      found.mass_suffices = square >= __fmul_rn(alone, alone);  // false where alone is 0 times infinity
    } else if (place.divided()) {
      found.kind = opened;
    } else if (found.sources > 0) {
      found.kind = near;
    }
    return found;
  }

  const BoxPlace* place_;
  const Group& group_;
  Stack& stack_;
  int opened_ = 0;
  bool first_ = true;
};

}  // namespace farfield::cuda

// Walk: one group of targets finds the boxes that it expands and the sources that it sums as pairs, from the root down.
// No lists are stored: the stages p2p and m2p of a treecode walk the tree anew, each for its own half, which takes a
// few hundredths of their time, and memory does not grow with the number of interactions.
//
// A group is 32 targets that follow one another in the order of the tree, wherever leaves end: no lane is idle, and the
// cuboid around them is small. A warp walks for it: up to four opened boxes at a time, a lane per child. What is found,
// and its order, depends on the tree alone.
#pragma once
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/work.hpp"
#include "tree/acceptance.hpp"

namespace farfield::cuda {

inline constexpr int group_targets = 32;
inline std::int64_t groups_of(std::int64_t targets) { return (targets + group_targets - 1) / group_targets; }

/// The cuboid around a group, in shared memory; by a whole warp.
__device__ inline Cuboid cuboid_of_warp(const double* const x[3], std::int64_t target) {
  Cuboid c;
  for (int axis = 0; axis < 3; ++axis) {
    double low = x[axis][target], high = low;
    for (int other = 16; other > 0; other /= 2) {
      low = fmin(low, __shfl_xor_sync(~0u, low, other));
      high = fmax(high, __shfl_xor_sync(~0u, high, other));
    }
    c.low[axis] = low, c.high[axis] = high;
  }
  return c;
}

class Walk {
 public:
  enum Place { nowhere, near, far, opened };
  struct Found {
    Place place = nowhere;
    BoxId box = no_box;
  };
  /// Opened boxes whose children are still to be looked at. Opening one box at a time adds at most seven on each of 62
  /// levels; more than one are taken only where room for that remains.
  struct Stack {
    static constexpr int size = 640, at_once = 4, room_for_depth = 7 * 62, ample = size - 8 * at_once - room_for_depth;
    BoxId box[size];
  };

  __device__ Walk(const TreeWork& work, const Cuboid& targets, Stack& stack)
      : work_(work), targets_(targets), stack_(stack) {}

  /// What the next boxes are, one per lane; `more`: there are others.
  __device__ Found next(bool& more) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    BoxId box = no_box;
    if (first_) {
      if (lane == 0) box = 0;
      first_ = false;
    } else {
      const int taken = min(opened_, opened_ <= Stack::ample ? Stack::at_once : 1);
      const BoxId parent = lane / 8 < taken ? stack_.box[opened_ - taken + lane / 8] : no_box;
      if (parent != no_box && lane % 8 < work_.tree.child_count(parent))
        box = work_.tree.first_child[parent] + lane % 8;
      __syncwarp();
      opened_ -= taken;
    }
    const Found found{box == no_box ? nowhere : place(box), box};
    const unsigned open = __ballot_sync(~0u, found.place == opened);
    if (found.place == opened) stack_.box[opened_ + __popc(open & ((1u << lane) - 1))] = box;
    opened_ += __popc(open);
    __syncwarp();
    more = opened_ > 0;
    return found;
  }

 private:
  __device__ Place place(BoxId box) const {
    const TreeView& tree = work_.tree;
    const std::int64_t sources = tree.source_count(box);
    if (sources == 0) return nowhere;
    if (sources <= work_.m2p_sources) return near;
    if (accepted(box)) return far;
    return tree.is_leaf(box) ? near : opened;
  }

  /// The rule of tree/acceptance.hpp where expansions are about centres of boxes. Those about a centre of mass that is
  /// `w` edges away from it need that much more distance.
  __device__ bool accepted(BoxId box) const {
    const TreeView& tree = work_.tree;
    if (!work_.centre) return accepts(work_.rule, tree, box, targets_);
    const double edge = tree.lattice.edge(tree.level[box]);
    const float4 moved = work_.centre[box];
    const float by[3] = {moved.x, moved.y, moved.z};
    double square = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double centre = tree.coordinate(box, axis) + edge * static_cast<double>(by[axis]),
                   below = displacement(targets_.low[axis], centre), above = -displacement(targets_.high[axis], centre);
      const double d = fmax(0.0, fmax(below, above));
      square += d * d;
    }
    const double least = edge * (1 / work_.rule.theta + static_cast<double>(moved.w));
    return square >= least * least;
  }

  const TreeWork& work_;
  const Cuboid& targets_;
  Stack& stack_;
  int opened_ = 0;
  bool first_ = true;
};

}  // namespace farfield::cuda

// BuiltTree: sorted points, boxes and lists in the memory of a backend: everything that stages need beside strengths.
#pragma once
#include <farfield/views.hpp>
#include <functional>

#include "tree/acceptance.hpp"
#include "tree/expandable.hpp"
#include "tree/geometry.hpp"
#include "tree/item.hpp"
#include "tree/lists.hpp"
#include "tree/reader.hpp"
#include "tree/tree.hpp"

namespace farfield {

/// Boxes of a part of a tree that are divided however few of its points are in that part.
struct DividedBoxes {
  const std::int64_t (*corner)[3] = nullptr;  ///< lowest corners in lattice indices, in the memory of who builds
  int level_begin[max_levels + 2] = {};       ///< those of level l are [level_begin[l], level_begin[l + 1])

  FARFIELD_HD bool hold(const std::int64_t at[3], int level) const {
    for (int k = level_begin[level]; k < level_begin[level + 1]; ++k)
      if (corner[k][0] == at[0] && corner[k][1] == at[1] && corner[k][2] == at[2]) return true;
    return false;
  }
};

struct TreeOptions {
  RootBoxes root;
  std::int64_t leaf_size = 64;  ///< most sources or targets of a leaf
  int depth = -1;               ///< >= 0: every box is refined to this level, whatever it holds; -1: adaptive
  ListThresholds thresholds;
  /// Called before the first stage with "" and after every stage (on a device: after its launches) with its name: keys,
  /// sort, boxes, gather, lists.
  std::function<void(const char*)> mark;
  int threads = 0;             ///< of the CPU backend
  double least_edge = 0;       ///< scaled; no box is narrower, whatever it holds
  Acceptance acceptance = {};  ///< theta > 0: the lists are those of a treecode
  Expandable expandable = {};  ///< the boxes that it may accept
  DividedBoxes divided = {};   ///< of a part of a tree
};

/// One set of points (sources or targets) with what its keys follow from, while a tree is built.
template <template <class> class ArrayOf>
struct KeyedPoints {
  Points points;
  Scaling scale;
  Lattice lattice;
  ArrayOf<Item> items, scratch;  ///< `scratch`: the sort's second buffer

  std::int64_t count() const { return points.count; }
  AnyReader reader() const { return AnyReader(points, scale); }
};

/// Elements behind the last point that wide loads may read.
inline constexpr std::int64_t padding = 16;

/// Points in the order of the tree. Arrays hold count + padding elements, the last point repeated (0 for no points).
template <template <class> class ArrayOf>
struct SortedPoints {
  std::int64_t count = 0;
  ArrayOf<double> axis[3];       ///< the caller's coordinates times 2^Geometry::exponent, exactly
  ArrayOf<std::uint32_t> order;  ///< the caller's index of each point
  ArrayOf<double> origin[3];     ///< where they were when the tree was built, once they have moved since

  void resize(std::int64_t points) {
    count = points;
    for (ArrayOf<double>& x : origin) x.release();
    order.resize(points + padding);
    for (ArrayOf<double>& x : axis) x.resize(points + padding);
  }
  void release() {
    count = 0;
    order.release();
    for (ArrayOf<double>& x : axis) x.release();
    for (ArrayOf<double>& x : origin) x.release();
  }
};

template <template <class> class ArrayOf>
struct BuiltTree {
  Tree<ArrayOf> tree;
  Lists<ArrayOf> lists;
  SortedPoints<ArrayOf> sources, targets;  ///< `targets` is empty where `alike`
  bool alike = true;

  const SortedPoints<ArrayOf>& target_points() const { return alike ? sources : targets; }
  /// Makes all arrays come from `memory`; to be called before the first build.
  template <class Memory>
  void use(Memory& memory) {
    use_all(memory, tree, lists);
    for (SortedPoints<ArrayOf>* points : {&sources, &targets})
      use_all(memory, points->order, points->axis[0], points->axis[1], points->axis[2], points->origin[0],
              points->origin[1], points->origin[2]);
  }
};

}  // namespace farfield

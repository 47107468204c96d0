// Need: which boxes of a rank, and which of their points, other ranks need, from these ranks' ranges alone. Of a box it
// is one look at its parent's surroundings: what a rank needs of a box it needs of the box's ancestors, too.
#pragma once
#include "distributed/cuda/share/own.hpp"

namespace farfield::distributed {

struct Need {
  TreeView tree;
  OwnLevels levels;
  const Range* range;  // [ranks]
  int rank, ranks;
  std::int64_t few;

  __device__ Place corner(BoxId box) const {
    Place corner;
    const int level = tree.level[box];
    for (int axis = 0; level > 0 && axis < 3; ++axis)
      corner.at[axis] = tree.lattice.corner(tree.coordinate(box, axis), level, axis);
    return corner;
  }
  __device__ bool shared(BoxId box) const { return levels.shared(box, tree.level[box]); }

  /// May a rank need the box? All others know nothing of boxes whose parent's surroundings are this rank's.
  __device__ bool is_candidate(BoxId box) const {
    if (ranks == 1 || box == 0 || shared(box)) return false;
    const Block block(parent_corner(box), tree.lattice, tree.level[box] - 1);
    const Range& own = range[rank];
    return before(block.first, own.begin) || !(own.endless || before(block.last, own.end));
  }
  /// Is the box needed by rank r? Of candidates.
  __device__ bool of_box(BoxId box, int r) const { return touches(parent_corner(box), tree.level[box] - 1, r); }
  __device__ bool touches(BoxId box, int r) const { return touches(corner(box), tree.level[box], r); }

  /// Do the points of the box go to all ranks that get points of it, as those of no box around it do? Boxes of few
  /// sources and leaves of more; together they hold all sources, each once.
  __device__ bool is_unit(BoxId box) const {
    const std::int64_t sources = tree.source_count(box);
    if (sources > few) return tree.is_leaf(box);
    if (sources == 0 || box == 0) return sources > 0;
    const BoxId parent = tree.parent[box];
    return tree.source_count(parent) > few || shared(parent);  // few of a shared box's are here
  }
  __device__ bool with_points(BoxId box, int r) const {
    const std::int64_t sources = tree.source_count(box);
    return sources > 0 && (sources <= few || (tree.is_leaf(box) && touches(box, r)));
  }

 private:
  /// A box and those that touch it: its first place and its last one, in Morton order as well.
  struct Block {
    Place first, last;
    __device__ Block(const Place& corner, const Lattice& lattice, int level) {
      const std::int64_t edge = edge_of(lattice, level), size = edge_of(lattice, 0);
      for (int axis = 0; axis < 3; ++axis) {
        const std::int64_t low = corner.at[axis] - edge, high = corner.at[axis] + 2 * edge;
        first.at[axis] = low < 0 ? 0 : low;
        last.at[axis] = (high > size ? size : high) - 1;
      }
    }
  };

  __device__ Place parent_corner(BoxId box) const {
    Place above = corner(box);
    const std::int64_t edge = edge_of(tree.lattice, tree.level[box] - 1);
    for (int axis = 0; axis < 3; ++axis) above.at[axis] &= ~(edge - 1);
    return above;
  }
  __device__ bool touches(const Place& corner, int level, int r) const {
    const Range& other = range[r];
    if (r == rank || other.empty) return false;
    const Block block(corner, tree.lattice, level);
    if (before(block.last, other.begin) || !(other.endless || before(block.first, other.end))) return false;
    return meets_around(other, corner, tree.lattice, level);
  }
};

}  // namespace farfield::distributed

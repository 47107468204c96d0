// The bodies of the kernels that make boxes: which boxes are divided, where the children's points begin, the children
// themselves, and the arrays of the finished tree. boxes.cu launches them level by level.
#pragma once
#include <cstdint>
#include <limits>

#include "backends/cuda/keys.hpp"
#include "backends/cuda/parallel.hpp"
#include "tree/tree.hpp"

namespace farfield::cuda {

constexpr int no_level = std::numeric_limits<int>::max();

/// A box while the tree grows. Ranges [0] are of sources, [1] of targets.
struct Node {
  std::int64_t corner[3];  // lattice index of the lowest corner
  std::uint32_t begin[2], end[2];
  BoxId parent, first_child;
  std::uint32_t octant, child_mask;  // wide: no byte of a node is without a value when nodes are copied
};

/// What the device knows about the tree so far.
struct Progress {
  std::int64_t level_begin[max_levels + 3] = {0, 1};
  std::int64_t wanted = 0;  ///< boxes that there would be with the children that did not fit
  int stopped = no_level;       ///< the level whose children did not fit
  int unresolved = no_level;    ///< coarsest level with a box that a uniform depth cannot divide
};

/// The rule of refinement, and what it looks at.
struct Rule {
  Lattice lattice;
  double finest;
  std::int64_t leaf_size;
  int depth, sets;
  AnyReader read[2];
  const Item* items[2];
  const std::uint32_t* changes[2];
  int* unresolved;  // of Progress

  __device__ bool overfull(const Node& node) const {
    std::int64_t most = 0;
    for (int s = 0; s < sets; ++s) {
      const std::int64_t points = node.end[s] - node.begin[s];
      most = points > most ? points : most;
    }
    return most > leaf_size;
  }
  __device__ bool all_coincide(const Node& node) const {
    for (int s = 0; s < sets; ++s)
      if (node.begin[s] < node.end[s] && changes[s][node.begin[s]] != changes[s][node.end[s] - 1]) return false;
    if (sets == 1 || node.begin[0] == node.end[0] || node.begin[1] == node.end[1]) return true;
    for (int d = 0; d < 3; ++d)
      if (read[0](index_of(items[0][node.begin[0]]), d) != read[1](index_of(items[1][node.begin[1]]), d)) return false;
    return true;
  }
  __device__ bool splits(const Node& node, int level) const {
    if (depth >= 0 ? level >= depth : !overfull(node)) return false;
    const bool resolved = resolves_children(lattice, finest, node.corner, level);
    if (!resolved && depth >= 0) atomicMin(unresolved, level);
    return resolved && (depth >= 0 || !all_coincide(node));
  }
};

/// Children of the boxes of one level before they have numbers. Arrays are of the level's boxes, a count too large for
/// some.
struct Brood {
  std::int64_t* count;      // of children; then how many children the boxes before have
  std::uint8_t* mask;       // which of them exist
  std::uint32_t* begin[2];  // [box][octant], where their points begin
};

/// Eight neighbouring threads per box find which children it has, a thread each.
struct FindChildren {
  Rule rule;
  int level;
  std::int64_t bound;
  const Node* nodes;
  const Progress* progress;
  Brood brood;

  __device__ void operator()(std::int64_t i) const {
    const int octant = static_cast<int>(i % 8);
    const std::int64_t within = i / 8, box = progress->level_begin[level] + within;
    const bool exists = box < progress->level_begin[level + 1];
    const bool splits = exists && rule.splits(nodes[box], level);
    const unsigned mask = splits ? mask_of(nodes[box], i, octant) : 0;
    if (octant != 0) return;
    if (within < bound) brood.mask[within] = static_cast<std::uint8_t>(mask);
    brood.count[within] = count_bits(mask);  // one more than there are boxes: the sum of all
  }

 private:
  __device__ unsigned mask_of(const Node& node, std::int64_t i, int octant) const {
    const int lane = static_cast<int>(threadIdx.x % 32), group = lane & ~7;
    const unsigned lanes = 0xffu << group;
    unsigned mask = 0;
    for (int s = 0; s < rule.sets; ++s) {
      const std::uint32_t begin = first_of(node, s, octant);
      const std::uint32_t next = __shfl_down_sync(lanes, begin, 1, 8);
      brood.begin[s][i] = begin;
      mask |= __ballot_sync(lanes, begin < (octant < 7 ? next : node.end[s])) >> group & 0xffu;
    }
    return mask;
  }
  /// Where the points of octants from `octant` on begin. Seven probes at a time: their loads overlap, and a million
  /// points take seven steps instead of twenty that wait for memory one by one.
  __device__ std::uint32_t first_of(const Node& node, int s, int octant) const {
    constexpr int parts = 8;
    std::int64_t low = node.begin[s], high = node.end[s];  // what lies before low is less, from high on it is not
    while (low < high) {
      const std::int64_t step = (high - low + parts - 1) / parts;
      int less = 0;  // probes that are
      for (int k = 0; k < parts - 1; ++k) {
        const std::int64_t at = low + k * step;
        if (at < high) less += child_of_short_key(key_of(rule.items[s][at]), level) < octant;
      }
      if (low + less * step < high && less < parts - 1) high = low + less * step;
      if (less > 0) low += (less - 1) * step + 1;
    }
    return static_cast<std::uint32_t>(low);
  }
};

/// Eight threads per box write the children, behind all boxes so far.
struct AddChildren {
  Lattice lattice;
  int level, sets;
  std::int64_t bound, capacity;
  Node* nodes;
  Progress* progress;
  Brood brood;

  __device__ void operator()(std::int64_t i) const {
    const std::int64_t within = i / 8, begin = progress->level_begin[level], end = progress->level_begin[level + 1];
    const std::int64_t box = begin + within, boxes = end + brood.count[bound];
    const bool fits = boxes <= capacity;
    if (i == 0) {
      progress->level_begin[level + 2] = fits ? boxes : end;
      if (!fits) {
        progress->stopped = level;
        progress->wanted = boxes;
      }
    }
    if (box >= end || !fits) return;
    const int octant = static_cast<int>(i % 8);
    const unsigned mask = brood.mask[within];
    const std::int64_t first = end + brood.count[within];
    if (octant == 0) {
      nodes[box].child_mask = mask;
      nodes[box].first_child = mask ? static_cast<BoxId>(first) : no_box;
    }
    if (mask >> octant & 1u) nodes[first + count_bits(mask & ((1u << octant) - 1u))] = child(i, box, octant);
  }

 private:
  __device__ Node child(std::int64_t i, std::int64_t box, int octant) const {
    const Node& parent = nodes[box];
    const std::int64_t edge = std::int64_t(1) << (lattice.depth - level - 1);
    Node made;
    for (int axis = 0; axis < 3; ++axis) made.corner[axis] = parent.corner[axis] + (octant >> axis & 1) * edge;
    for (int s = 0; s < 2; ++s) {
      made.begin[s] = s < sets ? brood.begin[s][i] : 0;
      made.end[s] = s < sets ? (octant < 7 ? brood.begin[s][i + 1] : parent.end[s]) : 0;
    }
    made.parent = static_cast<BoxId>(box);
    made.first_child = no_box;
    made.octant = static_cast<std::uint32_t>(octant);
    made.child_mask = 0;
    return made;
  }
};

/// Points of the boxes of a level that go on, as Ranges of either set; entry `boxes` is 0.
struct CountGoingOn {
  Rule rule;
  int level;
  std::int64_t first, boxes;  // of the level
  const Node* nodes;
  std::int64_t* offset[2];
  std::uint32_t* begin[2];
  __device__ void operator()(std::int64_t i) const {
    const bool splits = i < boxes && rule.splits(nodes[first + i], level);
    for (int s = 0; s < rule.sets; ++s) {
      offset[s][i] = splits ? nodes[first + i].end[s] - nodes[first + i].begin[s] : 0;
      if (i < boxes) begin[s][i] = nodes[first + i].begin[s];
    }
  }
};

/// Writes the arrays of the tree.
struct StoreBox {
  const Node* nodes;
  Lattice lattice;
  int levels, sets;
  std::int64_t boxes;
  BoxId level_begin[max_levels + 2];
  std::int8_t* level;
  double* centre;
  BoxId *parent, *first_child;
  std::uint8_t *child_mask, *octant;
  std::int64_t *begin[2], *end[2];

  __device__ void operator()(std::int64_t b) const {
    int l = 0;
    while (b >= level_begin[l + 1]) ++l;
    const Node& node = nodes[b];  // not a copy: without targets apart their ranges were never written
    level[b] = static_cast<std::int8_t>(l);
    for (int axis = 0; axis < 3; ++axis) centre[axis * boxes + b] = lattice.centre(node.corner[axis], l, axis);
    parent[b] = node.parent;
    first_child[b] = node.first_child;
    child_mask[b] = static_cast<std::uint8_t>(node.child_mask);
    octant[b] = static_cast<std::uint8_t>(node.octant);
    for (int s = 0; s < sets; ++s) {
      begin[s][b] = node.begin[s];
      end[s][b] = node.end[s];
    }
  }
};

}  // namespace farfield::cuda

// The kernels that make boxes: those of a level from the level above, and the arrays of the finished tree. boxes.cu
// launches them.
#pragma once
#include <cstdint>
#include <cub/block/block_scan.cuh>
#include <limits>

#include "backends/cuda/boxes/keys.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/runtime/residency.hpp"
#include "backends/cuda/runtime/running_sum.hpp"
#include "backends/cuda/tuning.hpp"
#include "tree/tree.hpp"

namespace farfield::cuda {

constexpr int no_level = std::numeric_limits<int>::max();

/// A box while the tree grows. Ranges [0] are of sources, [1] of targets.
struct Node {
  std::int64_t corner[3];  // lattice index of the lowest corner
  std::uint32_t begin[2], end[2];
  BoxId parent, first_child;
  std::uint32_t octant, child_mask;  // 32 bits each: a node has no padding bytes, which copies would read
};

/// What the device knows about the tree so far.
struct Progress {
  std::int64_t level_begin[max_levels + 3] = {0, 1};
  std::uint64_t going_on[2] = {};  ///< per set: boxes of a level to divide by new keys, as CountGoingOn counts
  std::int64_t wanted = 0;         ///< boxes of the tree, had the children of level `stopped` fitted
  int stopped = no_level;          ///< the level whose children did not fit
  int unresolved = no_level;       ///< coarsest level with a box that a uniform depth cannot divide
};

/// The rule of refinement, and what it looks at. `plain`: items have the usual layout, known when this is compiled
/// (boxes of 2^28 points of a Plummer model: 29 ms for 32 on an H200).
template <bool plain>
struct Rule {
  Lattice lattice;
  double finest;
  std::int64_t leaf_size;
  int depth, sets;
  AnyReader read[2];
  const Item* items[2];
  KeyLayout layout;
  KeyParts parts[2];
  DividedBoxes divided;
  int* unresolved;  // of Progress

  /// A key that tells apart the children of boxes at `level`.
  __device__ std::uint64_t key_at(int s, std::int64_t i, int level) const {
    if (plain) return key_of(items[s][i]);
    const std::uint64_t key = key_of(items[s][i], layout);
    return layout.in_parts && level < KeyParts::levels ? key | parts[s].upper_at(i) : key;
  }
  __device__ std::uint32_t index_at(int s, std::int64_t i) const {
    return index_of(items[s][i], plain ? KeyLayout() : layout);
  }
  /// Which child of its box at `level` holds point i.
  __device__ int child_at(int s, std::int64_t i, int level) const {
    return child_of_key(key_at(s, i, level), level, plain ? KeyLayout() : layout);
  }
  __device__ bool overfull(const Node& node) const {
    std::int64_t most = 0;
    for (int s = 0; s < sets; ++s) {
      const std::int64_t points = node.end[s] - node.begin[s];
      most = points > most ? points : most;
    }
    return most > leaf_size;
  }
  /// Is the box divided unless all its points coincide?
  __device__ bool divides(const Node& node, int level) const {
    if (divided.hold(node.corner, level)) return true;
    if (depth >= 0 ? level >= depth : !overfull(node)) return false;
    const bool resolved = resolves_children(lattice, finest, node.corner, level);
    if (!resolved && depth >= 0) atomicMin(unresolved, level);
    return resolved;
  }
  /// Could all points of the box coincide? They then share a key, and the parent holds other points, too: the parent
  /// was divided, so its points do not all coincide; of a box in `divided` these others may be elsewhere.
  __device__ bool could_coincide(const Node* nodes, const Node& node, int level) const {
    if (depth >= 0 || divided.hold(node.corner, level)) return false;
    bool others = node.parent == no_box || divided.hold(nodes[node.parent].corner, level - 1);
    for (int s = 0; s < sets; ++s) {
      if (node.begin[s] < node.end[s] && key_at(s, node.begin[s], level) != key_at(s, node.end[s] - 1, level))
        return false;
      if (node.parent == no_box) continue;
      const Node& parent = nodes[node.parent];
      others = others || parent.begin[s] != node.begin[s] || parent.end[s] != node.end[s];
    }
    return others;
  }
  /// For all threads of a block.
  __device__ bool all_coincide(const Node& node) const {
    const int first = node.begin[0] < node.end[0] ? 0 : 1;
    const std::uint32_t reference = index_at(first, node.begin[first]);
    bool same = true;
    for (int s = 0; s < sets; ++s)
      for (std::int64_t i = node.begin[s] + threadIdx.x; same && i < node.end[s]; i += blockDim.x)
        for (int d = 0; d < 3; ++d) same = same && read[s](index_at(s, i), d) == read[first](reference, d);
    return __syncthreads_and(same);
  }
};

/// The boxes of a tile while they are divided.
struct Brood {
  std::uint32_t begin[2][block_threads][8];  // where the points of children begin
  std::uint8_t mask[block_threads];          // which of them exist
  bool divided[block_threads], coincide[block_threads];
  std::uint32_t before[block_threads];  // children of earlier boxes of the tile
  std::int64_t first;                   // number of the tile's first child
};

/// One level: finds which boxes have which children, and stores the children after all boxes so far, in the order of
/// their parents. Each warp divides one box of the block's tile at a time.
template <bool plain>
struct Division {
  Rule<plain> rule;
  int level;
  std::int64_t capacity;
  Node* nodes;
  Progress* progress;
  TileQueue queue;
  RunningSum sum;

  __device__ void operator()(Brood& brood) const {
    const std::int64_t begin = progress->level_begin[level], end = progress->level_begin[level + 1];
    const int size = boxes_per_tile(end - begin);
    const std::int64_t tiles =
        end > begin ? (end - begin + size - 1) / size : 1;  // an empty level has one tile, which closes the next level
    for (std::int64_t tile; (tile = queue.take(tiles)) < tiles;) {
      const std::int64_t first = begin + tile * size;
      const int count = static_cast<int>(end - first < size ? end - first : size);
      find_divided(brood, first, count);
      for (int b = static_cast<int>(threadIdx.x / 32); b < count; b += block_threads / 32) {
        const unsigned mask = brood.divided[b] ? find_children(nodes[first + b], brood, b) : 0;
        if (threadIdx.x % 32 == 0) brood.mask[b] = static_cast<std::uint8_t>(mask);
      }
      __syncthreads();
      const std::int64_t after = number_children(brood, tile, count, end);
      if (tile == tiles - 1 && threadIdx.x == 0) close(end, after);
      if (after <= capacity) add_children(brood, first, count);
    }
  }

 private:
  __device__ void find_divided(Brood& brood, std::int64_t first, int count) const {
    const int b = static_cast<int>(threadIdx.x);
    bool could_coincide = false;
    if (b < count) {
      const Node& node = nodes[first + b];
      brood.divided[b] = rule.divides(node, level);
      could_coincide = brood.coincide[b] = brood.divided[b] && rule.could_coincide(nodes, node, level);
    }
    if (!__syncthreads_or(could_coincide)) return;
    for (int other = 0; other < count; ++other)
      if (brood.coincide[other] && rule.all_coincide(nodes[first + other]) && threadIdx.x == 0)
        brood.divided[other] = false;
    __syncthreads();
  }

  /// For a warp. Lane o < 8 finds where the points of octant o begin and end.
  __device__ unsigned find_children(const Node& node, Brood& brood, int b) const {
    const int lane = static_cast<int>(threadIdx.x % 32);
    unsigned mask = 0;
    for (int s = 0; s < rule.sets; ++s) {
      std::uint32_t from, to;
      if (node.end[s] - node.begin[s] <= tuning::most_counted) {
        const std::uint32_t own = count_octant(node, s);
        from = node.begin[s] + before(own);
        to = from + own;
      } else {
        const std::uint32_t own = first_of(node, s, lane / 4);
        from = __shfl_sync(~0u, own, lane * 4 & 31);
        to = __shfl_sync(~0u, own, (lane + 1) * 4 & 31);
        if (lane == 7) to = node.end[s];
      }
      if (lane < 8) brood.begin[s][b][lane] = from;
      mask |= __ballot_sync(~0u, lane < 8 && from < to);
    }
    return mask;
  }

  /// Points of octant `lane % 8`; all loads at once.
  __device__ std::uint32_t count_octant(const Node& node, int s) const {
    const int lane = static_cast<int>(threadIdx.x % 32);
    std::uint32_t count = 0;
#pragma unroll 4
    for (std::int64_t first = node.begin[s]; first < node.end[s]; first += 32) {
      const bool there = first + lane < node.end[s];
      const int octant = there ? rule.child_at(s, first + lane, level) : 0;
      unsigned same = __ballot_sync(~0u, there);
      for (int axis = 0; axis < 3; ++axis) {
        const unsigned upper = __ballot_sync(~0u, octant >> axis & 1);
        same &= lane >> axis & 1 ? upper : ~upper;
      }
      count += static_cast<std::uint32_t>(__popc(same));
    }
    return count;
  }
  /// Sum over the earlier lanes in this lane's group of eight.
  __device__ std::uint32_t before(std::uint32_t count) const {
    std::uint32_t sum = count;
    for (int step = 1; step < 8; step *= 2) {
      const std::uint32_t other = __shfl_up_sync(~0u, sum, step, 8);
      if (static_cast<int>(threadIdx.x % 8) >= step) sum += other;
    }
    return sum - count;
  }

  /// Where the points of octants from `octant` on begin. 28 probes at a time: their loads overlap, and 16 million
  /// points take five steps instead of 24 that wait for memory one by one.
  __device__ std::uint32_t first_of(const Node& node, int s, int octant) const {
    constexpr int lanes = 4, per_lane = 7, probes = lanes * per_lane;
    std::int64_t low = node.begin[s],
                 high = octant > 0 ? node.end[s] : node.begin[s];  // before low: less; from high on: not
    while (__any_sync(~0u, low < high)) {
      const std::int64_t step = (high - low + probes) / (probes + 1);
      int less = 0;  // probes below `octant`
      for (int k = 0; k < per_lane; ++k) {
        const std::int64_t at = low + (threadIdx.x % lanes * per_lane + k) * step;
        if (at < high) less += rule.child_at(s, at, level) < octant;
      }
      for (int other = 1; other < lanes; other *= 2) less += __shfl_xor_sync(~0u, less, other);
      if (low + less * step < high && less < probes) high = low + less * step;
      if (less > 0) low += (less - 1) * step + 1;
    }
    return static_cast<std::uint32_t>(low);
  }

  /// Numbers the tile's children from `end`, one past the level's last box; returns one past the tile's last child.
  __device__ std::int64_t number_children(Brood& brood, std::int64_t tile, int count, std::int64_t end) const {
    using Scan = cub::BlockScan<std::uint32_t, block_threads>;
    __shared__ typename Scan::TempStorage shared;
    const int b = static_cast<int>(threadIdx.x);
    std::uint32_t before = 0, all = 0;
    Scan(shared).ExclusiveSum(b < count ? static_cast<std::uint32_t>(count_bits(brood.mask[b])) : 0u, before, all);
    brood.before[b] = before;
    if (b < 32) {
      const std::int64_t of_tiles = sum.before(tile, all);
      if (b == 0) brood.first = end + of_tiles;
    }
    __syncthreads();
    return brood.first + all;
  }

  __device__ void close(std::int64_t end, std::int64_t boxes) const {
    const bool fits = boxes <= capacity;
    progress->level_begin[level + 2] = fits ? boxes : end;
    if (fits) return;
    progress->stopped = level;
    progress->wanted = boxes;
  }

  __device__ void add_children(const Brood& brood, std::int64_t first, int count) const {
    for (int i = static_cast<int>(threadIdx.x); i < 8 * count; i += block_threads) {
      const int b = i / 8, octant = i % 8;
      const unsigned mask = brood.mask[b];
      const std::int64_t box = first + b, child = brood.first + brood.before[b];
      if (mask && octant == 0) {
        nodes[box].child_mask = mask;
        nodes[box].first_child = static_cast<BoxId>(child);
      }
      if (mask >> octant & 1u) nodes[child + count_bits(mask & ((1u << octant) - 1u))] = made(brood, b, box, octant);
    }
  }
  __device__ Node made(const Brood& brood, int b, std::int64_t box, int octant) const {
    const Node& parent = nodes[box];
    const std::int64_t edge = std::int64_t(1) << (rule.lattice.depth - level - 1);
    Node child;
    for (int axis = 0; axis < 3; ++axis) child.corner[axis] = parent.corner[axis] + (octant >> axis & 1) * edge;
    for (int s = 0; s < 2; ++s) {
      child.begin[s] = s < rule.sets ? brood.begin[s][b][octant] : 0;
      child.end[s] = s < rule.sets ? (octant < 7 ? brood.begin[s][b][octant + 1] : parent.end[s]) : 0;
    }
    child.parent = static_cast<BoxId>(box);
    child.first_child = no_box;
    child.octant = static_cast<std::uint32_t>(octant);
    child.child_mask = 0;
    return child;
  }
};

template <bool plain>
__global__ void __launch_bounds__(block_threads, blocks_held(tuning::dividing_blocks, block_threads))
    divide_kernel(const __grid_constant__ Division<plain> division) {
  __shared__ Brood brood;
  division(brood);
}

/// For each box of a level that is divided further and holds points of a set: (1 << 32) + the number of its points, so
/// that one scan yields both totals (points of all boxes fit, most_points). Entry `boxes` is 0. Boxes whose points all
/// coincide are counted, too: new keys leave their order as it is.
struct CountGoingOn {
  Rule<false> rule;
  int level;
  std::int64_t boxes;
  const Node* nodes;  // of the level
  std::uint64_t* count[2];
  __device__ void operator()(std::int64_t i) const {
    const bool splits = i < boxes && rule.divides(nodes[i], level);
    for (int s = 0; s < rule.sets; ++s) {
      const std::uint32_t points = splits ? nodes[i].end[s] - nodes[i].begin[s] : 0;
      count[s][i] = points > 0 ? std::uint64_t(1) << 32 | points : 0;
    }
  }
};

/// Makes Ranges of the boxes that are divided further. `before`: exclusive sums of CountGoingOn's counts.
struct TakeGoingOn {
  int set;
  const Node* nodes;  // of the level
  const std::uint64_t* before;
  std::uint32_t *offset, *skipped;
  __device__ void operator()(std::int64_t i) const {
    const std::uint64_t range = before[i] >> 32;
    if (before[i + 1] >> 32 == range) return;
    offset[range] = static_cast<std::uint32_t>(before[i]);
    skipped[range] = nodes[i].begin[set] - offset[range];
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

#include <algorithm>
#include <cub/device/device_scan.cuh>
#include <farfield/error.hpp>
#include <limits>
#include <string>

#include "backends/cuda/boxes.hpp"
#include "backends/cuda/parallel.hpp"

namespace farfield::cuda {
namespace {

constexpr std::int64_t most_boxes = std::numeric_limits<BoxId>::max();
constexpr int none = std::numeric_limits<int>::max();

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
  int stopped = none;       ///< the level whose children did not fit
  int unresolved = none;    ///< coarsest level with a box that a uniform depth cannot divide
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

class Builder {
 public:
  Builder(Cloud& sources, Cloud* targets, const BoxOptions& options, DeviceMemory& memory);

  void grow();
  void store(Tree<DeviceArray>& tree) const;

 private:
  Rule rule();
  void start();
  void add_level(int level);
  void enlarge(std::int64_t boxes);
  void read_back();
  bool renew(int level);
  std::int64_t boxes_of(int level) const { return progress_.level_begin[level + 1] - progress_.level_begin[level]; }

  Lattice lattice_;
  BoxOptions options_;
  DeviceMemory& memory_;
  int sets_;
  Cloud* clouds_[2];
  std::int64_t points_ = 0;          // of both sets
  std::int64_t most_wide_ = 0;       // boxes that a level can have
  std::int64_t bound_ = 1;           // boxes that the level to be divided can have
  DeviceArray<std::int64_t> count_;  // Brood of the level in work
  DeviceArray<std::uint8_t> mask_;
  DeviceArray<std::uint32_t> begin_[2];
  DeviceArray<unsigned char> temporary_;
  DeviceArray<Node> nodes_;
  DeviceArray<Progress> on_device_;
  Progress progress_;
};

Builder::Builder(Cloud& sources, Cloud* targets, const BoxOptions& options, DeviceMemory& memory)
    : lattice_(sources.lattice),
      options_(options),
      memory_(memory),
      sets_(targets ? 2 : 1),
      clouds_{&sources, targets},
      count_(memory),
      mask_(memory),
      begin_{DeviceArray<std::uint32_t>(memory), DeviceArray<std::uint32_t>(memory)},
      temporary_(memory),
      nodes_(memory),
      on_device_(memory) {
  std::int64_t splitting = 0;  // boxes of a level: each has more than leaf_size points of one set
  for (int s = 0; s < sets_; ++s) {
    points_ += clouds_[s]->count();
    splitting += clouds_[s]->count() / (options.leaf_size + 1);
  }
  const std::int64_t widest = options.depth >= 0 ? std::int64_t(1) << std::min(3 * options.depth, 60) : 8 * splitting;
  most_wide_ = std::max<std::int64_t>(1, std::min(points_, widest));
}

Rule Builder::rule() {
  const Cloud &s = *clouds_[0], &t = *clouds_[sets_ - 1];
  Progress* on_device = on_device_.data();
  return {lattice_,
          finest_relative_edge(lattice_),
          options_.leaf_size,
          options_.depth,
          sets_,
          {s.reader(), t.reader()},
          {s.items.data(), t.items.data()},
          {s.changes.data(), t.changes.data()},
          &on_device->unresolved};
}

/// The root, and room for a tree in which few boxes have one child only.
void Builder::start() {
  Node root{};
  root.parent = root.first_child = no_box;
  for (int s = 0; s < sets_; ++s) root.end[s] = static_cast<std::uint32_t>(clouds_[s]->count());
  std::int64_t room = 0, bound = 1;
  for (int level = 0; level <= (options_.depth >= 0 ? std::min(options_.depth, max_levels) : max_levels); ++level) {
    room += bound;
    bound = std::min(8 * bound, most_wide_);
  }
  count_.resize(most_wide_ + 1);
  mask_.resize(most_wide_);
  for (int s = 0; s < sets_; ++s) begin_[s].resize(8 * (most_wide_ + 1));
  nodes_.resize(std::min(room, most_wide_ + most_wide_ / 4 + 64));
  require(cudaMemcpyAsync(nodes_.data(), &root, sizeof root, cudaMemcpyHostToDevice, memory_.stream), "the root");
  upload(on_device_, &progress_, 1, memory_.stream);
}

/// Divides the boxes of `level`, of which there are at most bound_.
void Builder::add_level(int level) {
  const Brood brood{count_.data(), mask_.data(), {begin_[0].data(), begin_[1].data()}};
  const cudaStream_t stream = memory_.stream;
  for_each_index(8 * (bound_ + 1), FindChildren{rule(), level, bound_, nodes_.data(), on_device_.data(), brood}, stream,
                 "children");
  with_temporary(temporary_, "numbers of children", [&](void* temporary, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(temporary, bytes, count_.data(), count_.data(), bound_ + 1, stream);
  });
  for_each_index(8 * bound_,
                 AddChildren{lattice_, level, sets_, bound_, nodes_.size(), nodes_.data(), on_device_.data(), brood},
                 stream, "new boxes");
  bound_ = std::min(8 * bound_, most_wide_);
}

void Builder::enlarge(std::int64_t boxes) {
  if (boxes > most_boxes) throw Error(ErrorCode::usage, "the tree has more than 2^31 boxes; use larger leaves");
  DeviceArray<Node> larger(memory_);
  larger.resize(std::min(most_boxes, boxes + boxes / 2));
  const auto made = static_cast<std::size_t>(progress_.level_begin[progress_.stopped + 1]);
  require(cudaMemcpyAsync(larger.data(), nodes_.data(), made * sizeof(Node), cudaMemcpyDeviceToDevice, memory_.stream),
          "a copy of boxes");
  nodes_.swap(larger);
}

void Builder::read_back() {
  download(&progress_, on_device_.data(), 1, memory_.stream);
  require(cudaStreamSynchronize(memory_.stream), "boxes");
  if (progress_.unresolved == none) return;
  throw Error(ErrorCode::usage, "depth " + std::to_string(options_.depth) +
                                    " is finer than the coordinates resolve; the deepest level here is " +
                                    std::to_string(progress_.unresolved));
}

/// New keys for the points of the boxes of `level` that go on; false where none does.
bool Builder::renew(int level) {
  const std::int64_t boxes = boxes_of(level);
  if (boxes == 0) return false;
  DeviceArray<std::int64_t> offset[2] = {DeviceArray<std::int64_t>(memory_), DeviceArray<std::int64_t>(memory_)};
  DeviceArray<std::uint32_t> begin[2] = {DeviceArray<std::uint32_t>(memory_), DeviceArray<std::uint32_t>(memory_)};
  for (int s = 0; s < sets_; ++s) {
    offset[s].resize(boxes + 1);
    begin[s].resize(boxes);
  }
  for_each_index(boxes + 1,
                 CountGoingOn{rule(),
                              level,
                              progress_.level_begin[level],
                              boxes,
                              nodes_.data(),
                              {offset[0].data(), offset[1].data()},
                              {begin[0].data(), begin[1].data()}},
                 memory_.stream, "boxes that go on");
  std::int64_t selected[2] = {};
  for (int s = 0; s < sets_; ++s) {
    with_temporary(memory_, "points that go on", [&](void* temporary, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(temporary, bytes, offset[s].data(), offset[s].data(), boxes + 1,
                                           memory_.stream);
    });
    download(&selected[s], offset[s].data() + boxes, 1, memory_.stream);
  }
  read_back();
  for (int s = 0; s < sets_; ++s) {
    renew_keys(*clouds_[s], {boxes, selected[s], offset[s].data(), begin[s].data()}, level, memory_);
    if (options_.depth < 0) count_changes(*clouds_[s], memory_);
  }
  return selected[0] + selected[1] > 0;
}

void Builder::grow() {
  if (points_ == 0) {
    progress_.level_begin[1] = 0;
    return;
  }
  start();
  if (options_.depth < 0)
    for (int s = 0; s < sets_; ++s) count_changes(*clouds_[s], memory_);
  // The last level that may be divided; at the lattice's depth a uniform tree finds out that it is too deep.
  const int last = options_.depth >= 0 ? std::min(options_.depth - 1, lattice_.depth) : lattice_.depth - 1;
  for (int level = 0;;) {
    const int end = std::min(level / levels_per_key * levels_per_key + levels_per_key, last + 1);
    while (level < end) add_level(level++);
    read_back();
    if (progress_.stopped != none) {
      level = progress_.stopped;
      enlarge(progress_.wanted);
      progress_.stopped = none;
      upload(on_device_, &progress_, 1, memory_.stream);
    } else if (level > last || !renew(level)) {
      return;
    }
    bound_ = std::max<std::int64_t>(1, boxes_of(level));
  }
}

void Builder::store(Tree<DeviceArray>& tree) const {
  tree.lattice = lattice_;
  tree.levels = 0;
  while (tree.levels <= max_levels && boxes_of(tree.levels) > 0) ++tree.levels;
  const std::int64_t boxes = progress_.level_begin[tree.levels];
  tree.boxes = static_cast<BoxId>(boxes);
  StoreBox store{};
  for (int level = 0; level < max_levels + 2; ++level)
    tree.level_begin[level] = store.level_begin[level] =
        static_cast<BoxId>(level <= tree.levels ? progress_.level_begin[level] : 0);
  tree.level.resize(boxes);
  tree.centre.resize(3 * boxes);
  tree.parent.resize(boxes);
  tree.first_child.resize(boxes);
  tree.child_mask.resize(boxes);
  tree.octant.resize(boxes);
  DeviceArray<std::int64_t>* begin[2] = {&tree.source_begin, &tree.target_begin};
  DeviceArray<std::int64_t>* end[2] = {&tree.source_end, &tree.target_end};
  for (int s = 0; s < 2; ++s) {
    begin[s]->resize(s < sets_ ? boxes : 0);
    end[s]->resize(s < sets_ ? boxes : 0);
    store.begin[s] = begin[s]->data();
    store.end[s] = end[s]->data();
  }
  store.nodes = nodes_.data();
  store.lattice = lattice_;
  store.levels = tree.levels;
  store.sets = sets_;
  store.boxes = boxes;
  store.level = tree.level.data();
  store.centre = tree.centre.data();
  store.parent = tree.parent.data();
  store.first_child = tree.first_child.data();
  store.child_mask = tree.child_mask.data();
  store.octant = tree.octant.data();
  for_each_index(boxes, store, memory_.stream, "boxes");
}

}  // namespace

void build_boxes(Tree<DeviceArray>& tree, Cloud& sources, Cloud* targets, const BoxOptions& options,
                 DeviceMemory& memory) {
  Builder builder(sources, targets, options, memory);
  builder.grow();
  builder.store(tree);
  find_colleagues(tree, memory.stream);
}

}  // namespace farfield::cuda

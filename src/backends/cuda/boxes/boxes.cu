#include <algorithm>
#include <cub/device/device_scan.cuh>
#include <farfield/error.hpp>
#include <limits>
#include <string>

#include "backends/cuda/boxes/box_kernels.hpp"
#include "backends/cuda/boxes/boxes.hpp"
#include "backends/cuda/runtime/device.hpp"

namespace farfield::cuda {
namespace {

constexpr std::int64_t most_boxes = std::numeric_limits<BoxId>::max();

class Builder {
 public:
  Builder(Cloud& sources, Cloud* targets, const TreeOptions& options, std::int64_t expected_boxes,
          DeviceMemory& memory);

  void grow();
  void store(Tree<DeviceArray>& tree) const;

 private:
  template <bool plain>
  Rule<plain> rule();
  void start();
  void add_level(int level);
  template <bool plain>
  void divide(int level);
  void enlarge(std::int64_t boxes);
  void read_back();
  bool renew(int level);
  void renew(int set, const std::uint64_t* before, int level);
  std::int64_t boxes_of(int level) const { return progress_.level_begin[level + 1] - progress_.level_begin[level]; }

  Lattice lattice_;
  const TreeOptions& options_;
  DeviceMemory& memory_;
  int sets_;
  Cloud* clouds_[2];
  std::int64_t points_ = 0;       // of both sets
  std::int64_t most_wide_ = 0;    // boxes that a level can have
  std::int64_t bound_ = 1;        // most boxes of the level to be divided next
  std::int64_t most_likely_ = 0;  // likely upper bound of the boxes of the tree
  unsigned launches_ = 0;
  DeviceArray<unsigned long long> running_;  // of RunningSum, then a word of TileQueue
  DeviceArray<Node> nodes_;
  DeviceArray<Progress> on_device_;
  Progress progress_;
};

Builder::Builder(Cloud& sources, Cloud* targets, const TreeOptions& options, std::int64_t expected_boxes,
                 DeviceMemory& memory)
    : lattice_(sources.lattice),
      options_(options),
      memory_(memory),
      sets_(targets ? 2 : 1),
      clouds_{&sources, targets},
      running_(memory),
      nodes_(memory),
      on_device_(memory) {
  // divided boxes of a level: each has more than leaf_size points of one set, or shall be divided
  std::int64_t splitting = options.divided.level_begin[max_levels + 1];
  for (int s = 0; s < sets_; ++s) {
    points_ += clouds_[s]->count();
    splitting += clouds_[s]->count() / (options.leaf_size + 1);
  }
  const std::int64_t widest = options.depth >= 0 ? std::int64_t(1) << std::min(3 * options.depth, 60) : 8 * splitting;
  most_wide_ = std::max<std::int64_t>(1, std::min(points_, widest));
  most_likely_ = most_wide_ + most_wide_ / 4 + 64;
  // Evenly filled leaves of leaf_size / 1.6 make 1.9 boxes per leaf_size points, clustered ones up to 4.
  if (expected_boxes > 0)
    most_likely_ = std::min(most_likely_, expected_boxes);
  else if (options.depth < 0)
    most_likely_ = std::min(most_likely_, 5 * points_ / options.leaf_size + 64);
}

template <bool plain>
Rule<plain> Builder::rule() {
  const Cloud &s = *clouds_[0], &t = *clouds_[sets_ - 1];
  Progress* on_device = on_device_.data();
  return {lattice_,
          finest_relative_edge(lattice_),
          options_.leaf_size,
          options_.depth,
          sets_,
          {s.reader(), t.reader()},
          {s.items.data(), t.items.data()},
          s.layout,
          {s.parts, t.parts},
          options_.divided,
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
  nodes_.resize(std::min(room, most_likely_));
  running_.resize(most_tiles(most_wide_) + 1);
  require(cudaMemsetAsync(running_.data(), 0, static_cast<std::size_t>(running_.size()) * sizeof(unsigned long long),
                          memory_.stream),
          "cudaMemsetAsync");
  require(cudaMemcpyAsync(nodes_.data(), &root, sizeof root, cudaMemcpyHostToDevice, memory_.stream), "the root");
  upload(on_device_, &progress_, 1, memory_.stream);
}

/// Divides the boxes of `level`, of which there are at most bound_.
void Builder::add_level(int level) {
  clouds_[0]->layout.first == KeyLayout().first ? divide<true>(level) : divide<false>(level);
  bound_ = std::min(8 * bound_, most_wide_);
}

template <bool plain>
void Builder::divide(int level) {
  auto* ticket = reinterpret_cast<unsigned*>(running_.data() + running_.size() - 1);
  const Division<plain> division{rule<plain>(),
                                 level,
                                 nodes_.size(),
                                 nodes_.data(),
                                 on_device_.data(),
                                 TileQueue{ticket},
                                 {running_.data(), ++launches_}};
  const std::int64_t blocks = std::min<std::int64_t>((bound_ + 7) / 8, 8 * device_limits().multiprocessors);
  divide_kernel<plain><<<static_cast<unsigned>(blocks), block_threads, 0, memory_.stream>>>(division);
  require_launch("divide_kernel");
}

void Builder::enlarge(std::int64_t boxes) {
  if (boxes > most_boxes) throw Error(ErrorCode::usage, "the tree has more than 2^31 boxes; use larger leaves");
  DeviceArray<Node> larger(memory_);
  larger.resize(std::min(most_boxes, std::max(boxes + boxes / 2, 5 * points_ / options_.leaf_size)));
  const auto made = static_cast<std::size_t>(progress_.level_begin[progress_.stopped + 1]);
  require(cudaMemcpyAsync(larger.data(), nodes_.data(), made * sizeof(Node), cudaMemcpyDeviceToDevice, memory_.stream),
          "a copy of boxes");
  nodes_.swap(larger);
}

void Builder::read_back() {
  download(&progress_, on_device_.data(), 1, memory_.stream);
  require(cudaStreamSynchronize(memory_.stream), "boxes");
  if (progress_.unresolved == no_level) return;
  throw Error(ErrorCode::usage, "depth " + std::to_string(options_.depth) +
                                    " is finer than the coordinates resolve; the deepest level here is " +
                                    std::to_string(progress_.unresolved));
}

/// Gives new keys to the points of the boxes of `level` that are divided further; false where there are no such boxes.
bool Builder::renew(int level) {
  const std::int64_t boxes = boxes_of(level);
  if (boxes == 0) return false;
  DeviceArray<std::uint64_t> before[2] = {DeviceArray<std::uint64_t>(memory_), DeviceArray<std::uint64_t>(memory_)};
  for (int s = 0; s < sets_; ++s) before[s].resize(boxes + 1);
  for_each_index(boxes + 1,
                 CountGoingOn{rule<false>(),
                              level,
                              boxes,
                              nodes_.data() + progress_.level_begin[level],
                              {before[0].data(), before[1].data()}},
                 memory_.stream, "boxes that go on");
  for (int s = 0; s < sets_; ++s) {
    with_temporary(memory_, "points that go on", [&](void* temporary, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(temporary, bytes, before[s].data(), before[s].data(), boxes + 1,
                                           memory_.stream);
    });
    require(cudaMemcpyAsync(&on_device_.data()->going_on[s], before[s].data() + boxes, sizeof(std::uint64_t),
                            cudaMemcpyDeviceToDevice, memory_.stream),
            "points that go on");
  }
  read_back();
  for (int s = 0; s < sets_; ++s) renew(s, before[s].data(), level);
  return (progress_.going_on[0] | progress_.going_on[1]) > 0;
}

void Builder::renew(int set, const std::uint64_t* before, int level) {
  const std::int64_t ranges = static_cast<std::int64_t>(progress_.going_on[set] >> 32);
  const std::int64_t selected = static_cast<std::uint32_t>(progress_.going_on[set]);
  DeviceArray<std::uint32_t> offset(memory_), skipped(memory_);
  offset.resize(ranges);
  skipped.resize(ranges);
  for_each_index(ranges > 0 ? boxes_of(level) : 0,
                 TakeGoingOn{set, nodes_.data() + progress_.level_begin[level], before, offset.data(), skipped.data()},
                 memory_.stream, "ranges that go on");
  renew_keys(*clouds_[set], {ranges, selected, offset.data(), skipped.data()}, level, memory_);
}

void Builder::grow() {
  if (points_ == 0) {
    progress_.level_begin[1] = 0;
    return;
  }
  start();
  // Last level whose boxes may be divided; a uniform tree that is too deep finds this out at the lattice's depth.
  const int whole = options_.depth >= 0 ? std::min(options_.depth - 1, lattice_.depth) : lattice_.depth - 1;
  const int last = std::min(whole, deepest_level(lattice_, options_.least_edge) - 1);
  if (options_.depth >= 0 && last < whole) refuse_narrow_boxes(options_.depth, last + 1);
  for (int level = 0;;) {
    const int end = std::min(clouds_[0]->layout.levels(level).end, last + 1);
    while (level < end) add_level(level++);
    read_back();
    if (progress_.stopped != no_level) {
      level = progress_.stopped;
      enlarge(progress_.wanted);
      progress_.stopped = no_level;
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
  tree.resize(static_cast<BoxId>(boxes), sets_);
  StoreBox store{};
  for (int level = 0; level < max_levels + 2; ++level)
    tree.level_begin[level] = store.level_begin[level] =
        static_cast<BoxId>(level <= tree.levels ? progress_.level_begin[level] : 0);
  store.begin[0] = tree.source_begin.data(), store.end[0] = tree.source_end.data();
  store.begin[1] = tree.target_begin.data(), store.end[1] = tree.target_end.data();
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

void build_boxes(Tree<DeviceArray>& tree, Cloud& sources, Cloud* targets, const TreeOptions& options,
                 std::int64_t expected_boxes, DeviceMemory& memory) {
  Builder builder(sources, targets, options, expected_boxes, memory);
  builder.grow();
  builder.store(tree);
}

}  // namespace farfield::cuda

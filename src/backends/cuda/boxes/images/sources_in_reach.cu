#include "backends/cuda/boxes/choose_numbers.hpp"
#include "backends/cuda/boxes/images/sources_in_reach.hpp"
#include "backends/cuda/runtime/parallel.hpp"

namespace farfield::cuda {
namespace {

struct MarkLeaves {
  TreeView tree;
  const BoxId* home;
  std::uint8_t* in_reach;
  __device__ void operator()(std::int64_t i) const {
    const auto box = static_cast<BoxId>(i);
    if (!tree.is_leaf(box)) return;
    const bool read = home[box] == no_box || is_near_targets(box);
    for (std::int64_t s = tree.source_begin[box]; s < tree.source_end[box]; ++s) in_reach[s] = read;
  }
  /// Of its own size or smaller, whose parents may touch it alone, or leaves that are larger.
  __device__ bool is_near_targets(BoxId leaf) const {
    bool found = false;
    for (BoxId box = leaf; box != no_box; box = tree.parent[box])
      for (int slot = 0; slot < colleagues_per_box; ++slot) {
        const BoxId other = tree.colleague[std::int64_t(box) * colleagues_per_box + slot];
        found |= other != no_box && tree.target_count(other) > 0 && (box == leaf || tree.is_leaf(other));
      }
    return found;
  }
};

struct IsMarked {
  const std::uint8_t* in_reach;
  std::int64_t sources;
  __device__ bool operator()(std::uint32_t i) const { return i + 1 >= sources || in_reach[i]; }
};

}  // namespace

void SourcesInReach::find(const CudaTree& built, const BoxId* home) {
  DeviceMemory& memory = *built.memory;
  const std::int64_t sources = built.sources.count;
  DeviceArray<std::uint8_t> in_reach(memory);
  in_reach.resize(sources);
  for_each_index(built.tree.boxes, MarkLeaves{built.tree.view(), home, in_reach.data()}, memory.stream,
                 "sources in reach");
  count_ = choose_numbers(sources + padding, IsMarked{in_reach.data(), sources}, source_, memory, "sources in reach");
}

}  // namespace farfield::cuda

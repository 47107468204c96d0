// Colleagues: a colleague of a box is a child of a colleague of its parent, so one look-up per slot finds it.
#include "backends/cuda/boxes.hpp"
#include "backends/cuda/parallel.hpp"

namespace farfield::cuda {
namespace {

/// A thread per slot of the boxes of one level.
struct FindColleague {
  TreeView tree;
  std::int64_t first;  // box of the level
  BoxId* colleague;
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t b = first + i / colleagues_per_box;
    const int slot = static_cast<int>(i % colleagues_per_box);
    colleague[b * colleagues_per_box + slot] = find(static_cast<BoxId>(b), slot);
  }
  __device__ BoxId find(BoxId b, int slot) const {
    const BoxId parent = tree.parent[b];
    if (parent == no_box) return slot == colleague_slot(0, 0, 0) ? b : no_box;
    const int o = tree.octant[b];
    const int x = (o & 1) + slot % 3 - 1, y = (o >> 1 & 1) + slot / 3 % 3 - 1, z = (o >> 2) + slot / 9 - 1;  // -1 ... 2
    const BoxId uncle = colleague[std::int64_t(parent) * colleagues_per_box + colleague_slot(x >> 1, y >> 1, z >> 1)];
    return uncle == no_box ? no_box : tree.child(uncle, (x & 1) | (y & 1) << 1 | (z & 1) << 2);
  }
};

}  // namespace

void find_colleagues(Tree<DeviceArray>& tree, cudaStream_t stream) {
  tree.colleague.resize(std::int64_t(colleagues_per_box) * tree.boxes);
  const TreeView view = tree.view();
  for (int level = 0; level < tree.levels; ++level) {
    const std::int64_t first = tree.level_begin[level], boxes = tree.level_begin[level + 1] - first;
    for_each_index(boxes * colleagues_per_box, FindColleague{view, first, tree.colleague.data()}, stream, "colleagues");
  }
}

}  // namespace farfield::cuda

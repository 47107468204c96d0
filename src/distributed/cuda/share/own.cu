#include <algorithm>
#include <farfield/error.hpp>

#include "backends/cuda/runtime/parallel.hpp"
#include "distributed/cuda/share/own.hpp"

namespace farfield::distributed {

using farfield::cuda::DeviceMemory;
using farfield::cuda::for_each_index;
using farfield::cuda::require;
using farfield::cuda::upload;

namespace {

/// Goes down the tree to a box.
struct FindBox {
  TreeView tree;
  const BoxPlace* wanted;
  std::int64_t* found;
  __device__ void operator()(std::int64_t i) const {
    const BoxPlace& place = wanted[i];
    BoxId box = tree.boxes > 0 ? 0 : no_box;
    for (int level = 1; level <= place.level && box != no_box; ++level)
      box = tree.child(box, octant_of(place.corner, tree.lattice, level));
    found[i] = box;
  }
};

}  // namespace

OwnLevels own_levels(const DeviceShare& share, int rank) {
  OwnLevels levels;
  const auto& tree = share.own.tree;
  for (int level = 0; level < max_levels + 2; ++level)
    levels.begin[level] = tree.level_begin[std::min(level, tree.levels)];
  for (const CoarseBox& box : share.partition.boxes)
    if (box.shared() && box.first_rank <= rank && rank <= box.last_rank && tree.boxes > 0)
      (box.first_rank == rank ? levels.back : levels.front)[box.level] = true;
  return levels;
}

farfield::cuda::KeyedTree build_own(DeviceShare& share, const Points& sources, const Points* targets,
                                    const Geometry& geometry, const Decision& d, DeviceMemory& memory) {
  TreeOptions options = own_tree_options(d);
  const SharedBoxes shared = share.partition.shared_boxes();
  OnDevice<Place> corners(memory);
  upload(corners, shared.corner.data(), std::ssize(shared.corner), memory.stream);
  options.divided = shared.divided(corners.data());
  return farfield::cuda::KeyedTree(share.own, sources, targets, geometry, options);
}

OwnOfTop::OwnOfTop(const Top& top, int rank, DeviceMemory& memory) : memory_(memory), on_device_(memory) {
  for (const BoxId box : top.of_rank[static_cast<std::size_t>(rank)])
    wanted_.push_back({top.corners[static_cast<std::size_t>(box)], top.tree.level[box]});
}

void OwnOfTop::find(const TreeView& own, std::int64_t* found) {
  upload(on_device_, wanted_.data(), count(), memory_.stream);
  for_each_index(count(), FindBox{own, on_device_.data(), found}, memory_.stream, "own boxes");
}

void OwnOfTop::store(Top& top, const std::int64_t* found) const {
  for (std::int64_t k = 0; k < count(); ++k) top.own.push_back(static_cast<BoxId>(found[k]));
  if (std::count(top.own.begin(), top.own.end(), no_box) > 0)
    throw Error(ErrorCode::internal, "a rank lacks a box that it owns; please report this");
}

}  // namespace farfield::distributed

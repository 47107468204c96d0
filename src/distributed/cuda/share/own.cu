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

struct BoxPlace {
  Place corner;
  std::int64_t level;
};

/// Goes down the tree to a box.
struct FindBox {
  TreeView tree;
  const BoxPlace* wanted;
  BoxId* found;
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

void find_own(DeviceShare& share, int rank, DeviceMemory& memory) {
  Top& top = share.top;
  std::vector<BoxPlace> wanted;
  for (const BoxId box : top.of_rank[static_cast<std::size_t>(rank)])
    wanted.push_back({top.corners[static_cast<std::size_t>(box)], top.tree.level[box]});
  top.own.resize(wanted.size());
  OnDevice<BoxPlace> places(memory);
  OnDevice<BoxId> found(memory);
  upload(places, wanted.data(), std::ssize(wanted), memory.stream);
  found.resize(places.size());
  for_each_index(places.size(), FindBox{share.own.tree.view(), places.data(), found.data()}, memory.stream,
                 "own boxes");
  farfield::cuda::download(top.own.data(), found.data(), found.size(), memory.stream);
  require(cudaStreamSynchronize(memory.stream), "own boxes");
  if (std::count(top.own.begin(), top.own.end(), no_box) > 0)
    throw Error(ErrorCode::internal, "a rank lacks a box that it owns; please report this");
}

}  // namespace farfield::distributed

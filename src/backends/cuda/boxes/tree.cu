#include <algorithm>

#include "backends/cuda/boxes/boxes.hpp"
#include "backends/cuda/boxes/keys.hpp"
#include "backends/cuda/boxes/tree.hpp"
#include "backends/cuda/lists/lists.hpp"
#include "backends/cuda/transfer/points.hpp"

namespace farfield::cuda {
namespace {

Cloud cloud_of(const Points& points, const Geometry& geometry, const Lattice& lattice, DeviceMemory& memory) {
  return {{points, Scaling(geometry.exponent), lattice, DeviceArray<Item>(memory), DeviceArray<Item>(memory)}};
}

void mark(const TreeOptions& options, const char* stage) {
  if (options.mark) options.mark(stage);
}

/// A tree that is built anew for as many points, as after a time step, has about as many boxes as it had.
std::int64_t expected_boxes(const CudaTree& built, std::int64_t points, const TreeOptions& options) {
  const bool same = built.made_for.points == points && built.made_for.leaf_size == options.leaf_size;
  return same ? built.tree.boxes + built.tree.boxes / 8 + 64 : 0;
}

}  // namespace

KeyedTree::KeyedTree(CudaTree& built, const Points& source_points, const Points* target_points,
                     const Geometry& geometry, const TreeOptions& options)
    : sources_(cloud_of(source_points, geometry, make_lattice(geometry, options.root), *built.memory)),
      targets_(cloud_of(target_points ? *target_points : Points(), geometry, sources_.lattice, *built.memory)) {
  DeviceMemory& memory = *built.memory;
  built.alike = target_points == nullptr;
  built.forget_curves();
  sources_.layout = targets_.layout =
      layout_of_keys(geometry, options.leaf_size, std::max(sources_.count(), targets_.count()));
  make_items(sources_, memory);
  make_items(targets_, memory);
  mark(options, "keys");

  sort_items(sources_, memory);
  sort_items(targets_, memory);
  for (Cloud* cloud : {&sources_, &targets_}) cloud->scratch.release();  // later keys are sorted in the same memory
  mark(options, "sort");

  const std::int64_t points = sources_.count() + targets_.count();
  build_boxes(built.tree, sources_, built.alike ? nullptr : &targets_, options, expected_boxes(built, points, options),
              memory);
  built.made_for = {points, options.leaf_size};
  built.sources.count = sources_.count(), built.targets.count = targets_.count();
  mark(options, "boxes");
}

void build_boxes(CudaTree& built, const Points& sources, const Points* targets, const Geometry& geometry,
                 const TreeOptions& options) {
  const KeyedTree keyed(built, sources, targets, geometry, options);
  gather(built.sources, keyed.sources(), built.memory->stream);
  gather(built.targets, keyed.targets(), built.memory->stream);
  mark(options, "gather");
}

void build(CudaTree& built, const Points& sources, const Points* targets, const Geometry& geometry,
           const TreeOptions& options) {
  mark(options, "");
  DeviceMemory& memory = *built.memory;
  const DevicePoints source_copy(sources, memory);
  const DevicePoints target_copy = targets ? DevicePoints(*targets, memory) : DevicePoints();
  build_boxes(built, source_copy.view(), targets ? &target_copy.view() : nullptr, geometry, options);
  if (options.acceptance.theta > 0) return mark(options, "lists");  // a treecode has none
  Neighbourhood neighbourhood(memory);
  const Around around = neighbourhood.find(built.tree, options.thresholds, memory.stream);
  build_lists(built.lists, built.tree.view(), around, memory);
  mark(options, "lists");
}

void read_points(CudaTree& built, const Points& sources, const Points* targets, const Geometry& geometry,
                 bool along_curve) {
  DeviceMemory& memory = *built.memory;
  built.alike = targets == nullptr;
  const Lattice lattice = make_lattice(geometry, {});
  built.forget_curves();
  for (const Points* points : {&sources, targets}) {
    if (!points) continue;
    const DevicePoints copy(*points, memory);
    Cloud cloud = cloud_of(copy.view(), geometry, lattice, memory);
    gather(points == &sources ? built.sources : built.targets, cloud, memory.stream);
    if (along_curve) order_along_curve(points == &sources ? built.source_curve : built.target_curve, cloud, memory);
  }
}

}  // namespace farfield::cuda

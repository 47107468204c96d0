#include "backends/cuda/boxes/boxes.hpp"
#include "backends/cuda/boxes/keys.hpp"
#include "backends/cuda/boxes/lists.hpp"
#include "backends/cuda/boxes/tree.hpp"
#include "backends/cuda/transfer/points.hpp"

namespace farfield::cuda {
namespace {

Cloud cloud_of(const Points& points, const Geometry& geometry, const Lattice& lattice, DeviceMemory& memory) {
  return {points, Scaling(geometry.exponent), lattice, DeviceArray<Item>(memory), DeviceArray<Item>(memory)};
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

void build_boxes(CudaTree& built, const Points& source_points, const Points* target_points, const Geometry& geometry,
                 const TreeOptions& options) {
  DeviceMemory& memory = *built.memory;
  built.alike = target_points == nullptr;
  const Lattice lattice = make_lattice(geometry, options.m, options.k);
  built.forget_curves();
  Cloud sources = cloud_of(source_points, geometry, lattice, memory);
  Cloud targets = cloud_of(built.alike ? Points() : *target_points, geometry, lattice, memory);

  make_items(sources, memory);
  make_items(targets, memory);
  mark(options, "keys");

  sort_items(sources, memory);
  sort_items(targets, memory);
  for (Cloud* cloud : {&sources, &targets}) cloud->scratch.release();  // later keys are sorted in the same memory
  mark(options, "sort");

  build_boxes(built.tree, sources, built.alike ? nullptr : &targets, options,
              expected_boxes(built, sources.count() + targets.count(), options), memory);
  built.made_for = {sources.count() + targets.count(), options.leaf_size};
  mark(options, "boxes");

  gather(built.sources, sources, memory.stream);
  gather(built.targets, targets, memory.stream);
  for (Cloud* cloud : {&sources, &targets}) cloud->items.release();
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
  const Lattice lattice = make_lattice(geometry, 1, 0);
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

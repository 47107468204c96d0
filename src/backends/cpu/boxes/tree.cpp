#include "backends/cpu/boxes/tree.hpp"

#include <chrono>
#include <farfield/error.hpp>
#include <new>

#include "backends/cpu/boxes/boxes.hpp"
#include "backends/cpu/boxes/keys.hpp"
#include "backends/cpu/boxes/lists.hpp"

namespace farfield::cpu {
namespace {

/// Calls timed(name, seconds since the last call).
class StageClock {
 public:
  explicit StageClock(const std::function<void(const char*, double)>& timed) : timed_(timed) {}
  void stage(const char* name) {
    const auto now = std::chrono::steady_clock::now();
    if (timed_) timed_(name, std::chrono::duration<double>(now - last_).count());
    last_ = now;
  }

 private:
  const std::function<void(const char*, double)>& timed_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

Cloud cloud_of(const Points& points, const Geometry& geometry, const Lattice& lattice) {
  Cloud cloud;
  cloud.points = points;
  cloud.scale = Scaling(geometry.exponent);
  cloud.lattice = lattice;
  return cloud;
}

void sort_cloud(Cloud& cloud, int threads) {
  sort_items(cloud.items.data(), cloud.scratch.data(), cloud.count(), threads);
}

void build_stages(CpuTree& built, const Points& source_points, const Points* target_points, const Geometry& geometry,
                  const TreeOptions& options) {
  StageClock clock(options.timed);
  built.alike = target_points == nullptr;
  built.lattice = make_lattice(geometry, options.m, options.k);
  Cloud sources = cloud_of(source_points, geometry, built.lattice);
  Cloud targets = built.alike ? Cloud() : cloud_of(*target_points, geometry, built.lattice);

  make_items(sources, options.threads);
  make_items(targets, options.threads);
  clock.stage("keys");

  sort_cloud(sources, options.threads);
  sort_cloud(targets, options.threads);
  clock.stage("sort");

  build_boxes(built.tree, sources, built.alike ? nullptr : &targets,
              {options.leaf_size, options.depth, options.threads});
  sources.scratch.release();
  targets.scratch.release();
  clock.stage("boxes");

  gather(built.sources, sources, options.threads);
  gather(built.targets, targets, options.threads);
  sources.items.release();
  targets.items.release();
  clock.stage("gather");

  build_lists(built.lists, built.tree.view(), options.thresholds, options.threads);
  clock.stage("lists");
}

}  // namespace

void build(CpuTree& built, const Points& sources, const Points* targets, const Geometry& geometry,
           const TreeOptions& options) {
  try {
    build_stages(built, sources, targets, geometry, options);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::memory, "not enough memory for the boxes of the tree; use fewer points or larger leaves");
  }
}

void read_points(CpuTree& built, const Points& sources, const Points* targets, const Geometry& geometry, int threads) {
  built.alike = targets == nullptr;
  if (!targets) {  // targets of an earlier build are released
    built.targets.count = 0;
    built.targets.order.release();
    for (Array<double>& axis : built.targets.axis) axis.release();
  }
  for (const Points* points : {&sources, targets}) {
    if (!points) continue;
    Cloud cloud = cloud_of(*points, geometry, built.lattice);
    require_indices(cloud.count());
    cloud.items.resize(cloud.count());
    for (std::int64_t i = 0; i < cloud.count(); ++i) cloud.items[i] = static_cast<Item>(i);
    gather(points == &sources ? built.sources : built.targets, cloud, threads);
  }
}

void CpuTree::count_bytes_in(MemoryMeter& meter) {
  tree.level.meter(meter);
  tree.centre.meter(meter);
  for (Array<BoxId>* a : {&tree.parent, &tree.first_child, &tree.colleague}) a->meter(meter);
  for (Array<std::uint8_t>* a : {&tree.child_mask, &tree.octant}) a->meter(meter);
  for (Array<std::int64_t>* a : {&tree.source_begin, &tree.source_end, &tree.target_begin, &tree.target_end})
    a->meter(meter);
  for (List<Array>* list : {&lists.near, &lists.m2p, &lists.p2l}) {
    list->begin.meter(meter);
    list->items.meter(meter);
  }
  for (SortedPoints* points : {&sources, &targets}) {
    points->order.meter(meter);
    for (Array<double>& axis : points->axis) axis.meter(meter);
  }
}

}  // namespace farfield::cpu

#include "backends/cpu/boxes/tree.hpp"

#include <farfield/error.hpp>
#include <new>

#include "backends/cpu/boxes/boxes.hpp"
#include "backends/cpu/boxes/keys.hpp"
#include "backends/cpu/boxes/lists.hpp"

namespace farfield::cpu {
namespace {

Cloud cloud_of(const Points& points, const Geometry& geometry, const Lattice& lattice) {
  return {points, Scaling(geometry.exponent), lattice, {}, {}};
}

void sort_cloud(Cloud& cloud, int threads) {
  sort_items(cloud.items.data(), cloud.scratch.data(), cloud.count(), threads);
}

void build_stages(CpuTree& built, const Points& source_points, const Points* target_points, const Geometry& geometry,
                  const TreeOptions& options) {
  const auto mark = [&](const char* stage) {
    if (options.mark) options.mark(stage);
  };
  mark("");
  built.alike = target_points == nullptr;
  const Lattice lattice = make_lattice(geometry, options.root);
  Cloud sources = cloud_of(source_points, geometry, lattice);
  Cloud targets = built.alike ? Cloud() : cloud_of(*target_points, geometry, lattice);

  make_items(sources, options.threads);
  make_items(targets, options.threads);
  mark("keys");

  sort_cloud(sources, options.threads);
  sort_cloud(targets, options.threads);
  mark("sort");

  build_boxes(built.tree, sources, built.alike ? nullptr : &targets, options);
  sources.scratch.release();
  targets.scratch.release();
  mark("boxes");

  gather(built.sources, sources, options.threads);
  gather(built.targets, targets, options.threads);
  sources.items.release();
  targets.items.release();
  mark("gather");

  const double* const target[3] = {built.placed_targets().axis[0], built.placed_targets().axis[1],
                                   built.placed_targets().axis[2]};
  if (options.acceptance.theta > 0)
    build_accepted(built.lists, built.tree.view(), target, options.acceptance, options.expandable, options.thresholds,
                   options.threads);
  else
    build_lists(built.lists, built.tree.view(), options.thresholds, options.threads);
  mark("lists");
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
  if (!targets) built.targets.release();  // of an earlier build
  for (const Points* points : {&sources, targets}) {
    if (!points) continue;
    Cloud cloud = cloud_of(*points, geometry, {});
    require_indices(cloud.count());
    cloud.items.resize(cloud.count());
    for (std::int64_t i = 0; i < cloud.count(); ++i) cloud.items[i] = static_cast<Item>(i);
    gather(points == &sources ? built.sources : built.targets, cloud, threads);
  }
}

}  // namespace farfield::cpu

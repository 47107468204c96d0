// CpuTree: a BuiltTree in host memory.
#pragma once
#include "backends/cpu/boxes/sort.hpp"
#include "model/placement.hpp"

namespace farfield::cpu {

struct CpuTree : BuiltTree<Array> {
  PlacedPoints placed_sources() const { return placed(sources, tree.view().source_begin, tree.view().source_end); }
  PlacedPoints placed_targets() const {
    return placed(target_points(), tree.view().target_begin, tree.view().target_end);
  }

 private:
  static PlacedPoints placed(const SortedPoints& p, const std::int64_t* begin, const std::int64_t* end) {
    return {{p.axis[0].data(), p.axis[1].data(), p.axis[2].data()}, begin, end};
  }
};

/// Builds everything anew. `geometry` is the survey of the same points; `targets` null: the targets are the sources.
/// Without sources, all source ranges are empty; without targets, all target ranges; without both there are no boxes.
void build(CpuTree& built, const Points& sources, const Points* targets, const Geometry& geometry,
           const TreeOptions& options);

/// No tree: scaled points in the caller's order, for the direct sum.
void read_points(CpuTree& built, const Points& sources, const Points* targets, const Geometry& geometry, int threads);

}  // namespace farfield::cpu

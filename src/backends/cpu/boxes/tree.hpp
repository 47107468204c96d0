// CpuTree: sorted points, boxes and lists in host memory: everything that stages need of the points.
#pragma once
#include <farfield/views.hpp>
#include <functional>

#include "backends/cpu/boxes/sort.hpp"
#include "core/array.hpp"
#include "model/placement.hpp"
#include "tree/geometry.hpp"
#include "tree/lists.hpp"
#include "tree/tree.hpp"

namespace farfield::cpu {

struct TreeOptions {
  int m = 1, k = 0;             ///< the data's largest side spans m boxes of level k, see make_lattice
  std::int64_t leaf_size = 64;  ///< most sources or targets of a leaf
  int depth = -1;               ///< >= 0: uniform tree with all leaves at this level
  ListThresholds thresholds;
  int threads = 0;
  /// Called after every stage with its name (keys, sort, boxes, gather, lists) and its seconds.
  std::function<void(const char*, double)> timed;
};

struct CpuTree {
  Lattice lattice;
  Tree<Array> tree;
  Lists<Array> lists;
  SortedPoints sources, targets;  ///< `targets` is empty where `alike`
  bool alike = true;

  const SortedPoints& target_points() const { return alike ? sources : targets; }
  PlacedPoints placed_sources() const { return placed(sources, tree.view().source_begin, tree.view().source_end); }
  PlacedPoints placed_targets() const {
    return placed(target_points(), tree.view().target_begin, tree.view().target_end);
  }
  /// Makes every array count its bytes in `meter`. To be called before the first build.
  void count_bytes_in(MemoryMeter& meter);

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

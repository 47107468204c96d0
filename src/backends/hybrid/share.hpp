// The share of the targets whose far field the device sums, too: whole subtrees, the first in Morton order. Pure
// functions of what both halves have taken, or are expected to take.
#pragma once
#include <cstdint>
#include <farfield/report.hpp>

#include "core/array.hpp"
#include "model/decision.hpp"
#include "tree/tree.hpp"

namespace farfield::hybrid {

/// Seconds of an evaluation. `up`: p2m and m2m, which both halves do for all sources once there is a share; `down`: the
/// stages from m2l to m2p for all targets.
struct Pace {
  double near = 0, device_up = 0, device_down = 0;
  double cores_up = 0, cores_down = 0;
};

/// By the cost model, from the counts of a tree.
struct TreeCounts {
  double sources = 0, targets = 0, boxes = 0, near_pairs = 0, translations = 0;
};
Pace expected_pace(const Decision& decision, const TreeCounts& counts, int threads);

/// With which both halves end at the same time, 0 to 1; 0 where the device would gain less than it takes to begin, or
/// has enough to do with the near field.
double best_share(const Pace& pace);

/// The number of sorted targets of that share: up to the edge of a box, of which the tree has some hundreds.
std::int64_t share_of_targets(const TreeView& tree, double share);

/// A tree of which only targets [first, last) are there, for stages that leave out boxes without targets.
class ClippedTree {
 public:
  TreeView of(const TreeView& tree, std::int64_t first, std::int64_t last, int threads);
  void use(HostMemory& memory) { use_all(memory, begin_, end_); }

 private:
  Array<std::int64_t> begin_, end_;
};

}  // namespace farfield::hybrid

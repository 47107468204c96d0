// Partition: which rank owns which part of the tree.
//
// All ranks count their points, sources and targets, in the boxes of the top of the tree, several levels at a time, and
// add the counts up, so that all have the same coarse tree. A box is divided while it holds more than a twentieth of a
// rank's share, farther where a border between two shares falls into it, and only where one plan over all points would
// divide it, too: so what remains are boxes of that plan's tree.
// In Morton order they are cut into one piece per rank, as large as it is to be (pieces.hpp, cuts.hpp). Boxes above the
// cuts are shared: no rank owns them. None of these is summed as pairs, so that a rank need not hold all its sources.
#pragma once
#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "distributed/ranks.hpp"
#include "distributed/share/places.hpp"
#include "model/decision.hpp"
#include "tree/built_tree.hpp"

namespace farfield::distributed {

/// Points of all ranks in a box, in the order of one tree over all of them.
struct Held {
  std::int64_t begin = 0, count = 0;
};

struct CoarseBox {
  Place corner;
  int level = 0;
  Held sources, targets;  ///< the same where targets are the sources
  int first_child = -1, children = 0;
  int first_rank = 0, last_rank = 0;  ///< owners of its first and last piece
  bool is_leaf() const { return first_child < 0; }
  bool shared() const { return first_rank != last_rank; }
};

/// The shared boxes, level by level, each level in Morton order.
struct SharedBoxes {
  std::vector<Place> corner;
  int level_begin[max_levels + 2] = {};
  /// `corners`: these, in the memory of who looks at them.
  DividedBoxes divided(const Place* corners) const {
    DividedBoxes divided{reinterpret_cast<const std::int64_t(*)[3]>(corners), {}};
    std::copy(std::begin(level_begin), std::end(level_begin), divided.level_begin);
    return divided;
  }
};

struct Partition {
  Lattice lattice;
  std::vector<CoarseBox> boxes;                          ///< level by level, each level in Morton order
  std::vector<Range> ranges;                             ///< of the ranks
  std::vector<std::int32_t> source_owner, target_owner;  ///< of this rank's points; no targets: they are the sources
  std::vector<std::int64_t> passed_to[2];                ///< [ranks]: of this rank's sources, and of its targets
  /// Where the points of each rank begin in the order of one tree over all points; [ranks + 1].
  Begins firsts(Held CoarseBox::*kind) const;
  /// The number of a shared box, or -1.
  int shared_box(const Place& corner, int level) const;
  SharedBoxes shared_boxes() const;
};

/// The points that this rank was given; no targets: these are the sources.
struct Given {
  Points sources;
  const Points* targets;
  Order order = Order::given;              ///< owned: they stay where they are if they can
  bool at_sources = false;                 ///< the targets end with the sources
  std::span<const Capacity> capacities{};  ///< of all ranks; none: they are alike
  std::int64_t behind = -1;                ///< as in NearPoints
  /// Targets that are not behind those of all ranks.
  std::int64_t first_set() const { return at_sources || behind < 0 ? apart() : targets->count - behind; }
  /// Targets that are not sources.
  std::int64_t apart() const { return !targets ? 0 : targets->count - (at_sources ? sources.count : 0); }
};

/// The same boxes and ranges on all ranks. `geometry`: of all points.
Partition divide(Ranks& ranks, const Given& given, const Geometry& geometry, const Decision& decision);

}  // namespace farfield::distributed

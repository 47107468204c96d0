// The essential tree, as seen by the sender: which of its boxes another rank needs, from that rank's range alone.
//
// A target t of rank R uses source box b only if the parent of b touches t or an ancestor of t of the parent's level:
// - m2l: b is a child of a colleague of the parent of t, or of an ancestor of t;
// - m2p, and p2p with boxes of few sources: the parent of b touches the leaf t, which is of its level or coarser;
// and it uses the points of a leaf b only if b itself touches, on its own level, t or an ancestor of t (p2p, p2l). So
// every box goes to the ranks whose range meets its parent or a box of its parent's level that touches it, together
// with all its siblings; a leaf's points go where the same holds of the leaf itself, those of a box of few sources (all
// of which may be summed as pairs) with the box. Where a range holds no points, a few boxes too many are sent.
#pragma once
#include <vector>

#include "distributed/partition/partition.hpp"
#include "tree/tree.hpp"

namespace farfield::distributed {

/// Points [begin, end) in the order of one tree over all points.
struct Interval {
  std::int64_t begin, end;
};
/// Sorts intervals and joins those that overlap or touch.
void unite(std::vector<Interval>& intervals);

/// A box that goes to another rank.
struct BoxRecord {
  Place corner;
  Held sources, targets;  ///< in the order of one tree over all points
  std::int32_t level;
  std::int32_t with_points;  ///< are they sent?
};

/// What one other rank needs of this one.
struct Needed {
  std::vector<BoxId> boxes;         ///< by level, in Morton order
  std::vector<char> with_points;    ///< of each box
  std::vector<Interval> intervals;  ///< of points, counted from the first one of this rank
};

/// Lowest corners of the boxes of a tree.
std::vector<Place> corners_of(const TreeView& tree);

/// For every rank what it needs of this rank's tree; `few`: up to so many sources of a box are summed as pairs.
std::vector<Needed> needed_by_others(const TreeView& tree, const std::vector<Place>& corners,
                                     const Partition& partition, int own_rank, std::int64_t few);

}  // namespace farfield::distributed

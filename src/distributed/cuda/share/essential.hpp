// What other ranks need of this one (share/essential.hpp), found and packed in device memory.
#pragma once
#include "distributed/cuda/share/own.hpp"

namespace farfield::distributed {

/// A box that goes to another rank.
struct BoxRow {
  /// Instead of the parent's place among the boxes sent: it is the shared box of its level that lower ranks own, too,
  /// or the one whose first owner the sender is.
  enum Shared : std::int32_t { front = -1, back = -2 };
  double centre[3];
  Held sources, targets;  ///< in the order of one tree over all points
  std::int32_t parent;    ///< its place among the boxes sent to this rank
  std::int16_t level, octant;
  std::int64_t with_points;  ///< are they sent?
};

/// A source that goes to another rank.
struct PointRow {
  double x[3];
  std::int64_t number;  ///< in the order of one tree over all points
};

/// The points of a rank among those of Halos: numbers of the first one and of the last, and how many others do not
/// follow the one before them.
struct PointRuns {
  std::int64_t first = 0, last = 0, gaps = 0;
};

/// What goes to other ranks or came from them: rows of rank r are [begin[r], begin[r + 1]), its boxes level by level.
struct Halos {
  OnDevice<BoxRow> boxes;
  OnDevice<PointRow> points;
  Begins box_begin, point_begin;
  std::vector<std::vector<std::int64_t>> levels;  ///< [ranks][max_levels + 1]: boxes of each level
  std::vector<PointRuns> runs;                    ///< [ranks]
};

/// `few`: up to so many sources of a box are summed as pairs; `firsts`: first sources of the ranks, and how many of
/// all, empty where targets stand apart; `sources`: the own ones. Fills share.sends and Top::own.
Halos needed_by_others(DeviceShare& share, int rank, std::int64_t few, const Begins& firsts,
                       const farfield::cuda::Cloud& sources, farfield::cuda::DeviceMemory& memory);

}  // namespace farfield::distributed

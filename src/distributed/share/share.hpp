// Share: everything geometric that one rank holds. Three trees:
// - its own, over the points that it owns: from it multipoles are made (p2m, m2m);
// - the top, the boxes that several ranks share and their children: the same on all ranks, which all repeat m2m there;
// - the essential one, where it sums (m2l to p2p): its own boxes and the shared ones, among the ghosts, boxes of others
//   that it needs. Ghosts are sources only. Order of boxes, lists and points is that of one tree over all points.
#pragma once
#include "backends/cpu/boxes/tree.hpp"
#include "distributed/share/essential.hpp"
#include "distributed/share/route.hpp"

namespace farfield::distributed {

/// The rank's own tree.
struct Owned {
  Tree<Array> tree;
  cpu::SortedPoints points;
  std::vector<Place> corners;
  std::int64_t first = 0;  ///< of its points in the order of one tree over all points
  BoxId find(const Place& corner, int level) const;
};

/// The shared boxes and their children.
struct Top {
  Tree<Array> tree;
  std::vector<Place> corners;
  std::vector<char> shared;                 ///< [boxes]
  std::vector<std::vector<BoxId>> of_rank;  ///< boxes whose multipoles each rank makes
  std::vector<BoxId> own;                   ///< of_rank of this rank: in its own tree
};

/// Boxes and points that go to another rank, or come from it.
struct Halo {
  std::vector<BoxId> boxes;         ///< those with multipoles; in the own tree, or in the essential one
  std::vector<Interval> intervals;  ///< of the own points, or of those of the essential tree
  std::int64_t points() const;
};

struct Essential {
  Tree<Array> tree;
  Lists<Array> lists;
  cpu::SortedPoints points;  ///< sources, of which [first, first + owned) are the targets; also gaps, see share.cpp
  std::int64_t first = 0;
  std::vector<BoxId> from_own;  ///< [boxes]: in the own tree, or no_box
  std::vector<BoxId> from_top;  ///< [boxes]: in the top, or no_box
  std::int64_t ghosts = 0;      ///< points of others
};

struct Share {
  Partition partition;
  Route route;
  Owned own;
  Top top;
  Essential essential;
  std::vector<Halo> sends, receives;  ///< by rank
  std::int64_t owned() const { return own.points.count; }
};

/// `points`: this rank's; `geometry`: of all.
Share make_share(Ranks& ranks, const Points& points, const Geometry& geometry, const Decision& decision, int threads);

}  // namespace farfield::distributed

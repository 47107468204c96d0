// Share: everything geometric that one rank holds. Three trees:
// - its own, over the points that it owns: from it multipoles are made (p2m, m2m);
// - the top, the boxes that several ranks share and their children: the same on all ranks, which all repeat m2m there;
// - the essential one, where it sums (m2l to p2p): its own boxes and the shared ones, among the ghosts, boxes of others
//   that it needs. Ghosts are sources only. Order of boxes, lists and points is that of one tree over all points.
#pragma once
#include <optional>

#include "backends/cpu/boxes/tree.hpp"
#include "distributed/route/carrier.hpp"
#include "distributed/share/essential.hpp"

namespace farfield::distributed {

/// Where results are wanted at targets and at the sources, the tree's targets are both, as the targets and then the
/// sources of one plan are.
struct Both {
  std::vector<std::int64_t> targets, sources;  ///< their places among the tree's targets, each set in its owned order
  std::vector<std::uint32_t> order;            ///< of `targets`: as which they arrived
};

/// The rank's own tree.
struct Owned {
  Tree<Array> tree;
  bool alike = true;                   ///< targets are the sources
  cpu::SortedPoints sources, targets;  ///< `targets` is empty where `alike`
  std::optional<Both> both;            ///< of `targets`, where they end with the sources
  std::vector<Place> corners;
  std::int64_t first_source = 0, first_target = 0;  ///< in the order of one tree over all points
  const cpu::SortedPoints& target_points() const { return alike ? sources : targets; }
  BoxId find(const Place& corner, int level) const;
};

/// The shared boxes and their children.
struct Top {
  Tree<Array> tree;
  std::vector<Place> corners;
  std::vector<std::size_t> coarse;          ///< [boxes]: in the partition
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

/// Has a box of so many sources a multipole that others want?
FARFIELD_HD bool has_multipole(std::int64_t sources, int level) { return sources > 0 && level >= 2; }

struct Essential {
  Tree<Array> tree;
  Lists<Array> lists;
  cpu::SortedPoints sources;  ///< of which the rank's own are [first, first + owned); also gaps, see merge.cpp
  cpu::SortedPoints targets;  ///< its own; empty where targets are the sources
  bool alike = true;
  std::int64_t first = 0;
  const cpu::SortedPoints& target_points() const { return alike ? sources : targets; }
  std::int64_t first_target() const { return alike ? first : 0; }
  std::vector<BoxId> from_own;  ///< [boxes]: in the own tree, or no_box
  std::vector<BoxId> from_top;  ///< [boxes]: in the top, or no_box
  std::vector<Held> held;       ///< [boxes]: targets of all ranks
  std::vector<BoxId> mine;      ///< its own boxes, and of shared ones those whose first points it owns
  std::vector<BoxId> summed;    ///< the same, but of shared ones those whose first targets it owns
  std::int64_t ghosts = 0;      ///< points of others
};

struct Share {
  Partition partition;
  Route source_route, target_route_apart;
  Owned own;
  Top top;
  Essential essential;
  std::vector<Halo> sends, receives;  ///< by rank
  /// Of the caller's arrays, which are in this order.
  Carrier source_carrier(Order order) const {
    return {order, source_route, own.sources.order.data(), own.sources.count};
  }
  /// Of those at the sources, too, only where targets are the sources.
  Carrier target_carrier(Order order) const {
    if (own.alike) return source_carrier(order);
    if (own.both) return {order, target_route_apart, own.both->order.data(), std::ssize(own.both->order)};
    return {order, target_route_apart, own.targets.order.data(), own.targets.count};
  }
  std::int64_t targets() const { return own.target_points().count; }
};

/// Which of the tree's targets are sources: those that arrived behind `apart` others.
Both both_of(const Owned& own, std::int64_t apart);

/// `geometry`: of all points.
Share make_share(Ranks& ranks, const Given& given, const Geometry& geometry, const Decision& decision, int threads);

/// Of the tree over a rank's own points, without the shared boxes, which are divided in any case. `threads`: on the
/// CPU.
TreeOptions own_tree_options(const Decision& decision, int threads = 0);

}  // namespace farfield::distributed

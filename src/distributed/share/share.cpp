#include "distributed/share/share.hpp"

#include <algorithm>
#include <farfield/error.hpp>

#include "backends/cpu/boxes/boxes.hpp"
#include "distributed/share/merge.hpp"
#include "distributed/share/top.hpp"
#include "tree/reader.hpp"

namespace farfield::distributed {

std::int64_t Halo::points() const {
  std::int64_t count = 0;
  for (const Interval& one : intervals) count += one.end - one.begin;
  return count;
}

BoxId Owned::find(const Place& corner, int level) const {
  if (level >= tree.levels) return no_box;
  const auto begin = corners.begin() + tree.level_begin[level], end = corners.begin() + tree.level_begin[level + 1];
  const auto found = std::lower_bound(begin, end, corner, before);
  return found != end && *found == corner ? static_cast<BoxId>(found - corners.begin()) : no_box;
}

namespace {

/// This rank's share of one kind of points.
std::vector<double> owned_points(Ranks& ranks, const Route& route, const Points& given) {
  const AnyReader read(given, Scaling());
  return route.to_owners<double>(ranks, 3, [&](std::uint32_t i, double* to) {
    for (int axis = 0; axis < 3; ++axis) to[axis] = read.raw(i, axis);
  });
}

/// The targets that this rank owns, and behind them the sources where results are wanted at these, too.
std::vector<double> owned_targets(Ranks& ranks, const Share& share, const Given& given,
                                  const std::vector<double>& sources) {
  if (!given.targets) return {};
  Points apart = *given.targets;
  apart.count = given.apart();
  std::vector<double> targets = owned_points(ranks, share.target_route_apart, apart);
  if (given.at_sources) targets.insert(targets.end(), sources.begin(), sources.end());
  return targets;
}

}  // namespace

Both both_of(const Owned& own, std::int64_t apart) {
  std::vector<std::int64_t> place(static_cast<std::size_t>(own.sources.count));
  Both both;
  for (std::int64_t i = 0; i < own.targets.count; ++i)
    if (const std::int64_t arrived = own.targets.order[i]; arrived < apart)
      both.targets.push_back(i), both.order.push_back(own.targets.order[i]);
    else
      place[static_cast<std::size_t>(arrived - apart)] = i;
  for (std::int64_t i = 0; i < own.sources.count; ++i) both.sources.push_back(place[own.sources.order[i]]);
  return both;
}

TreeOptions own_tree_options(const Decision& d, int threads) {
  return {.root = d.root,
          .leaf_size = d.leaf_size,
          .depth = d.depth,
          .thresholds = d.thresholds,
          .mark = {},
          .threads = threads,
          .least_edge = d.least_edge};
}

namespace {

/// Brings the points to their owners and builds the tree over those of this rank.
void build_own(Ranks& ranks, Share& share, const Given& given, const Geometry& geometry, const Decision& d,
               int threads) {
  Owned& own = share.own;
  own.alike = given.targets == nullptr;
  const std::vector<double> source = owned_points(ranks, share.source_route, given.sources);
  const std::vector<double> target = owned_targets(ranks, share, given, source);
  const auto cloud_of = [&](const std::vector<double>& x) {
    cpu::Cloud cloud{points(x), Scaling(geometry.exponent), share.partition.lattice, {}, {}};
    cpu::make_items(cloud, threads);
    cpu::sort_items(cloud.items.data(), cloud.scratch.data(), cloud.count(), threads);
    return cloud;
  };
  cpu::Cloud sources = cloud_of(source), targets = cloud_of(target);
  TreeOptions options = own_tree_options(d, threads);
  const SharedBoxes shared = share.partition.shared_boxes();
  options.divided = shared.divided(shared.corner.data());
  cpu::build_boxes(own.tree, sources, own.alike ? nullptr : &targets, options);
  cpu::gather(own.sources, sources, threads);
  if (!own.alike) cpu::gather(own.targets, targets, threads);
  if (given.at_sources && !own.alike) own.both = both_of(own, own.targets.count - own.sources.count);
  own.corners = corners_of(own.tree.view());
}

void find_own(Top& top, const Owned& own, std::size_t rank) {
  for (const BoxId box : top.of_rank[rank]) {
    const BoxId found = own.find(top.corners[static_cast<std::size_t>(box)], top.tree.level[box]);
    if (found == no_box) throw Error(ErrorCode::internal, "a rank lacks a box that it owns; please report this");
    top.own.push_back(found);
  }
}

/// Vectors of targets reach beyond the last target of a box: what lies there is compared with the box's sources, which
/// decides how their pairs are summed. So a rank also holds the first points behind its own.
void add_points_behind(std::vector<Needed>& needed, const Begins& firsts, int own_rank) {
  const auto own = static_cast<std::size_t>(own_rank);
  for (std::size_t r = 0; r < own; ++r) {
    const std::int64_t behind = firsts[r + 1];
    const std::int64_t begin = std::max(firsts[own], behind), end = std::min(firsts[own + 1], behind + padding);
    if (firsts[r] == behind || begin >= end) continue;
    needed[r].intervals.push_back({begin - firsts[own], end - firsts[own]});
    unite(needed[r].intervals);
  }
}

/// `counts`: three kinds for each rank.
Begins begins_of_kind(const std::vector<std::int64_t>& counts, std::size_t kind) {
  std::vector<std::int64_t> of_kind;
  for (std::size_t i = kind; i < counts.size(); i += 3) of_kind.push_back(counts[i]);
  return begins_of(of_kind);
}

/// Sends what others need, and receives.
Received exchange_halos(Ranks& ranks, Share& share, const std::vector<Needed>& needed) {
  const TreeView own = share.own.tree.view();
  std::vector<BoxRecord> boxes;
  std::vector<Interval> intervals;
  std::vector<double> x;
  std::vector<std::int64_t> counts;  // for each rank one of each kind
  for (const Needed& by : needed) {
    for (std::size_t k = 0; k < by.boxes.size(); ++k) {
      const BoxId b = by.boxes[k];
      boxes.push_back({share.own.corners[static_cast<std::size_t>(b)],
                       {share.own.first_source + own.source_begin[b], own.source_count(b)},
                       {share.own.first_target + own.target_begin[b], own.target_count(b)},
                       own.level[b],
                       by.with_points[k]});
    }
    for (const Interval& one : by.intervals) {
      intervals.push_back({share.own.first_source + one.begin, share.own.first_source + one.end});
      for (std::int64_t i = one.begin; i < one.end; ++i)
        for (const Array<double>& axis : share.own.sources.axis) x.push_back(axis[i]);
    }
    Halo halo{{}, by.intervals};
    for (const BoxId b : by.boxes)
      if (has_multipole(own.source_count(b), own.level[b])) halo.boxes.push_back(b);
    counts.insert(counts.end(), {std::ssize(by.boxes), std::ssize(by.intervals), halo.points()});
    share.sends.push_back(std::move(halo));
  }
  Received received;
  const std::vector<std::int64_t> came = ranks.exchange_numbers(counts, 3);
  received.box_begin = begins_of_kind(came, 0), received.interval_begin = begins_of_kind(came, 1);
  const Begins point_begin = begins_of_kind(came, 2);
  received.boxes.resize(static_cast<std::size_t>(received.box_begin.back()));
  received.intervals.resize(static_cast<std::size_t>(received.interval_begin.back()));
  received.x.resize(static_cast<std::size_t>(3 * point_begin.back()));
  ranks.exchange(boxes.data(), begins_of_kind(counts, 0), received.boxes.data(), received.box_begin);
  ranks.exchange(intervals.data(), begins_of_kind(counts, 1), received.intervals.data(), received.interval_begin);
  ranks.exchange(x.data(), begins_of_kind(counts, 2), received.x.data(), point_begin, 3);
  return received;
}

/// Targets apart from the sources: the rank's own and, for vectors that reach beyond a leaf, the first ones behind
/// them.
void place_targets(Ranks& ranks, Share& share) {
  struct Place3 {
    std::int64_t number;
    double x[3];
  };
  const cpu::SortedPoints& own = share.own.targets;
  std::vector<Place3> first;
  for (std::int64_t i = 0; i < std::min(own.count, padding); ++i)
    first.push_back({share.own.first_target + i, {own.axis[0][i], own.axis[1][i], own.axis[2][i]}});
  cpu::SortedPoints& targets = share.essential.targets;
  targets.resize(own.count);
  std::copy_n(own.order.begin(), own.count, targets.order.begin());
  for (int axis = 0; axis < 3; ++axis) std::copy_n(own.axis[axis].begin(), own.count, targets.axis[axis].begin());
  cpu::pad(targets);
  const std::int64_t behind = share.own.first_target + own.count;
  for (const Place3& other : ranks.gather_all(first))
    for (std::int64_t i = other.number - behind; own.count > 0 && i >= 0 && i < padding; ++i)  // repeated, as by pad
      for (int axis = 0; axis < 3; ++axis) targets.axis[axis][own.count + i] = other.x[axis];
}

}  // namespace

Share make_share(Ranks& ranks, const Given& given, const Geometry& geometry, const Decision& decision, int threads) {
  Share share;
  share.partition = divide(ranks, given, geometry, decision);
  share.source_route = Route(ranks, share.partition.source_owner);
  share.partition.target_owner.resize(static_cast<std::size_t>(given.apart()));
  if (given.targets) share.target_route_apart = Route(ranks, share.partition.target_owner);
  build_own(ranks, share, given, geometry, decision, threads);
  Owned& own = share.own;
  const auto rank = static_cast<std::size_t>(ranks.rank());
  const Begins sources = begins_of(ranks.all_gather(own.sources.count)),
               targets = begins_of(ranks.all_gather(own.target_points().count));
  own.first_source = sources[rank], own.first_target = targets[rank];
  share.essential.alike = own.alike;
  share.top = make_top(share.partition);
  find_own(share.top, own, rank);
  std::vector<Needed> needed =
      needed_by_others(own.tree.view(), own.corners, share.partition, ranks.rank(), decision.thresholds.m2p_sources);
  if (own.alike)
    add_points_behind(needed, sources, ranks.rank());
  else
    place_targets(ranks, share);
  share.receives.resize(static_cast<std::size_t>(ranks.size()));
  const Received received = exchange_halos(ranks, share, needed);
  merge(share, received, ranks.rank(), decision.thresholds, threads);
  return share;
}

}  // namespace farfield::distributed

#include "distributed/share/share.hpp"

#include <algorithm>
#include <farfield/error.hpp>

#include "backends/cpu/boxes/boxes.hpp"
#include "backends/cpu/boxes/lists.hpp"
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

/// Brings the points to their owners and builds the tree over those of this rank.
void build_own(Ranks& ranks, Share& share, const Points& given, const Geometry& geometry, const Decision& d,
               int threads) {
  const AnyReader read(given, Scaling());
  const std::vector<double> owned = share.route.to_owners<double>(ranks, 3, [&](std::uint32_t i, double* to) {
    for (int axis = 0; axis < 3; ++axis) to[axis] = read.raw(i, axis);
  });
  cpu::Cloud cloud{points(owned), Scaling(geometry.exponent), share.partition.lattice, {}, {}};
  TreeOptions options{.m = d.m,
                      .k = d.k,
                      .leaf_size = d.leaf_size,
                      .depth = d.depth,
                      .thresholds = d.thresholds,
                      .mark = {},
                      .threads = threads};
  options.divided = [&](const std::int64_t corner[3], int level) {
    return share.partition.shared_box({{corner[0], corner[1], corner[2]}}, level) >= 0;
  };
  cpu::make_items(cloud, threads);
  cpu::sort_items(cloud.items.data(), cloud.scratch.data(), cloud.count(), threads);
  cpu::build_boxes(share.own.tree, cloud, nullptr, options);
  cpu::gather(share.own.points, cloud, threads);
  share.own.corners = corners_of(share.own.tree.view());
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

/// A box of the essential tree while it is put together.
struct Entry {
  Place corner;
  std::int64_t begin, count;  ///< of sources; begin: in the order of one tree over all points, -1 without points here
  std::int32_t level;
  BoxId own = no_box, top = no_box;
  std::int32_t from = -1;  ///< a ghost's rank
};

bool comes_before(const Entry& a, const Entry& b) {
  return a.level != b.level ? a.level < b.level : before(a.corner, b.corner);
}

/// What came from the others.
struct Received {
  std::vector<BoxRecord> boxes;
  std::vector<Interval> intervals;  ///< in the order of one tree over all points
  std::vector<double> x;            ///< [points][3], scaled
  Begins box_begin, interval_begin;
};

class Merger {
 public:
  Merger(Share& share, const Received& received) : share_(share), received_(received) {}

  void run(const ListThresholds& thresholds, int threads) {
    if (share_.owned() == 0) return;
    place_points();
    make_entries();
    store();
    cpu::find_colleagues(share_.essential.tree, threads);
    cpu::build_lists(share_.essential.lists, share_.essential.tree.view(), thresholds, threads);
  }

 private:
  void place_points();
  std::int64_t place_of(std::int64_t point) const;
  void copy_points();
  void make_entries();
  void store();
  void store_box(BoxId box, const Entry& entry);
  void link(BoxId box, BoxId& parent);

  Share& share_;
  const Received& received_;
  std::vector<Interval> held_;       ///< points here, in the order of one tree over all points
  std::vector<std::int64_t> place_;  ///< where each of these intervals begins
  std::vector<Entry> entries_;
};

/// Between intervals that do not follow one another lies an element that belongs to no box, so that p2p, which joins
/// boxes that do, joins the same ones as in one tree over all points.
void Merger::place_points() {
  held_ = received_.intervals;
  held_.push_back({share_.own.first, share_.own.first + share_.owned()});
  unite(held_);
  std::int64_t next = 0;
  for (const Interval& one : held_) {
    place_.push_back(next);
    next += one.end - one.begin + 1;
  }
  Essential& e = share_.essential;
  e.points.resize(next - 1);
  e.first = place_of(share_.own.first);
  for (std::size_t r = 0; r + 1 < received_.interval_begin.size(); ++r)
    for (std::int64_t i = received_.interval_begin[r]; i < received_.interval_begin[r + 1]; ++i) {
      const Interval& one = received_.intervals[static_cast<std::size_t>(i)];
      const std::int64_t at = place_of(one.begin);
      share_.receives[r].intervals.push_back({at, at + one.end - one.begin});
    }
  copy_points();
}

std::int64_t Merger::place_of(std::int64_t point) const {
  const auto after = std::upper_bound(held_.begin(), held_.end(), point,
                                      [](std::int64_t p, const Interval& one) { return p < one.begin; });
  const auto k = static_cast<std::size_t>(after - held_.begin()) - 1;
  return place_[k] + point - held_[k].begin;
}

void Merger::copy_points() {
  Essential& e = share_.essential;
  const cpu::SortedPoints& own = share_.own.points;
  std::fill_n(e.points.order.begin(), e.points.count, 0u);
  for (int axis = 0; axis < 3; ++axis) {
    double* to = e.points.axis[axis].data();
    std::fill_n(to, e.points.count, own.axis[axis][0]);  // gaps, too, hold a number
    std::copy_n(own.axis[axis].begin(), own.count, to + e.first);
    const double* from = received_.x.data() + axis;
    for (const Halo& halo : share_.receives)
      for (const Interval& one : halo.intervals)
        for (std::int64_t i = one.begin; i < one.end; ++i, from += 3) to[i] = *from;
  }
  for (const Halo& halo : share_.receives) e.ghosts += halo.points();
  std::copy_n(own.order.begin(), own.count, e.points.order.begin() + e.first);
  cpu::pad(e.points);
}

void Merger::make_entries() {
  const TreeView own = share_.own.tree.view();
  const Top& top = share_.top;
  for (BoxId b = 0; b < top.tree.boxes; ++b)
    if (const auto i = static_cast<std::size_t>(b); top.shared[i])
      entries_.push_back({top.corners[i], -1, top.tree.view().source_count(b), top.tree.level[b],
                          share_.own.find(top.corners[i], top.tree.level[b]), b});
  for (std::size_t r = 0; r + 1 < received_.box_begin.size(); ++r)
    for (std::int64_t i = received_.box_begin[r]; i < received_.box_begin[r + 1]; ++i) {
      const BoxRecord& box = received_.boxes[static_cast<std::size_t>(i)];
      entries_.push_back({box.corner, box.with_points ? box.begin : -1, box.count, box.level, no_box, no_box,
                          static_cast<std::int32_t>(r)});
    }
  std::sort(entries_.begin(), entries_.end(), comes_before);
  std::vector<Entry> others = std::move(entries_), mine;
  for (BoxId b = 0; b < own.boxes; ++b) {
    const Place& corner = share_.own.corners[static_cast<std::size_t>(b)];
    if (share_.partition.shared_box(corner, own.level[b]) < 0)
      mine.push_back({corner, share_.own.first + own.source_begin[b], own.source_count(b), own.level[b], b});
  }
  entries_.resize(others.size() + mine.size());
  std::merge(others.begin(), others.end(), mine.begin(), mine.end(), entries_.begin(), comes_before);
}

void Merger::store_box(BoxId box, const Entry& entry) {
  Essential& e = share_.essential;
  const Owned& own = share_.own;
  e.tree.level[box] = static_cast<std::int8_t>(entry.level);
  for (int axis = 0; axis < 3; ++axis)
    e.tree.centre[axis * std::int64_t(e.tree.boxes) + box] =
        e.tree.lattice.centre(entry.corner.at[axis], entry.level, axis);
  e.tree.parent[box] = e.tree.first_child[box] = no_box;
  e.tree.child_mask[box] = 0;
  e.tree.octant[box] =
      static_cast<std::uint8_t>(entry.level == 0 ? 0 : octant_of(entry.corner, e.tree.lattice, entry.level));
  const std::int64_t begin = entry.begin < 0 ? 0 : place_of(entry.begin);  // of a box without points only the count
  e.tree.source_begin[box] = begin, e.tree.source_end[box] = begin + entry.count;
  const bool has_targets = entry.own != no_box;
  e.tree.target_begin[box] = has_targets ? e.first + own.tree.source_begin[entry.own] : 0;
  e.tree.target_end[box] = has_targets ? e.first + own.tree.source_end[entry.own] : 0;
  e.from_own[static_cast<std::size_t>(box)] = entry.top == no_box ? entry.own : no_box;
  e.from_top[static_cast<std::size_t>(box)] = entry.top;
  if (entry.from >= 0 && entry.level >= 2) share_.receives[static_cast<std::size_t>(entry.from)].boxes.push_back(box);
}

/// Finds the parent, from that of the box before on.
void Merger::link(BoxId box, BoxId& parent) {
  Tree<Array>& tree = share_.essential.tree;
  const Place& corner = entries_[static_cast<std::size_t>(box)].corner;
  Place above = corner;
  const std::int64_t edge = edge_of(tree.lattice, tree.level[box] - 1);
  for (std::int64_t& index : above.at) index -= index % edge;
  while (parent < tree.level_begin[tree.level[box]] && entries_[static_cast<std::size_t>(parent)].corner != above)
    ++parent;
  if (parent == tree.level_begin[tree.level[box]])
    throw Error(ErrorCode::internal, "a ghost came without its parent; please report this");
  tree.parent[box] = parent;
  if (tree.child_mask[parent] == 0) tree.first_child[parent] = box;
  tree.child_mask[parent] = static_cast<std::uint8_t>(tree.child_mask[parent] | 1u << tree.octant[box]);
}

void Merger::store() {
  Essential& e = share_.essential;
  e.tree.lattice = share_.partition.lattice;
  e.tree.resize(static_cast<BoxId>(entries_.size()), 2);
  e.from_own.assign(entries_.size(), no_box);
  e.from_top.assign(entries_.size(), no_box);
  e.tree.levels = 0;
  for (BoxId box = 0; box < e.tree.boxes; ++box) {
    const Entry& entry = entries_[static_cast<std::size_t>(box)];
    while (e.tree.levels <= entry.level) e.tree.level_begin[e.tree.levels++] = box;
    store_box(box, entry);
  }
  e.tree.level_begin[e.tree.levels] = e.tree.boxes;
  for (int level = 1; level < e.tree.levels; ++level) {
    BoxId parent = e.tree.level_begin[level - 1];
    for (BoxId box = e.tree.level_begin[level]; box < e.tree.level_begin[level + 1]; ++box) link(box, parent);
  }
}

/// Sends what others need, and receives.
Received exchange_halos(Ranks& ranks, Share& share, const std::vector<Needed>& needed) {
  const TreeView own = share.own.tree.view();
  std::vector<BoxRecord> boxes;
  std::vector<Interval> intervals;
  std::vector<double> x;
  std::vector<std::int64_t> box_counts, interval_counts, point_counts;
  for (const Needed& by : needed) {
    for (std::size_t k = 0; k < by.boxes.size(); ++k) {
      const BoxId b = by.boxes[k];
      boxes.push_back({share.own.corners[static_cast<std::size_t>(b)], share.own.first + own.source_begin[b],
                       own.source_count(b), own.level[b], by.with_points[k]});
    }
    for (const Interval& one : by.intervals) {
      intervals.push_back({share.own.first + one.begin, share.own.first + one.end});
      for (std::int64_t i = one.begin; i < one.end; ++i)
        for (const Array<double>& axis : share.own.points.axis) x.push_back(axis[i]);
    }
    Halo halo{{}, by.intervals};
    for (const BoxId b : by.boxes)
      if (own.level[b] >= 2) halo.boxes.push_back(b);
    box_counts.push_back(std::ssize(by.boxes)), interval_counts.push_back(std::ssize(by.intervals));
    point_counts.push_back(halo.points());
    share.sends.push_back(std::move(halo));
  }
  Received received;
  received.box_begin = begins_of(ranks.exchange_counts(box_counts));
  received.interval_begin = begins_of(ranks.exchange_counts(interval_counts));
  const Begins point_begin = begins_of(ranks.exchange_counts(point_counts));
  received.boxes.resize(static_cast<std::size_t>(received.box_begin.back()));
  received.intervals.resize(static_cast<std::size_t>(received.interval_begin.back()));
  received.x.resize(static_cast<std::size_t>(3 * point_begin.back()));
  ranks.exchange(boxes.data(), begins_of(box_counts), received.boxes.data(), received.box_begin);
  ranks.exchange(intervals.data(), begins_of(interval_counts), received.intervals.data(), received.interval_begin);
  ranks.exchange(x.data(), begins_of(point_counts), received.x.data(), point_begin, 3);
  return received;
}

}  // namespace

Share make_share(Ranks& ranks, const Points& points, const Geometry& geometry, const Decision& decision, int threads) {
  Share share;
  share.partition = divide(ranks, points, geometry, decision);
  share.route = Route(ranks, share.partition.destination);
  build_own(ranks, share, points, geometry, decision, threads);
  const Begins firsts = begins_of(ranks.all_gather(share.owned()));
  share.own.first = firsts[static_cast<std::size_t>(ranks.rank())];
  share.top = make_top(share.partition, share.own, ranks.rank());
  std::vector<Needed> needed = needed_by_others(share.own.tree.view(), share.own.corners, share.partition, ranks.rank(),
                                                decision.thresholds.m2p_sources);
  add_points_behind(needed, firsts, ranks.rank());
  share.receives.resize(static_cast<std::size_t>(ranks.size()));
  const Received received = exchange_halos(ranks, share, needed);
  Merger(share, received).run(decision.thresholds, threads);
  return share;
}

}  // namespace farfield::distributed

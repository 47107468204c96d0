#include "distributed/share/merge.hpp"

#include <algorithm>
#include <farfield/error.hpp>
#include <limits>

#include "backends/cpu/boxes/boxes.hpp"
#include "backends/cpu/boxes/lists.hpp"

namespace farfield::distributed {
namespace {

/// A box of the essential tree while it is put together.
struct Entry {
  Place corner;
  Held sources, targets;  ///< in the order of one tree over all points
  std::int32_t level;
  bool with_points;  ///< are its sources here?
  BoxId own = no_box, top = no_box;
  std::int32_t from = -1;  ///< a ghost's rank
};

/// The index of ghosts among the points that arrived: that of no target here.
constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

bool comes_before(const Entry& a, const Entry& b) {
  return a.level != b.level ? a.level < b.level : before(a.corner, b.corner);
}

class Merger {
 public:
  Merger(Share& share, const Received& received, int rank) : share_(share), received_(received), rank_(rank) {}

  void run(const ListThresholds& thresholds, int threads) {
    if (share_.own.tree.boxes == 0) return;
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
  const CoarseBox& coarse_of(BoxId top) const {
    return share_.partition.boxes[share_.top.coarse[static_cast<std::size_t>(top)]];
  }

  Share& share_;
  const Received& received_;
  int rank_;
  std::vector<Interval> held_;       ///< sources here, in the order of one tree over all points
  std::vector<std::int64_t> place_;  ///< where each of these intervals begins
  std::vector<Entry> entries_;
};

/// Between intervals that do not follow one another lies an element that belongs to no box, so that p2p, which joins
/// boxes that do, joins the same ones as in one tree over all points.
void Merger::place_points() {
  held_ = received_.intervals;
  const std::int64_t own = share_.own.sources.count, first = share_.own.first_source;
  held_.push_back({first, first + own});
  unite(held_);
  std::int64_t next = 0;
  for (const Interval& one : held_) {
    place_.push_back(next);
    next += one.end - one.begin + 1;
  }
  Essential& e = share_.essential;
  e.sources.resize(std::max<std::int64_t>(0, next - 1));
  e.first = own > 0 ? place_of(first) : 0;
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
  const cpu::SortedPoints& own = share_.own.sources;
  std::fill_n(e.sources.order.begin(), e.sources.count, nobody);
  for (int axis = 0; axis < 3; ++axis) {
    double* to = e.sources.axis[axis].data();
    std::fill_n(to, e.sources.count, own.count > 0 ? own.axis[axis][0] : 0);  // gaps, too, hold a number
    std::copy_n(own.axis[axis].begin(), own.count, to + e.first);
    const double* from = received_.x.data() + axis;
    for (const Halo& halo : share_.receives)
      for (const Interval& one : halo.intervals)
        for (std::int64_t i = one.begin; i < one.end; ++i, from += 3) to[i] = *from;
  }
  for (const Halo& halo : share_.receives) e.ghosts += halo.points();
  std::copy_n(own.order.begin(), own.count, e.sources.order.begin() + e.first);
  cpu::pad(e.sources);
}

void Merger::make_entries() {
  const TreeView own = share_.own.tree.view();
  const Top& top = share_.top;
  for (BoxId b = 0; b < top.tree.boxes; ++b)
    if (const auto i = static_cast<std::size_t>(b); top.shared[i])
      entries_.push_back({top.corners[i], coarse_of(b).sources, coarse_of(b).targets, top.tree.level[b], false,
                          share_.own.find(top.corners[i], top.tree.level[b]), b});
  for (std::size_t r = 0; r + 1 < received_.box_begin.size(); ++r)
    for (std::int64_t i = received_.box_begin[r]; i < received_.box_begin[r + 1]; ++i) {
      const BoxRecord& box = received_.boxes[static_cast<std::size_t>(i)];
      entries_.push_back({box.corner, box.sources, box.targets, box.level, box.with_points != 0, no_box, no_box,
                          static_cast<std::int32_t>(r)});
    }
  std::sort(entries_.begin(), entries_.end(), comes_before);
  std::vector<Entry> others = std::move(entries_), mine;
  for (BoxId b = 0; b < own.boxes; ++b) {
    const Place& corner = share_.own.corners[static_cast<std::size_t>(b)];
    if (share_.partition.shared_box(corner, own.level[b]) < 0)
      mine.push_back({corner,
                      {share_.own.first_source + own.source_begin[b], own.source_count(b)},
                      {share_.own.first_target + own.target_begin[b], own.target_count(b)},
                      own.level[b],
                      own.source_count(b) > 0,
                      b});
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
  const std::int64_t begin = entry.with_points ? place_of(entry.sources.begin) : 0;  // else only the count is right
  e.held[static_cast<std::size_t>(box)] = entry.targets;
  e.tree.source_begin[box] = begin, e.tree.source_end[box] = begin + entry.sources.count;
  const TreeView of_own = own.tree.view();
  const bool is_own = entry.own != no_box;
  e.tree.target_begin[box] = is_own ? e.first_target() + of_own.target_begin[entry.own] : 0;
  e.tree.target_end[box] = is_own ? e.first_target() + of_own.target_end[entry.own] : 0;
  e.from_own[static_cast<std::size_t>(box)] = entry.top == no_box ? entry.own : no_box;
  e.from_top[static_cast<std::size_t>(box)] = entry.top;
  const std::int64_t first = entry.targets.begin - own.first_target;
  const bool has_first = entry.targets.count > 0 && first >= 0 && first < own.target_points().count;
  if (is_own && (entry.top == no_box || coarse_of(entry.top).first_rank == rank_)) e.mine.push_back(box);
  if (is_own && (entry.top == no_box || has_first)) e.summed.push_back(box);
  if (entry.from >= 0 && has_multipole(entry.sources.count, entry.level))
    share_.receives[static_cast<std::size_t>(entry.from)].boxes.push_back(box);
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
  e.held.resize(entries_.size());
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

}  // namespace

void merge(Share& share, const Received& received, int rank, const ListThresholds& thresholds, int threads) {
  Merger(share, received, rank).run(thresholds, threads);
}

}  // namespace farfield::distributed

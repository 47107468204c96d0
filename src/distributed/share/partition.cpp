#include "distributed/share/partition.hpp"

#include <limits>
#include <numeric>
#include <utility>

#include "distributed/share/cuts.hpp"
#include "tree/reader.hpp"

namespace farfield::distributed {
namespace {

constexpr std::int64_t pieces_per_rank = 20;  ///< a cut misses its aim by half a piece: 2.5 % of a rank's share

/// This rank's points of one kind, sources or targets.
struct OwnSet {
  struct Own {
    std::size_t begin, end;  ///< in `point`
  };
  AnyReader read;
  Held CoarseBox::*of_box;
  std::vector<std::uint32_t> point;  ///< indices of the points, those of a box together
  std::vector<Own> range;            ///< of the boxes
  std::vector<std::int32_t> owner;   ///< of each point

  OwnSet(const Points& points, int exponent, Held CoarseBox::*of)
      : read(points, Scaling(exponent)),
        of_box(of),
        point(static_cast<std::size_t>(points.count)),
        range{{0, point.size()}},
        owner(point.size()) {
    std::iota(point.begin(), point.end(), std::uint32_t(0));
  }
};

/// Counts one rank's points in the boxes of the coarse tree.
class Counter {
 public:
  Counter(Ranks& ranks, const Given& given, const Geometry& geometry, const Decision& decision)
      : ranks_(ranks), decision_(decision), order_(given.order), alike_(given.targets == nullptr) {
    partition_.lattice = make_lattice(geometry, decision.m, decision.k);
    finest_ = finest_relative_edge(partition_.lattice);
    sets_.emplace_back(given.sources, geometry.exponent, &CoarseBox::sources);
    if (given.targets) sets_.emplace_back(*given.targets, geometry.exponent, &CoarseBox::targets);
    root_.sources.count = geometry.sources;
    root_.targets.count = geometry.targets;
  }

  Partition run() {
    grow();
    cut();
    partition_.source_owner = std::move(sets_[0].owner);
    if (!alike_) partition_.target_owner = std::move(sets_[1].owner);
    return std::move(partition_);
  }

 private:
  std::int64_t points_of(const CoarseBox& box) const { return box.sources.count + (alike_ ? 0 : box.targets.count); }
  void grow();
  bool may_divide(const CoarseBox& box) const;
  void leave_out_heaps(Numbers& dividing);
  void count_children(OwnSet& set, const Numbers& dividing, Numbers& counts);
  void add_children(std::int64_t parent, const Numbers& local, const Numbers& all, std::size_t first);
  int child_at(const OwnSet& set, std::uint32_t point, int level) const;
  std::vector<std::size_t> leaves() const;
  std::vector<int> owners_of(const std::vector<std::size_t>& leaves);
  void cut();
  void place_parents();
  void close_ranges();
  void deal(std::size_t box, int rank);

  Ranks& ranks_;
  const Decision& decision_;
  Order order_;  ///< of the given points
  bool alike_;
  double finest_ = 0;
  CoarseBox root_;
  std::vector<OwnSet> sets_;
  Partition partition_;
};

/// Where the tree of one plan divides a box, but for points that all coincide.
bool Counter::may_divide(const CoarseBox& box) const {
  const std::int64_t sources = box.sources.count, most = std::max(sources, box.targets.count);
  if (points_of(box) <= points_of(root_) / (pieces_per_rank * ranks_.size())) return false;
  if (sources > 0 && sources <= decision_.thresholds.m2p_sources) return false;
  if (decision_.depth >= 0 ? box.level >= decision_.depth : most <= decision_.leaf_size) return false;
  return resolves_children(partition_.lattice, finest_, box.corner.at, box.level);
}

/// Leaves out boxes whose points all coincide, on all ranks.
void Counter::leave_out_heaps(Numbers& dividing) {
  std::vector<double> bounds(6 * dividing.size(), std::numeric_limits<double>::infinity());  // lowest x, and of -x
  for (const OwnSet& set : sets_)
    for (std::size_t k = 0; k < dividing.size(); ++k) {
      const OwnSet::Own& own = set.range[static_cast<std::size_t>(dividing[k])];
      for (std::size_t i = own.begin; i < own.end; ++i)
        for (int axis = 0; axis < 3; ++axis) {
          const double x = set.read(set.point[i], axis);
          double* bound = &bounds[6 * k + 2 * static_cast<std::size_t>(axis)];
          bound[0] = std::min(bound[0], x), bound[1] = std::min(bound[1], -x);
        }
    }
  ranks_.least(bounds);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < dividing.size(); ++k) {
    const double* b = &bounds[6 * k];
    if (b[0] != -b[1] || b[2] != -b[3] || b[4] != -b[5]) dividing[kept++] = dividing[k];
  }
  dividing.resize(kept);
}

int Counter::child_at(const OwnSet& set, std::uint32_t point, int level) const {
  const Lattice& lattice = partition_.lattice;
  int octant = 0;
  for (int axis = 0; axis < 3; ++axis)
    octant |= static_cast<int>(lattice.index(set.read(point, axis), axis) >> (lattice.depth - level - 1) & 1) << axis;
  return octant;
}

/// Sorts this rank's points of the boxes by their children; appends how many are in each.
void Counter::count_children(OwnSet& set, const Numbers& dividing, Numbers& counts) {
  const std::size_t first = counts.size();
  counts.resize(first + 8 * dividing.size(), 0);
  std::vector<std::uint32_t> sorted;
  std::vector<std::uint8_t> child;
  for (std::size_t k = 0; k < dividing.size(); ++k) {
    const auto box = static_cast<std::size_t>(dividing[k]);
    const OwnSet::Own own = set.range[box];
    std::int64_t* count = &counts[first + 8 * k];
    child.resize(own.end - own.begin), sorted.resize(child.size());
    for (std::size_t i = 0; i < child.size(); ++i) {
      child[i] = static_cast<std::uint8_t>(child_at(set, set.point[own.begin + i], partition_.boxes[box].level));
      ++count[child[i]];
    }
    std::int64_t next[8] = {};
    for (int o = 1; o < 8; ++o) next[o] = next[o - 1] + count[o - 1];
    for (std::size_t i = 0; i < child.size(); ++i)
      sorted[static_cast<std::size_t>(next[child[i]]++)] = set.point[own.begin + i];
    std::copy(sorted.begin(), sorted.end(), set.point.begin() + static_cast<std::ptrdiff_t>(own.begin));
  }
}

/// The counts of the k-th set begin k * (size of one set) behind `first`.
void Counter::add_children(std::int64_t parent, const Numbers& local, const Numbers& all, std::size_t first) {
  const auto p = static_cast<std::size_t>(parent);
  const CoarseBox box = partition_.boxes[p];
  const std::size_t set_size = all.size() / sets_.size();
  std::size_t begin[2] = {};
  for (std::size_t s = 0; s < sets_.size(); ++s) begin[s] = sets_[s].range[p].begin;
  partition_.boxes[p].first_child = static_cast<int>(partition_.boxes.size());
  for (std::size_t o = 0; o < 8; ++o) {
    CoarseBox child;
    for (std::size_t s = 0; s < sets_.size(); ++s) (child.*sets_[s].of_box).count = all[first + s * set_size + o];
    if (alike_) child.targets = child.sources;
    if (points_of(child) == 0) continue;
    child.corner = child_of(box.corner, partition_.lattice, box.level, static_cast<int>(o));
    child.level = box.level + 1;
    partition_.boxes.push_back(child);
    ++partition_.boxes[p].children;
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      const std::size_t end = begin[s] + static_cast<std::size_t>(local[first + s * set_size + o]);
      sets_[s].range.push_back({std::exchange(begin[s], end), end});
    }
  }
}

void Counter::grow() {
  partition_.boxes.push_back(root_);
  for (std::size_t begin = 0; begin < partition_.boxes.size();) {
    const std::size_t end = partition_.boxes.size();
    Numbers dividing, local;
    for (std::size_t b = begin; b < end; ++b)
      if (may_divide(partition_.boxes[b])) dividing.push_back(static_cast<std::int64_t>(b));
    if (decision_.depth < 0) leave_out_heaps(dividing);
    for (OwnSet& set : sets_) count_children(set, dividing, local);
    Numbers all = local;
    ranks_.add(all);
    for (std::size_t k = 0; k < dividing.size(); ++k) add_children(dividing[k], local, all, 8 * k);
    begin = end;
  }
}

/// Gives a leaf of the coarse tree to a rank.
void Counter::deal(std::size_t box, int rank) {
  CoarseBox& leaf = partition_.boxes[box];
  leaf.first_rank = leaf.last_rank = rank;
  Range& range = partition_.ranges[static_cast<std::size_t>(rank)];
  if (range.empty) range = {leaf.corner, {}, false, true};
  for (OwnSet& set : sets_)
    for (std::size_t i = set.range[box].begin; i < set.range[box].end; ++i) set.owner[set.point[i]] = rank;
}

/// Leaves of the coarse tree, in Morton order.
std::vector<std::size_t> Counter::leaves() const {
  const std::vector<CoarseBox>& boxes = partition_.boxes;
  std::vector<std::size_t> leaves, stack{0};
  while (!stack.empty()) {
    const std::size_t b = stack.back();
    stack.pop_back();
    if (boxes[b].is_leaf()) leaves.push_back(b);
    for (int c = boxes[b].children; c-- > 0;) stack.push_back(static_cast<std::size_t>(boxes[b].first_child + c));
  }
  return leaves;
}

std::vector<int> Counter::owners_of(const std::vector<std::size_t>& leaves) {
  Numbers points;
  for (const std::size_t b : leaves) {
    std::int64_t count = 0;
    for (const OwnSet& set : sets_) count += static_cast<std::int64_t>(set.range[b].end - set.range[b].begin);
    points.push_back(order_ == Order::owned ? count : points_of(partition_.boxes[b]));
  }
  if (order_ == Order::given) return owners_by_count(points, ranks_.size());
  return owners_that_hold(ranks_.all_gather(points.data(), points.size()), ranks_.size());
}

void Counter::cut() {
  partition_.ranges.assign(static_cast<std::size_t>(ranks_.size()), {});
  const std::vector<std::size_t> boxes = leaves();
  const std::vector<int> owners = owners_of(boxes);
  std::int64_t next_source = 0, next_target = 0;
  for (std::size_t k = 0; k < boxes.size(); ++k) {
    CoarseBox& leaf = partition_.boxes[boxes[k]];
    leaf.sources.begin = std::exchange(next_source, next_source + leaf.sources.count);
    leaf.targets.begin = std::exchange(next_target, next_target + leaf.targets.count);
    deal(boxes[k], owners[k]);
  }
  place_parents();
  close_ranges();
}

/// What boxes that are divided have of their first and last children.
void Counter::place_parents() {
  std::vector<CoarseBox>& boxes = partition_.boxes;
  for (std::size_t b = boxes.size(); b-- > 0;) {
    if (boxes[b].is_leaf()) continue;
    const auto first = static_cast<std::size_t>(boxes[b].first_child),
               last = first + static_cast<std::size_t>(boxes[b].children) - 1;
    boxes[b].sources.begin = boxes[first].sources.begin, boxes[b].targets.begin = boxes[first].targets.begin;
    boxes[b].first_rank = boxes[first].first_rank, boxes[b].last_rank = boxes[last].last_rank;
  }
}

/// A range ends where the next one begins.
void Counter::close_ranges() {
  Range* previous = nullptr;
  for (Range& range : partition_.ranges) {
    if (range.empty) continue;
    if (previous) previous->end = range.begin, previous->endless = false;
    previous = &range;
  }
}

}  // namespace

int Partition::shared_box(const Place& corner, int level) const {
  int b = 0;
  while (boxes[static_cast<std::size_t>(b)].shared()) {
    const CoarseBox& box = boxes[static_cast<std::size_t>(b)];
    if (box.level == level) return box.corner == corner ? b : -1;
    int inside = -1;
    for (int c = box.first_child; c < box.first_child + box.children; ++c) {
      const CoarseBox& child = boxes[static_cast<std::size_t>(c)];
      const std::int64_t edge = edge_of(lattice, child.level);
      bool holds = true;
      for (int axis = 0; axis < 3; ++axis)
        holds = holds && corner.at[axis] >= child.corner.at[axis] && corner.at[axis] - child.corner.at[axis] < edge;
      if (holds) inside = c;
    }
    if (inside < 0) return -1;
    b = inside;
  }
  return -1;
}

Partition divide(Ranks& ranks, const Given& given, const Geometry& geometry, const Decision& decision) {
  return Counter(ranks, given, geometry, decision).run();
}

}  // namespace farfield::distributed

#include "distributed/share/partition.hpp"

#include <limits>
#include <numeric>

#include "tree/reader.hpp"

namespace farfield::distributed {
namespace {

constexpr std::int64_t pieces_per_rank = 20;  ///< a cut misses its aim by half a piece: 2.5 % of a rank's share

/// Counts one rank's points in the boxes of the coarse tree.
class Counter {
 public:
  Counter(Ranks& ranks, const Points& points, const Geometry& geometry, const Decision& decision)
      : ranks_(ranks),
        read_(points, Scaling(geometry.exponent)),
        decision_(decision),
        all_(geometry.sources),
        own_(static_cast<std::size_t>(points.count)) {
    partition_.lattice = make_lattice(geometry, decision.m, decision.k);
    finest_ = finest_relative_edge(partition_.lattice);
    std::iota(own_.begin(), own_.end(), std::uint32_t(0));
  }

  Partition run() {
    grow();
    cut();
    return std::move(partition_);
  }

 private:
  struct Own {
    std::size_t begin, end;  ///< in own_
  };
  using Numbers = std::vector<std::int64_t>;

  void grow();
  bool may_divide(const CoarseBox& box) const;
  void leave_out_heaps(Numbers& dividing);
  Numbers child_counts(const Numbers& dividing);
  void add_children(std::int64_t parent, const std::int64_t* local, const std::int64_t* all);
  int child_at(std::uint32_t point, int level) const;
  void cut();
  void deal(std::size_t box, int rank);

  Ranks& ranks_;
  AnyReader read_;
  const Decision& decision_;
  std::int64_t all_;
  double finest_ = 0;
  std::vector<std::uint32_t> own_;  ///< indices of this rank's points, those of a box together
  std::vector<Own> range_;          ///< of the boxes
  Partition partition_;
};

/// Where the tree of one plan divides a box, but for points that all coincide.
bool Counter::may_divide(const CoarseBox& box) const {
  if (box.count <= all_ / (pieces_per_rank * ranks_.size()) || box.count <= decision_.thresholds.m2p_sources)
    return false;
  if (decision_.depth >= 0 ? box.level >= decision_.depth : box.count <= decision_.leaf_size) return false;
  return resolves_children(partition_.lattice, finest_, box.corner.at, box.level);
}

/// Leaves out boxes whose points all coincide, on all ranks.
void Counter::leave_out_heaps(Numbers& dividing) {
  std::vector<double> bounds(6 * dividing.size(), std::numeric_limits<double>::infinity());  // lowest x, and of -x
  for (std::size_t k = 0; k < dividing.size(); ++k) {
    const Own& own = range_[static_cast<std::size_t>(dividing[k])];
    for (std::size_t i = own.begin; i < own.end; ++i)
      for (int axis = 0; axis < 3; ++axis) {
        const double x = read_(own_[i], axis);
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

int Counter::child_at(std::uint32_t point, int level) const {
  const Lattice& lattice = partition_.lattice;
  int octant = 0;
  for (int axis = 0; axis < 3; ++axis)
    octant |= static_cast<int>(lattice.index(read_(point, axis), axis) >> (lattice.depth - level - 1) & 1) << axis;
  return octant;
}

/// Sorts this rank's points of the boxes by their children; returns how many are in each.
Counter::Numbers Counter::child_counts(const Numbers& dividing) {
  Numbers counts(8 * dividing.size(), 0);
  std::vector<std::uint32_t> sorted;
  std::vector<std::uint8_t> child;
  for (std::size_t k = 0; k < dividing.size(); ++k) {
    const auto box = static_cast<std::size_t>(dividing[k]);
    const Own own = range_[box];
    std::int64_t* count = &counts[8 * k];
    child.resize(own.end - own.begin), sorted.resize(child.size());
    for (std::size_t i = 0; i < child.size(); ++i) {
      child[i] = static_cast<std::uint8_t>(child_at(own_[own.begin + i], partition_.boxes[box].level));
      ++count[child[i]];
    }
    std::int64_t next[8] = {};
    for (int o = 1; o < 8; ++o) next[o] = next[o - 1] + count[o - 1];
    for (std::size_t i = 0; i < child.size(); ++i)
      sorted[static_cast<std::size_t>(next[child[i]]++)] = own_[own.begin + i];
    std::copy(sorted.begin(), sorted.end(), own_.begin() + static_cast<std::ptrdiff_t>(own.begin));
  }
  return counts;
}

void Counter::add_children(std::int64_t parent, const std::int64_t* local, const std::int64_t* all) {
  const auto p = static_cast<std::size_t>(parent);
  const CoarseBox box = partition_.boxes[p];
  std::size_t begin = range_[p].begin;
  partition_.boxes[p].first_child = static_cast<int>(partition_.boxes.size());
  for (int o = 0; o < 8; ++o) {
    const std::size_t end = begin + static_cast<std::size_t>(local[o]);
    if (all[o] > 0) {
      CoarseBox child;
      child.corner = child_of(box.corner, partition_.lattice, box.level, o);
      child.level = box.level + 1;
      child.count = all[o];
      partition_.boxes.push_back(child);
      range_.push_back({begin, end});
      ++partition_.boxes[p].children;
    }
    begin = end;
  }
}

void Counter::grow() {
  CoarseBox root;
  root.count = all_;
  partition_.boxes.push_back(root);
  range_.push_back({0, own_.size()});
  for (std::size_t begin = 0; begin < partition_.boxes.size();) {
    const std::size_t end = partition_.boxes.size();
    Numbers dividing;
    for (std::size_t b = begin; b < end; ++b)
      if (may_divide(partition_.boxes[b])) dividing.push_back(static_cast<std::int64_t>(b));
    if (decision_.depth < 0) leave_out_heaps(dividing);
    const Numbers local = child_counts(dividing);
    Numbers all = local;
    ranks_.add(all);
    for (std::size_t k = 0; k < dividing.size(); ++k) add_children(dividing[k], &local[8 * k], &all[8 * k]);
    begin = end;
  }
}

/// Gives a leaf of the coarse tree to a rank.
void Counter::deal(std::size_t box, int rank) {
  CoarseBox& leaf = partition_.boxes[box];
  leaf.first_rank = leaf.last_rank = rank;
  Range& range = partition_.ranges[static_cast<std::size_t>(rank)];
  if (range.empty) range = {leaf.corner, {}, false, true};
  for (std::size_t i = range_[box].begin; i < range_[box].end; ++i) partition_.destination[own_[i]] = rank;
}

void Counter::cut() {
  std::vector<CoarseBox>& boxes = partition_.boxes;
  const int ranks = ranks_.size();
  partition_.ranges.assign(static_cast<std::size_t>(ranks), {});
  partition_.destination.resize(own_.size());
  std::vector<std::size_t> leaves, stack{0};
  while (!stack.empty()) {
    const std::size_t b = stack.back();
    stack.pop_back();
    if (boxes[b].is_leaf()) leaves.push_back(b);
    for (int c = boxes[b].children; c-- > 0;) stack.push_back(static_cast<std::size_t>(boxes[b].first_child + c));
  }
  const double all = static_cast<double>(std::max<std::int64_t>(1, all_));
  double before_leaf = 0;
  for (const std::size_t b : leaves) {
    const double middle = before_leaf + static_cast<double>(boxes[b].count) / 2;
    deal(b, std::min(ranks - 1, static_cast<int>(middle / all * ranks)));
    before_leaf += static_cast<double>(boxes[b].count);
  }
  for (std::size_t b = boxes.size(); b-- > 0;) {
    if (boxes[b].is_leaf()) continue;
    const auto first = static_cast<std::size_t>(boxes[b].first_child),
               last = first + static_cast<std::size_t>(boxes[b].children) - 1;
    boxes[b].first_rank = boxes[first].first_rank, boxes[b].last_rank = boxes[last].last_rank;
  }
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

Partition divide(Ranks& ranks, const Points& points, const Geometry& geometry, const Decision& decision) {
  return Counter(ranks, points, geometry, decision).run();
}

}  // namespace farfield::distributed

#include "distributed/partition/partition.hpp"

#include <iterator>
#include <numeric>
#include <utility>

#include "distributed/partition/coarse.hpp"

namespace farfield::distributed {
namespace {

/// Cuts the coarse tree into a piece for each rank.
class Cutter {
 public:
  Cutter(Ranks& ranks, CoarseTree tree, Order order) : ranks_(ranks), tree_(std::move(tree)), order_(order) {}

  Partition run() {
    cut();
    partition_.lattice = tree_.lattice;
    partition_.boxes = std::move(tree_.boxes);
    return std::move(partition_);
  }

 private:
  std::vector<int> owners_of(const std::vector<std::size_t>& leaves);
  void cut();
  void place_parents();
  void close_ranges();
  void deal(std::size_t box, int rank);

  Ranks& ranks_;
  CoarseTree tree_;
  Order order_;
  Partition partition_;
};

/// Gives a leaf of the coarse tree to a rank.
void Cutter::deal(std::size_t box, int rank) {
  CoarseBox& leaf = tree_.boxes[box];
  leaf.first_rank = leaf.last_rank = rank;
  Range& range = partition_.ranges[static_cast<std::size_t>(rank)];
  if (range.empty) range = {leaf.corner, {}, false, true};
  for (int s = 0; s < 2; ++s)
    if (!tree_.of_set[s].empty()) partition_.passed_to[s][static_cast<std::size_t>(rank)] += tree_.of_set[s][box];
}

/// Of the leaves.
std::vector<int> Cutter::owners_of(const std::vector<std::size_t>& leaves) {
  Numbers points, held;
  for (const std::size_t b : leaves)
    points.push_back(tree_.points_of(tree_.boxes[b])), held.push_back(tree_.held_in(b));
  if (order_ == Order::given) return owners_of_boxes(places_by_count(points, tree_.pieces), points, tree_.pieces);
  const Borders borders(points, tree_.pieces);
  Numbers wrong = borders.on_wrong_side(held, ranks_.rank());
  ranks_.add(wrong);
  return owners_of_boxes(borders.places(wrong), points, tree_.pieces);
}

void Cutter::cut() {
  partition_.ranges.assign(static_cast<std::size_t>(ranks_.size()), {});
  for (auto& of_set : partition_.passed_to) of_set.assign(static_cast<std::size_t>(ranks_.size()), 0);
  const std::vector<std::size_t> boxes = tree_.leaves();
  const std::vector<int> owners = owners_of(boxes);
  for (std::size_t k = 0; k < boxes.size(); ++k) deal(boxes[k], owners[k]);
  place_parents();
  close_ranges();
}

/// What boxes that are divided have of their first and last children.
void Cutter::place_parents() {
  std::vector<CoarseBox>& boxes = tree_.boxes;
  for (std::size_t b = boxes.size(); b-- > 0;) {
    if (boxes[b].is_leaf()) continue;
    const auto first = static_cast<std::size_t>(boxes[b].first_child),
               last = first + static_cast<std::size_t>(boxes[b].children) - 1;
    boxes[b].first_rank = boxes[first].first_rank, boxes[b].last_rank = boxes[last].last_rank;
  }
}

/// A range ends where the next one begins.
void Cutter::close_ranges() {
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

Begins Partition::firsts(Held CoarseBox::*kind) const {
  std::vector<std::int64_t> counts(ranges.size(), 0);
  for (const CoarseBox& box : boxes)
    if (box.is_leaf()) counts[static_cast<std::size_t>(box.first_rank)] += (box.*kind).count;
  return begins_of(counts);
}

SharedBoxes Partition::shared_boxes() const {
  SharedBoxes shared;
  for (const CoarseBox& box : boxes) {
    if (!box.shared()) continue;
    shared.corner.push_back(box.corner);
    ++shared.level_begin[box.level + 1];
  }
  std::partial_sum(std::begin(shared.level_begin), std::end(shared.level_begin), std::begin(shared.level_begin));
  return shared;
}

Partition divide(Ranks& ranks, OwnPoints& points, const Given& given, const Geometry& geometry,
                 const Decision& decision) {
  return Cutter(ranks, CoarseTree(ranks, points, given, geometry, decision), given.order).run();
}

}  // namespace farfield::distributed

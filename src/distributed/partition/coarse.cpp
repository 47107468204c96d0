#include "distributed/partition/coarse.hpp"

#include <algorithm>

namespace farfield::distributed {

/// A look at the points costs as much as 2^13 points of a rank for each cell at the least. 2^15 cells are few enough
/// for the memory of a block (cuda/share/own_points.cu): 2^28 points of a Plummer model are looked at twice.
int levels_at_once(std::size_t boxes, double points_of_rank) {
  const double most = std::clamp(points_of_rank / 8192, 512.0, 32768.0);
  int levels = 1;
  while (static_cast<double>(boxes << 3 * (levels + 1)) <= most) ++levels;
  return levels;
}

CoarseTree::CoarseTree(Ranks& ranks, OwnPoints& points, const Given& given, const Geometry& geometry,
                       const Decision& decision)
    : lattice(make_lattice(geometry, decision.root)),
      boxes(1),
      ranks_(ranks),
      points_(points),
      decision_(decision),
      alike_(points.sets() == 1),
      finest_(finest_relative_edge(lattice)),
      deepest_(deepest_level(lattice, decision.least_edge)) {
  boxes[0].sources.count = geometry.sources;
  boxes[0].targets.count = geometry.targets;
  for (std::size_t s = 0; s < static_cast<std::size_t>(points.sets()); ++s) of_set[s].push_back(points.points_in(s));
  if (decision.depth > deepest_ && geometry.sources + geometry.targets > 0)
    refuse_narrow_boxes(decision.depth, deepest_);
  pieces = pieces_of(points_of(boxes[0]), given.capacities, ranks.size());
  most_in_box_ = pieces.points_per_box();
  cells_of_.emplace_back();
  grow();
}

std::vector<std::size_t> CoarseTree::leaves() const {
  std::vector<std::size_t> leaves, stack{0};
  while (!stack.empty()) {
    const std::size_t b = stack.back();
    stack.pop_back();
    if (boxes[b].is_leaf()) leaves.push_back(b);
    for (int c = boxes[b].children; c-- > 0;) stack.push_back(static_cast<std::size_t>(boxes[b].first_child + c));
  }
  return leaves;
}

/// For a border between two pieces to be placed well. A box in which one falls is divided as far as cells are counted,
/// which needs no other look at the points: 2^27 points of a sphere were cut with 3.6 % too many on one of two ranks.
bool CoarseTree::is_too_large(const CoarseBox& box) const {
  if (points_of(box) > most_in_box_) return true;
  if (box.level >= counted_to_) return false;
  const auto before = static_cast<double>(points_before(box)), behind = before + static_cast<double>(points_of(box));
  const auto border = std::upper_bound(pieces.begin.begin(), pieces.begin.end(), before);
  return border != pieces.begin.end() && *border < behind;
}

/// Where the tree of one plan divides a box, but for points that all coincide.
bool CoarseTree::may_divide(const CoarseBox& box) const {
  const std::int64_t sources = box.sources.count, most = std::max(sources, box.targets.count);
  if (!is_too_large(box)) return false;
  if (sources > 0 && sources <= decision_.thresholds.m2p_sources) return false;
  if (decision_.depth >= 0 ? box.level >= decision_.depth : most <= decision_.leaf_size) return false;
  return box.level < deepest_ && resolves_children(lattice, finest_, box.corner.at, box.level);
}

/// The cells of boxes of the level that was reached last.
void CoarseTree::count(const Numbers& dividing) {
  const double points_of_rank = static_cast<double>(points_of(boxes[0])) / ranks_.size();
  const int below = std::min(levels_at_once(dividing.size(), points_of_rank), lattice.depth - counted_to_);
  const Numbers own = points_.count_cells(boxes, dividing, below);
  Numbers all = own;
  ranks_.add(all);
  own_before_ = begins_of(own), all_before_ = begins_of(all);
  counted_to_ += below;
  const std::int64_t of_box = std::int64_t(1) << 3 * below;
  cells_ = of_box * std::ssize(dividing);
  for (std::int64_t k = 0; k < std::ssize(dividing); ++k)
    cells_of_[static_cast<std::size_t>(dividing[static_cast<std::size_t>(k)])] = {k * of_box, (k + 1) * of_box};
}

/// Of `before`, in a set.
static std::int64_t sum_of(const Numbers& before, CellRun cells, std::int64_t first) {
  return before[static_cast<std::size_t>(first + cells.end)] - before[static_cast<std::size_t>(first + cells.begin)];
}

/// Of all ranks and sets.
std::int64_t CoarseTree::points_in(CellRun cells) const {
  return sum_of(all_before_, cells, 0) + (alike_ ? 0 : sum_of(all_before_, cells, cells_));
}

/// Which of the boxes hold points that all coincide, on all ranks? Such points are all in one child.
std::vector<char> CoarseTree::heaps_among(const Numbers& dividing) {
  std::vector<char> heap(dividing.size(), 0);
  std::vector<std::size_t> places;
  std::vector<CellRun> cells;
  for (std::size_t k = 0; k < dividing.size() && decision_.depth < 0; ++k) {
    const CellRun of_box = cells_of_[static_cast<std::size_t>(dividing[k])];
    int children = 0;
    for (int o = 0; o < 8; ++o) children += points_in(of_box.child(o)) > 0;
    if (children == 1) places.push_back(k), cells.push_back(of_box);
  }
  if (places.empty()) return heap;
  std::vector<double> bounds = points_.bounds(cells);
  ranks_.least(bounds);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double* b = &bounds[6 * i];
    heap[places[i]] = b[0] == -b[1] && b[2] == -b[3] && b[4] == -b[5];
  }
  return heap;
}

void CoarseTree::add_children(std::size_t parent) {
  const CoarseBox box = boxes[parent];
  boxes[parent].first_child = static_cast<int>(boxes.size());
  std::int64_t next_source = box.sources.begin, next_target = box.targets.begin;
  for (int o = 0; o < 8; ++o) {
    const CellRun cells = cells_of_[parent].child(o);
    if (points_in(cells) == 0) continue;
    const std::int64_t targets = alike_ ? 0 : cells_;
    CoarseBox child;
    child.sources = {next_source, sum_of(all_before_, cells, 0)};
    child.targets = {next_target, sum_of(all_before_, cells, targets)};
    next_source += child.sources.count, next_target += child.targets.count;
    child.corner = child_of(box.corner, lattice, box.level, o);
    child.level = box.level + 1;
    boxes.push_back(child), cells_of_.push_back(cells);
    ++boxes[parent].children;
    of_set[0].push_back(sum_of(own_before_, cells, 0));
    if (!alike_) of_set[1].push_back(sum_of(own_before_, cells, targets));
    points_.add_box(cells);
  }
}

void CoarseTree::grow() {
  for (std::size_t begin = 0; begin < boxes.size();) {
    const std::size_t end = boxes.size();
    Numbers dividing;
    for (std::size_t b = begin; b < end; ++b)
      if (may_divide(boxes[b])) dividing.push_back(static_cast<std::int64_t>(b));
    if (dividing.empty()) return;
    if (boxes[begin].level == counted_to_) count(dividing);
    const std::vector<char> heap = heaps_among(dividing);
    for (std::size_t k = 0; k < dividing.size(); ++k)
      if (!heap[k]) add_children(static_cast<std::size_t>(dividing[k]));
    begin = end;
  }
}

}  // namespace farfield::distributed

#include "distributed/partition/coarse.hpp"

#include <algorithm>

namespace farfield::distributed {

CoarseTree::CoarseTree(Ranks& ranks, OwnPoints& points, const Given& given, const Geometry& geometry,
                       const Decision& decision)
    : lattice(make_lattice(geometry, decision.m, decision.k)),
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

/// Where the tree of one plan divides a box, but for points that all coincide.
bool CoarseTree::may_divide(const CoarseBox& box) const {
  const std::int64_t sources = box.sources.count, most = std::max(sources, box.targets.count);
  if (points_of(box) <= most_in_box_) return false;
  if (sources > 0 && sources <= decision_.thresholds.m2p_sources) return false;
  if (decision_.depth >= 0 ? box.level >= decision_.depth : most <= decision_.leaf_size) return false;
  return box.level < deepest_ && resolves_children(lattice, finest_, box.corner.at, box.level);
}

/// Which of the boxes hold points that all coincide, on all ranks? Such points are all in one child.
std::vector<char> CoarseTree::heaps_among(const Numbers& dividing, const Numbers& counts) {
  std::vector<char> heap(dividing.size(), 0);
  Numbers places;
  for (std::size_t k = 0; k < dividing.size(); ++k) {
    int children = 0;
    for (std::size_t o = 0; o < 8; ++o) {
      bool filled = false;
      for (std::size_t at = 8 * k + o; at < counts.size(); at += 8 * dividing.size()) filled = filled || counts[at] > 0;
      children += filled;
    }
    if (decision_.depth < 0 && children == 1) places.push_back(static_cast<std::int64_t>(k));
  }
  if (places.empty()) return heap;
  std::vector<double> bounds = points_.bounds(places);
  ranks_.least(bounds);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double* b = &bounds[6 * i];
    heap[static_cast<std::size_t>(places[i])] = b[0] == -b[1] && b[2] == -b[3] && b[4] == -b[5];
  }
  return heap;
}

void CoarseTree::add_children(const Numbers& dividing, std::size_t place, const Numbers& local, const Numbers& all) {
  const auto p = static_cast<std::size_t>(dividing[place]);
  const CoarseBox box = boxes[p];
  boxes[p].first_child = static_cast<int>(boxes.size());
  for (std::size_t o = 0; o < 8; ++o) {
    const std::size_t of_sources = 8 * place + o, of_targets = of_sources + (alike_ ? 0 : 8 * dividing.size());
    CoarseBox child;
    child.sources.count = all[of_sources], child.targets.count = all[of_targets];
    if (points_of(child) == 0) continue;
    child.corner = child_of(box.corner, lattice, box.level, static_cast<int>(o));
    child.level = box.level + 1;
    boxes.push_back(child);
    ++boxes[p].children;
    of_set[0].push_back(local[of_sources]);
    if (!alike_) of_set[1].push_back(local[of_targets]);
    points_.add_child(place, static_cast<int>(o));
  }
}

void CoarseTree::grow() {
  for (std::size_t begin = 0; begin < boxes.size();) {
    const std::size_t end = boxes.size();
    Numbers dividing;
    for (std::size_t b = begin; b < end; ++b)
      if (may_divide(boxes[b])) dividing.push_back(static_cast<std::int64_t>(b));
    if (dividing.empty()) return;
    const Numbers local = points_.count_children(boxes, dividing);
    Numbers all = local;
    ranks_.add(all);
    const std::vector<char> heap = heaps_among(dividing, all);
    for (std::size_t k = 0; k < dividing.size(); ++k)
      if (!heap[k]) add_children(dividing, k, local, all);
    begin = end;
  }
}

}  // namespace farfield::distributed

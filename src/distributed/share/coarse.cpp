#include "distributed/share/coarse.hpp"

#include <limits>
#include <utility>

namespace farfield::distributed {

constexpr std::int64_t pieces_per_rank = 20;  ///< a cut misses its aim by half a piece: 2.5 % of a rank's share

CoarseTree::CoarseTree(Ranks& ranks, const Given& given, const Geometry& geometry, const Decision& decision)
    : lattice(make_lattice(geometry, decision.m, decision.k)),
      boxes(1),
      ranks_(ranks),
      decision_(decision),
      alike_(given.targets == nullptr),
      finest_(finest_relative_edge(lattice)) {
  sets.emplace_back(given.sources, geometry.exponent, &CoarseBox::sources);
  if (given.targets) sets.emplace_back(*given.targets, geometry.exponent, &CoarseBox::targets);
  boxes[0].sources.count = geometry.sources;
  boxes[0].targets.count = geometry.targets;
  grow();
}

std::int64_t CoarseTree::own_points_of(std::size_t box) const {
  std::size_t count = 0;
  for (const OwnSet& set : sets) count += set.range[box].end - set.range[box].begin;
  return static_cast<std::int64_t>(count);
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
  if (points_of(box) <= points_of(boxes[0]) / (pieces_per_rank * ranks_.size())) return false;
  if (sources > 0 && sources <= decision_.thresholds.m2p_sources) return false;
  if (decision_.depth >= 0 ? box.level >= decision_.depth : most <= decision_.leaf_size) return false;
  return resolves_children(lattice, finest_, box.corner.at, box.level);
}

/// Leaves out boxes whose points all coincide, on all ranks.
void CoarseTree::leave_out_heaps(Numbers& dividing) {
  std::vector<double> bounds(6 * dividing.size(), std::numeric_limits<double>::infinity());  // lowest x, and of -x
  for (const OwnSet& set : sets)
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

int CoarseTree::child_at(const OwnSet& set, std::uint32_t point, int level) const {
  int octant = 0;
  for (int axis = 0; axis < 3; ++axis)
    octant |= static_cast<int>(lattice.index(set.read(point, axis), axis) >> (lattice.depth - level - 1) & 1) << axis;
  return octant;
}

/// Sorts this rank's points of the boxes by their children; appends how many are in each.
void CoarseTree::count_children(OwnSet& set, const Numbers& dividing, Numbers& counts) {
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
      child[i] = static_cast<std::uint8_t>(child_at(set, set.point[own.begin + i], boxes[box].level));
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
void CoarseTree::add_children(std::int64_t parent, const Numbers& local, const Numbers& all, std::size_t first) {
  const auto p = static_cast<std::size_t>(parent);
  const CoarseBox box = boxes[p];
  const std::size_t set_size = all.size() / sets.size();
  std::size_t begin[2] = {};
  for (std::size_t s = 0; s < sets.size(); ++s) begin[s] = sets[s].range[p].begin;
  boxes[p].first_child = static_cast<int>(boxes.size());
  for (std::size_t o = 0; o < 8; ++o) {
    CoarseBox child;
    for (std::size_t s = 0; s < sets.size(); ++s) (child.*sets[s].of_box).count = all[first + s * set_size + o];
    if (alike_) child.targets = child.sources;
    if (points_of(child) == 0) continue;
    child.corner = child_of(box.corner, lattice, box.level, static_cast<int>(o));
    child.level = box.level + 1;
    boxes.push_back(child);
    ++boxes[p].children;
    for (std::size_t s = 0; s < sets.size(); ++s) {
      const std::size_t end = begin[s] + static_cast<std::size_t>(local[first + s * set_size + o]);
      sets[s].range.push_back({std::exchange(begin[s], end), end});
    }
  }
}

void CoarseTree::grow() {
  for (std::size_t begin = 0; begin < boxes.size();) {
    const std::size_t end = boxes.size();
    Numbers dividing, local;
    for (std::size_t b = begin; b < end; ++b)
      if (may_divide(boxes[b])) dividing.push_back(static_cast<std::int64_t>(b));
    if (decision_.depth < 0) leave_out_heaps(dividing);
    for (OwnSet& set : sets) count_children(set, dividing, local);
    Numbers all = local;
    ranks_.add(all);
    for (std::size_t k = 0; k < dividing.size(); ++k) add_children(dividing[k], local, all, 8 * k);
    begin = end;
  }
}

}  // namespace farfield::distributed

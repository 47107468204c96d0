// A rank's points in host memory, sorted by the boxes of the coarse tree.
#include <limits>
#include <numeric>
#include <utility>

#include "distributed/partition/coarse.hpp"
#include "tree/reader.hpp"

namespace farfield::distributed {
namespace {

/// This rank's points of one kind, sources or targets.
struct OwnSet {
  struct Own {
    std::size_t begin, end;  ///< in `point`
  };
  AnyReader read;
  std::vector<std::uint32_t> point;  ///< indices of the points, those of a box together
  std::vector<Own> range;            ///< of the boxes

  OwnSet(const Points& points, int exponent)
      : read(points, Scaling(exponent)), point(static_cast<std::size_t>(points.count)), range{{0, point.size()}} {
    std::iota(point.begin(), point.end(), std::uint32_t(0));
  }
};

class HostPoints final : public OwnPoints {
 public:
  HostPoints(const Given& given, int exponent, const Lattice& lattice) : lattice_(lattice) {
    sets_.emplace_back(given.sources, exponent);
    if (given.targets) sets_.emplace_back(*given.targets, exponent);
  }
  int sets() const override { return static_cast<int>(sets_.size()); }
  std::int64_t points_in(std::size_t set) const override { return std::ssize(sets_[set].point); }
  Numbers count_children(const std::vector<CoarseBox>& boxes, const Numbers& dividing) override;
  std::vector<double> bounds(const Numbers& places) override;
  void add_child(std::size_t place, int octant) override;
  std::vector<std::int32_t> owners(std::size_t set, const std::vector<CoarseBox>& boxes) const;

 private:
  int child_at(const OwnSet& set, std::uint32_t point, int level) const;
  void count_children(OwnSet& set, int level, std::int64_t* counts);

  Lattice lattice_;
  std::vector<OwnSet> sets_;
  Numbers dividing_, counts_;  ///< of the last count
};

int HostPoints::child_at(const OwnSet& set, std::uint32_t point, int level) const {
  int octant = 0;
  for (int axis = 0; axis < 3; ++axis)
    octant |= static_cast<int>(lattice_.index(set.read(point, axis), axis) >> (lattice_.depth - level - 1) & 1) << axis;
  return octant;
}

/// Sorts the points of the boxes by their children, too.
void HostPoints::count_children(OwnSet& set, int level, std::int64_t* counts) {
  std::vector<std::uint32_t> sorted;
  std::vector<std::uint8_t> child;
  for (std::size_t k = 0; k < dividing_.size(); ++k) {
    const OwnSet::Own own = set.range[static_cast<std::size_t>(dividing_[k])];
    std::int64_t* count = counts + 8 * k;
    child.resize(own.end - own.begin), sorted.resize(child.size());
    for (std::size_t i = 0; i < child.size(); ++i) {
      child[i] = static_cast<std::uint8_t>(child_at(set, set.point[own.begin + i], level));
      ++count[child[i]];
    }
    std::int64_t next[8] = {};
    for (int o = 1; o < 8; ++o) next[o] = next[o - 1] + count[o - 1];
    for (std::size_t i = 0; i < child.size(); ++i)
      sorted[static_cast<std::size_t>(next[child[i]]++)] = set.point[own.begin + i];
    std::copy(sorted.begin(), sorted.end(), set.point.begin() + static_cast<std::ptrdiff_t>(own.begin));
  }
}

Numbers HostPoints::count_children(const std::vector<CoarseBox>& boxes, const Numbers& dividing) {
  dividing_ = dividing;
  counts_.assign(8 * dividing.size() * sets_.size(), 0);
  for (std::size_t s = 0; s < sets_.size(); ++s)
    count_children(sets_[s], boxes[static_cast<std::size_t>(dividing[0])].level, &counts_[s * 8 * dividing.size()]);
  return counts_;
}

std::vector<double> HostPoints::bounds(const Numbers& places) {
  std::vector<double> bounds(6 * places.size(), std::numeric_limits<double>::infinity());
  for (const OwnSet& set : sets_)
    for (std::size_t k = 0; k < places.size(); ++k) {
      const auto box = static_cast<std::size_t>(dividing_[static_cast<std::size_t>(places[k])]);
      for (std::size_t i = set.range[box].begin; i < set.range[box].end; ++i)
        for (int axis = 0; axis < 3; ++axis) {
          const double x = set.read(set.point[i], axis);
          double* bound = &bounds[6 * k + 2 * static_cast<std::size_t>(axis)];
          bound[0] = std::min(bound[0], x), bound[1] = std::min(bound[1], -x);
        }
    }
  return bounds;
}

void HostPoints::add_child(std::size_t place, int octant) {
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    const std::int64_t* count = &counts_[8 * (s * dividing_.size() + place)];
    const auto before = static_cast<std::size_t>(std::accumulate(count, count + octant, std::int64_t(0)));
    const std::size_t begin = sets_[s].range[static_cast<std::size_t>(dividing_[place])].begin + before;
    sets_[s].range.push_back({begin, begin + static_cast<std::size_t>(count[octant])});
  }
}

std::vector<std::int32_t> HostPoints::owners(std::size_t set, const std::vector<CoarseBox>& boxes) const {
  if (set >= sets_.size()) return {};
  const OwnSet& own = sets_[set];
  std::vector<std::int32_t> owners(own.point.size());
  for (std::size_t b = 0; b < boxes.size(); ++b)
    for (std::size_t i = own.range[b].begin; boxes[b].is_leaf() && i < own.range[b].end; ++i)
      owners[own.point[i]] = boxes[b].first_rank;
  return owners;
}

}  // namespace

Partition divide(Ranks& ranks, const Given& given, const Geometry& geometry, const Decision& decision) {
  HostPoints points(given, geometry.exponent, make_lattice(geometry, decision.m, decision.k));
  Partition partition = divide(ranks, points, given, geometry, decision);
  partition.source_owner = points.owners(0, partition.boxes);
  partition.target_owner = points.owners(1, partition.boxes);
  return partition;
}

}  // namespace farfield::distributed

// The coarse tree: the boxes at the top of the tree, with the points of all ranks in them counted (partition.hpp).
#pragma once
#include <numeric>

#include "distributed/share/cuts.hpp"
#include "distributed/share/partition.hpp"
#include "tree/reader.hpp"

namespace farfield::distributed {

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

/// Made by all ranks together, the same on all of them but for their own points.
class CoarseTree {
 public:
  CoarseTree(Ranks& ranks, const Given& given, const Geometry& geometry, const Decision& decision);

  std::int64_t points_of(const CoarseBox& box) const { return box.sources.count + (alike_ ? 0 : box.targets.count); }
  /// This rank's points in a box.
  std::int64_t own_points_of(std::size_t box) const;
  /// Boxes that are not divided, in Morton order.
  std::vector<std::size_t> leaves() const;

  Lattice lattice;
  std::vector<CoarseBox> boxes;  ///< level by level, each level in Morton order
  std::vector<OwnSet> sets;      ///< sources and, where they stand apart, targets

 private:
  void grow();
  bool may_divide(const CoarseBox& box) const;
  void leave_out_heaps(Numbers& dividing);
  void count_children(OwnSet& set, const Numbers& dividing, Numbers& counts);
  void add_children(std::int64_t parent, const Numbers& local, const Numbers& all, std::size_t first);
  int child_at(const OwnSet& set, std::uint32_t point, int level) const;

  Ranks& ranks_;
  const Decision& decision_;
  bool alike_;
  double finest_ = 0;
};

}  // namespace farfield::distributed

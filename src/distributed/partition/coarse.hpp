// The coarse tree: the boxes at the top of the tree, with the points of all ranks in them counted (partition.hpp).
#pragma once
#include "distributed/partition/cuts.hpp"
#include "distributed/partition/partition.hpp"

namespace farfield::distributed {

/// How this rank's points lie in the coarse tree, in host memory or on a device. Boxes are numbered as the tree's are.
class OwnPoints {
 public:
  virtual ~OwnPoints() = default;
  /// 2 where targets are a set of their own, behind the sources.
  virtual int sets() const = 0;
  /// Of this rank in a set.
  virtual std::int64_t points_in(std::size_t set) const = 0;
  /// Numbers of this rank's points in the children of boxes of one level: [sets][boxes to divide][8].
  virtual Numbers count_children(const std::vector<CoarseBox>& boxes, const Numbers& dividing) = 0;
  /// Of some of the boxes just counted (their places in `dividing`) the bounds of the points in them: the least x, -x,
  /// y, -y, z and -z. Where points do not coincide any smaller numbers will do.
  virtual std::vector<double> bounds(const Numbers& places) = 0;
  /// The next number of a box is that of a child of the box at a place in `dividing`.
  virtual void add_child(std::size_t place, int octant) = 0;
};

/// Made by all ranks together, the same on all of them but for their own points.
class CoarseTree {
 public:
  CoarseTree(Ranks& ranks, OwnPoints& points, const Given& given, const Geometry& geometry, const Decision& decision);

  std::int64_t points_of(const CoarseBox& box) const { return box.sources.count + (alike_ ? 0 : box.targets.count); }
  /// Of this rank in a box.
  std::int64_t held_in(std::size_t box) const { return of_set[0][box] + (alike_ ? 0 : of_set[1][box]); }
  /// Boxes that are not divided, in Morton order.
  std::vector<std::size_t> leaves() const;

  Lattice lattice;
  std::vector<CoarseBox> boxes;  ///< level by level, each level in Morton order
  Numbers of_set[2];             ///< [boxes]: points of this rank in each set
  Pieces pieces;                 ///< of the ranks

 private:
  void grow();
  bool may_divide(const CoarseBox& box) const;
  std::vector<char> heaps_among(const Numbers& dividing, const Numbers& counts);
  void add_children(const Numbers& dividing, std::size_t place, const Numbers& local, const Numbers& all);

  Ranks& ranks_;
  OwnPoints& points_;
  const Decision& decision_;
  bool alike_;
  std::int64_t most_in_box_ = 0;
  double finest_ = 0;
  int deepest_ = 0;  ///< no box below may be divided: see Decision::least_edge
};

/// Cuts the tree over such points into a piece for each rank.
Partition divide(Ranks& ranks, OwnPoints& points, const Given& given, const Geometry& geometry,
                 const Decision& decision);

}  // namespace farfield::distributed

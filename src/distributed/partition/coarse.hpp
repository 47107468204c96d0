// The coarse tree: the boxes at the top of the tree, with the points of all ranks in them counted (partition.hpp).
#pragma once
#include "distributed/partition/cuts.hpp"
#include "distributed/partition/partition.hpp"

namespace farfield::distributed {

/// Cells that follow one another, of those that were counted last: the cells of a box.
struct CellRun {
  std::int64_t begin = 0, end = 0;
  CellRun child(int octant) const {
    const std::int64_t size = (end - begin) / 8;
    return {begin + octant * size, begin + (octant + 1) * size};
  }
};

/// How this rank's points lie in the coarse tree, in host memory or on a device. Boxes are numbered as the tree's are.
class OwnPoints {
 public:
  virtual ~OwnPoints() = default;
  /// 2 where targets are a set of their own, behind the sources.
  virtual int sets() const = 0;
  /// Of this rank in a set.
  virtual std::int64_t points_in(std::size_t set) const = 0;
  /// Numbers of this rank's points in the cells of boxes of one level, `below` levels further down, those of a box in
  /// Morton order: [sets][boxes to divide][8^below].
  virtual Numbers count_cells(const std::vector<CoarseBox>& boxes, const Numbers& dividing, int below) = 0;
  /// Of boxes with these cells, of the last count, the bounds of the points in them: the least x, -x, y, -y, z and -z.
  /// Where points do not coincide any smaller numbers will do.
  virtual std::vector<double> bounds(const std::vector<CellRun>& boxes) = 0;
  /// The next number of a box is that of one with these cells, of the last count.
  virtual void add_box(CellRun cells) = 0;
};

/// How many levels are counted in one look at the points, of which a rank has so many, below so many boxes.
int levels_at_once(std::size_t boxes, double points_of_rank);

/// Made by all ranks together, the same on all of them but for their own points.
class CoarseTree {
 public:
  CoarseTree(Ranks& ranks, OwnPoints& points, const Given& given, const Geometry& geometry, const Decision& decision);

  std::int64_t points_of(const CoarseBox& box) const { return box.sources.count + (alike_ ? 0 : box.targets.count); }
  /// Before it, in Morton order.
  std::int64_t points_before(const CoarseBox& box) const {
    return box.sources.begin + (alike_ ? 0 : box.targets.begin);
  }
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
  bool is_too_large(const CoarseBox& box) const;
  void count(const Numbers& dividing);
  std::vector<char> heaps_among(const Numbers& dividing);
  void add_children(std::size_t parent);
  std::int64_t points_in(CellRun cells) const;

  Ranks& ranks_;
  OwnPoints& points_;
  const Decision& decision_;
  bool alike_;
  std::int64_t most_in_box_ = 0;
  double finest_ = 0;
  int deepest_ = 0;     ///< no box below may be divided: see Decision::least_edge
  int counted_to_ = 0;  ///< level of the cells that were counted last
  Numbers own_before_,
      all_before_;                 ///< points before each of these cells, this rank's and all; one set behind the other
  std::int64_t cells_ = 0;         ///< of a set
  std::vector<CellRun> cells_of_;  ///< [boxes]
};

/// Cuts the tree over such points into a piece for each rank.
Partition divide(Ranks& ranks, OwnPoints& points, const Given& given, const Geometry& geometry,
                 const Decision& decision);

}  // namespace farfield::distributed

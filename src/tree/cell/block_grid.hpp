// BlockGrid: a periodic cell cut into equal blocks along its reduced vectors, and along open directions over the extent
// of the points. Images of blocks that are near some block are summed as points; all others act through expansions
// about the centres of blocks (expansions/periodic/blocks/field.hpp).
#pragma once
#include <cstdlib>
#include <optional>
#include <vector>

#include "tree/cell/unit_cell.hpp"

namespace farfield {

/// Of the points' coordinates along the reduced vectors; 0 to 1 along periodic ones.
struct FractionRange {
  double low = 0, high = 1;
};

class BlockGrid {
 public:
  BlockGrid(const UnitCell& cell, const FractionRange (&range)[3], const int (&counts)[3], double far_apart);

  /// Another cell cut into as many blocks.
  BlockGrid in_cell(const UnitCell& other) const {
    BlockGrid grid(other, range_, counts_, far_apart_);
    grid.of_boxes_ = of_boxes_;
    return grid;
  }
  /// Was it chosen for the boxes of a tree (choose_blocks_of_boxes)?
  bool of_boxes() const { return of_boxes_; }
  void choose_for_boxes() { of_boxes_ = true; }

  const UnitCell& cell() const { return cell_; }
  int blocks() const { return counts_[0] * counts_[1] * counts_[2]; }
  int count(int axis) const { return counts_[axis]; }
  const FractionRange& range(int axis) const { return range_[axis]; }
  /// Where a block stands along each axis.
  CellIndex place(int block) const;
  BlockView view() const;
  Vector3 centre(int block) const;
  /// Of the sphere around a block.
  double radius() const { return radius_; }
  Vector3 root_centre() const;
  /// Edge of the cube about root_centre() that holds all blocks.
  double root_edge() const;

  /// From block `to` to an image of block `from`, in edges of blocks.
  CellIndex apart(int from, int to, const CellIndex& image) const;
  Vector3 vector(const CellIndex& apart) const;
  /// Expansions about blocks so far apart converge. Of whole numbers, since all must judge alike: in many cells images
  /// lie just at that distance (4 radii are two diagonals), where rounding would count some of them twice or never.
  bool is_far(const CellIndex& apart) const {
    for (int i = 0; i < 3; ++i)
      if (std::abs(apart[i]) > reach_[i]) return true;
    return !near_[near_index(apart)];
  }
  /// The degree that errs as `degree` does for boxes with a box between them, which are 2.3 radii apart.
  int degree(int degree) const;
  /// The images of `block` that are near some block, and itself at home, which is the first.
  std::vector<CellIndex> near_images(int block) const;
  /// Points that are summed over points that are given, were all blocks equally full.
  double repetition() const;

 private:
  std::size_t near_index(const CellIndex& apart) const {
    std::size_t index = 0;
    for (int i = 0; i < 3; ++i)
      index = index * static_cast<std::size_t>(2 * reach_[i] + 1) + static_cast<std::size_t>(apart[i] + reach_[i]);
    return index;
  }
  void find_near();
  bool is_near_some_block(const CellIndex& place) const;

  UnitCell cell_;
  FractionRange range_[3];
  int counts_[3];
  bool of_boxes_ = false;
  Vector3 step_[3];                ///< edges of a block
  double radius_ = 0, far_apart_;  ///< far_apart_: in radii
  int reach_[3] = {};              ///< blocks farther away along one of their edges are far
  std::vector<char> near_;         ///< [near_index]: are blocks so far apart near?
};

/// How blocks' expansions are translated into one another: each pair by itself, or by transforms over the grid.
enum class BlockSums { pairs, waves };

/// The grid with the least work for so many points and expansions that err as those of boxes of this degree.
BlockGrid choose_blocks(const UnitCell& cell, const FractionRange (&range)[3], double points, int degree,
                        BlockSums sums);

/// A grid in place of that one, of sums by waves, whose blocks are cubes of 2, 3 or 4 boxes along each edge: of boxes
/// so wide, half or twice as wide. Then far images cost less for each point; none: there is no such grid, or its other
/// costs are so much higher.
std::optional<BlockGrid> choose_blocks_of_boxes(const BlockGrid& grid, double points, int degree, double edge);

}  // namespace farfield

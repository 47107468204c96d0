// HomeBoxes: the boxes of a tree that fill the blocks of a cell, if its boxes divide these. In the steps of a graph the
// far images of their points go the tree's way then: no point is looked at for the blocks' expansions.
#pragma once
#include <optional>

#include "backends/cuda/periodic/blocked_cloud.hpp"
#include "backends/cuda/periodic/blocks/box_sums.hpp"
#include "expansions/periodic/blocks/box_shifts.hpp"
#include "tree/cell/block_grid.hpp"

namespace farfield::cuda {

struct CudaTree;
struct FollowedImages;

class HomeBoxes {
 public:
  /// Of a block along each axis: one box has the degree of the tree, which need not do for a block, and of more boxes
  /// than these sums cost as much as those of points.
  static constexpr int least_along = 2, most_along = 4;

  /// Blocks whose points are those of the cloud, each of them one source of a tree, at home; none: not where boxes
  /// could divide them.
  void place(const std::optional<BlockGrid>& grid, const BlockedCloud& cloud);
  /// Looks for their boxes in a tree, in the order of its memory's stream, which is not captured, and waits. It finds
  /// none if a point is in another block than its box: near images follow from the points' blocks.
  void find(const CudaTree& built, const FollowedImages& images, const Scaling& scale);
  bool found() const { return count_ > 0; }

  /// From now on with the expansions of this field. Matrices that are not there yet are made on `stream`, which is not
  /// captured, and waited for; other trees and cells have the same if as many boxes fill a block.
  void use(DeviceField& field, cudaStream_t stream);
  /// Where blocks are translated, beside m2l of the tree: each has the device's next free place.
  SideStream& beside() { return beside_; }
  // In a sum over that tree, in this order, on the work's stream:
  /// With the multipoles of each level, the finest first: charges and, of the level that the boxes are of, the
  /// multipoles of the blocks and their translations.
  void begin(const Work<float>& work, int level);
  /// With the local expansions that m2l and p2l give: adds those of the blocks.
  void finish(const Work<float>& work);
  /// With results in place: adds what local expansions lack.
  void complete(const Work<float>& work);

  /// Of a field and of the boxes that were found: what the sums above work with.
  BlockBoxes view();

 private:
  struct Cut;
  int places() const { return parts_[0] * parts_[1] * parts_[2]; }
  std::vector<BlockBox> of_level(const Cut& cut, const TreeView& tree, int level, cudaStream_t stream) const;
  bool holds_all(const std::vector<BlockBox>& boxes, const FollowedImages& images, const CudaTree& built);

  std::optional<BlockGrid> grid_;
  const std::uint32_t* block_ = nullptr;  ///< [point], see BlockedCloud
  std::int64_t points_ = 0;
  int count_ = 0, level_ = 0;
  int parts_[3] = {};
  double edge_ = 0;  ///< of a box, scaled
  Scaling scale_;
  DeviceArray<BlockBox> boxes_;
  DeviceArray<BoxId> at_;
  /// What the matrices on the device are of; see make_box_shifts.
  struct Made {
    int degree = -1, parts[3] = {}, pitch = 0;
    double ratio = 0;  ///< of the edge of a box to the unit
    bool is_of(int other_degree, const int (&other)[3], double other_ratio) const;
  } made_;
  DeviceArray<float> m2m_, l2l_, part_;
  DeviceArray<double> charge_;
  DeviceField* field_ = nullptr;
  SideStream beside_{Urgency::most};
};

}  // namespace farfield::cuda

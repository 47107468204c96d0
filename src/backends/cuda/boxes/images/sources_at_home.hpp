// SourcesAtHome: places of a tree's targets, for trees whose sources are these and images of them.
//
// Where a leaf's sources are the targets of one leaf, displaced as the two leaves are, stages need no places of its
// own: those of targets serve, and the displacement of two boxes. The few leaves of which this is not true, at the
// border of the images, have places behind the targets', and so have boxes of few sources that are in near lists though
// they are no leaves. So replays move 1.1 million points for 1.1e6 atoms of water, not 2.5.
#pragma once
#include "backends/cuda/boxes/images/image_boxes.hpp"

namespace farfield::cuda {

class SourcesAtHome {
 public:
  explicit SourcesAtHome(DeviceMemory& memory)
      : memory_(memory),
        begin_(memory),
        end_(memory),
        apart_(memory),
        order_(memory),
        about_(memory),
        in_leaf_(memory) {
    for (DeviceArray<double>& x : axis_) x.use(memory);
  }
  void forget();
  /// With the homes that ImageBoxes finds, of a tree whose targets are the points of `images`. In the order of the
  /// memory's stream, which is not captured; waits.
  void find(const CudaTree& built, const FollowedImages& images, const BoxId* home);
  bool found() const { return count_ > 0; }

  /// Points with places: targets in the order of the tree, then the sources apart.
  std::int64_t count() const { return count_; }
  std::int64_t aparts() const { return aparts_; }
  double* axis(int d) { return axis_[d].data(); }
  const std::uint32_t* apart() const { return apart_.data(); }  ///< [aparts()]: their numbers among the tree's sources
  const std::uint32_t* order() const { return order_.data(); }  ///< [count()]: which point each is

  /// Stages then work with these places, and with strengths in this order.
  template <class Real>
  void bind(Work<Real>& work) {
    for (int d = 0; d < 3; ++d) work.source[d] = work.target[d] = axis_[d].data();
    work.tree.source_begin = begin_.data(), work.tree.source_end = end_.data();
    work.in_leaf = in_leaf_.data(), work.about = about_.data(), work.places = count_;
  }

 private:
  void find_apart(const TreeView& tree, std::int64_t targets, const BoxId* box, std::int64_t boxes,
                  DeviceArray<std::int64_t>& offset);
  void copy_places(const CudaTree& built, const FollowedImages& images);

  DeviceMemory& memory_;
  /// [boxes]: of the sources of leaves and of near lists; of other boxes some range as long as theirs.
  DeviceArray<std::int64_t> begin_, end_;
  DeviceArray<std::uint32_t> apart_, order_;
  DeviceArray<BoxId> about_;  ///< [count_]: NearWork::about
  DeviceArray<double> axis_[3];
  DeviceArray<float4> in_leaf_;  ///< NearWork::in_leaf
  std::int64_t count_ = 0, aparts_ = 0;
};

}  // namespace farfield::cuda

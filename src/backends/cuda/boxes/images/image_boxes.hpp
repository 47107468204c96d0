// ImageBoxes: boxes of images whose multipoles are those of boxes at home.
//
// Where boxes begin at a cell's sides, the sources of a box of images are those of a box at home, displaced by a vector
// of the cell, and so is its centre: one multipole serves both, to rounding. A cell of 1:1:10 with 810,000 atoms has
// two such boxes for each at home.
#pragma once
#include "backends/cuda/boxes/tree.hpp"
#include "backends/cuda/work.hpp"
#include "backends/images.hpp"

namespace farfield::cuda {

/// Sources of a tree that are images, and in its order which point each is and which image of it.
struct FollowedImages {
  Images images;
  const std::uint32_t *point, *image;

  __device__ const NearImage& image_of(std::int64_t source) const { return images.shifts[image[source]]; }
  /// Is the source its point itself?
  __device__ bool at_home(std::int64_t source) const {
    const double* const shift = image_of(source).shift;
    return shift[0] == 0 && shift[1] == 0 && shift[2] == 0;
  }
};

/// The box that stands for this one, `home` as in ImageBoxesView.
__device__ inline BoxId box_at_home(const BoxId* home, BoxId box) { return home[box] == no_box ? box : home[box]; }

/// leaf[point]: the leaf of each point of one of the tree's sets, sources or targets.
struct LeafOfPoints {
  TreeView tree;
  const std::int64_t *begin, *end;  ///< the set's, [boxes]
  BoxId* leaf;
  __device__ void operator()(std::int64_t i) const {
    const auto box = static_cast<BoxId>(i);
    if (!tree.is_leaf(box)) return;
    for (std::int64_t p = begin[box]; p < end[box]; ++p) leaf[p] = box;
  }
};

class ImageBoxes {
 public:
  explicit ImageBoxes(DeviceMemory& memory)
      : home_(memory), first_source_(memory), own_(memory), apart_(memory), parent_(memory) {}
  void forget() {
    for (DeviceArray<BoxId>* a : {&home_, &first_source_, &own_, &apart_, &parent_}) a->release();
    view_ = {};
  }
  /// In the order of the memory's stream, for which it waits; `scale` is that of the tree's build.
  void find(const CudaTree& built, const FollowedImages& images, const Scaling& scale);
  /// A box is an image of one at home to rounding, and holds no targets. Nothing before find().
  const ImageBoxesView& view() const { return view_; }

 private:
  void find_homes(const CudaTree& built, const FollowedImages& images, const Scaling& scale);
  void find_levels(const TreeView& tree, BoxId parents, DeviceMemory& memory);

  DeviceArray<BoxId> home_, first_source_, own_, apart_, parent_;
  BoxId parent_begin_[max_levels + 2] = {};
  ImageBoxesView view_;
};

}  // namespace farfield::cuda

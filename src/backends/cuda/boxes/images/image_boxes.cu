#include <cmath>

#include "backends/cuda/boxes/choose_numbers.hpp"
#include "backends/cuda/boxes/images/image_boxes.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "tree/displacement.hpp"
#include "tree/geometry.hpp"

namespace farfield::cuda {
namespace {

/// Of the difference of two centres to the displacement of their sources, in edges: what single rounds coordinates by.
/// Boxes divide a cell to 2^-32 (make_lattice), and images stand some hundred boxes away at most.
constexpr double same_place = 0x1p-23;

/// place[point]: where among the sources it is itself.
struct PlaceOfPoints {
  FollowedImages followed;
  std::uint32_t* place;
  __device__ void operator()(std::int64_t source) const {
    if (followed.at_home(source)) place[followed.point[source]] = static_cast<std::uint32_t>(source);
  }
};

struct LeafOfSources {
  TreeView tree;
  BoxId* leaf;
  __device__ void operator()(std::int64_t i) const {
    const auto box = static_cast<BoxId>(i);
    if (!tree.is_leaf(box)) return;
    for (std::int64_t s = tree.source_begin[box]; s < tree.source_end[box]; ++s) leaf[s] = box;
  }
};

/// home[leaf]: the leaf with as many sources that are all of this one's points. Of one image no point is twice among
/// them.
struct HomesOfLeaves {
  TreeView tree;
  FollowedImages followed;
  Scaling scale;
  const std::uint32_t* place;
  const BoxId* leaf;
  BoxId* home;
  __device__ BoxId leaf_at_home(std::int64_t source) const { return leaf[place[followed.point[source]]]; }
  __device__ void operator()(std::int64_t i) const {
    const auto box = static_cast<BoxId>(i);
    home[box] = no_box;
    if (!tree.is_leaf(box) || tree.source_count(box) == 0 || followed.at_home(tree.source_begin[box])) return;
    const BoxId found = leaf_at_home(tree.source_begin[box]);
    if (tree.source_count(found) == tree.source_count(box) && lies_alike(box, found) && all_in(found, box))
      home[box] = found;
  }
  __device__ bool lies_alike(BoxId box, BoxId found) const {
    const NearImage& image = followed.image_of(tree.source_begin[box]);
    const double rounding = same_place * tree.lattice.edge(tree.level[box]);
    bool alike = tree.level[box] == tree.level[found];
    for (int d = 0; d < 3; ++d) alike &= fabs(displacement(tree, box, found, d) - scale(image.shift[d])) <= rounding;
    return alike;
  }
  __device__ bool all_in(BoxId found, BoxId box) const {
    const std::int32_t* const away = followed.image_of(tree.source_begin[box]).away;
    for (std::int64_t s = tree.source_begin[box]; s < tree.source_end[box]; ++s) {
      const std::int32_t* const own = followed.image_of(s).away;
      if (own[0] != away[0] || own[1] != away[1] || own[2] != away[2] || leaf_at_home(s) != found) return false;
    }
    return true;
  }
};

/// Of boxes whose children are images of the same children of one box.
struct HomesOfParents {
  TreeView tree;
  BoxId first;
  BoxId* home;
  __device__ void operator()(std::int64_t i) const {
    const BoxId box = first + static_cast<BoxId>(i);
    if (!tree.is_leaf(box)) home[box] = of_children(box);
  }
  __device__ BoxId of_children(BoxId box) const {
    const BoxId child = tree.first_child[box];
    if (home[child] == no_box) return no_box;
    const BoxId found = tree.parent[home[child]];
    if (tree.child_mask[found] != tree.child_mask[box]) return no_box;
    for (int k = 0; k < tree.child_count(box); ++k)
      if (home[child + k] != tree.first_child[found] + k) return no_box;
    return found;
  }
};

struct HasOwnPoints {
  TreeView tree;
  const BoxId* home;
  __device__ bool operator()(BoxId box) const {
    return tree.level[box] < 2 || (tree.is_leaf(box) && home[box] == no_box);
  }
};

}  // namespace

void ImageBoxes::find(const CudaTree& built, const FollowedImages& images, const Scaling& scale) {
  const TreeView tree = built.tree.view();
  const cudaStream_t stream = built.memory->stream;
  DeviceArray<std::uint32_t> place(*built.memory);
  DeviceArray<BoxId> leaf(*built.memory);
  place.resize(built.sources.count), leaf.resize(built.sources.count), home_.resize(tree.boxes);
  for_each_index(built.sources.count, PlaceOfPoints{images, place.data()}, stream, "places of points");
  for_each_index(tree.boxes, LeafOfSources{tree, leaf.data()}, stream, "leaves of sources");
  for_each_index(tree.boxes, HomesOfLeaves{tree, images, scale, place.data(), leaf.data(), home_.data()}, stream,
                 "boxes of images");
  for (int level = tree.levels - 2; level >= 0; --level) {
    const BoxId first = tree.level_begin[level];
    for_each_index(tree.level_begin[level + 1] - first, HomesOfParents{tree, first, home_.data()}, stream,
                   "boxes of images");
  }
  owns_ = static_cast<BoxId>(
      choose_numbers(tree.boxes, HasOwnPoints{tree, home_.data()}, own_, *built.memory, "boxes at home"));
}

}  // namespace farfield::cuda

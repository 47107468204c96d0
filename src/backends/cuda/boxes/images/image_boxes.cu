#include <cmath>

#include "backends/cuda/boxes/choose_numbers.hpp"
#include "backends/cuda/boxes/images/image_boxes.hpp"
#include "backends/cuda/runtime/parallel.hpp"
#include "backends/cuda/runtime/range_search.hpp"
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
    if (!tree.is_leaf(box) || tree.source_count(box) == 0 || tree.target_count(box) > 0) return;
    if (followed.at_home(tree.source_begin[box])) return;
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

/// Of a box whose children all are images, the first of their boxes at home; of others the first child.
struct FirstSources {
  TreeView tree;
  const BoxId* home;
  BoxId* first;
  __device__ void operator()(std::int64_t i) const {
    const auto box = static_cast<BoxId>(i);
    first[box] = tree.first_child[box_at_home(home, box)];
  }
};

/// An image that is not found by its parent; m2l does not look for boxes of levels 0 and 1.
struct IsApart {
  TreeView tree;
  const BoxId* home;
  __device__ bool operator()(BoxId box) const {
    return tree.level[box] > 1 && home[box] != no_box && home[tree.parent[box]] == no_box;
  }
};

struct IsParent {
  TreeView tree;
  const BoxId* home;
  __device__ bool operator()(BoxId box) const { return !tree.is_leaf(box) && home[box] == no_box; }
};

/// From a box, the first of its level, to how many parents come before it.
struct CountBelow {
  const BoxId* parent;
  BoxId parents;
  BoxId* limit;
  __device__ void operator()(std::int64_t i) const {
    limit[i] = static_cast<BoxId>(count_below(parent, parents, limit[i]));
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

void ImageBoxes::find_homes(const CudaTree& built, const FollowedImages& images, const Scaling& scale) {
  const TreeView tree = built.tree.view();
  const cudaStream_t stream = built.memory->stream;
  DeviceArray<std::uint32_t> place(*built.memory);
  DeviceArray<BoxId> leaf(*built.memory);
  place.resize(built.sources.count), leaf.resize(built.sources.count), home_.resize(tree.boxes);
  for_each_index(built.sources.count, PlaceOfPoints{images, place.data()}, stream, "places of points");
  for_each_index(tree.boxes, LeafOfPoints{tree, tree.source_begin, tree.source_end, leaf.data()}, stream,
                 "leaves of sources");
  for_each_index(tree.boxes, HomesOfLeaves{tree, images, scale, place.data(), leaf.data(), home_.data()}, stream,
                 "boxes of images");
  for (int level = tree.levels - 2; level >= 0; --level) {
    const BoxId first = tree.level_begin[level];
    for_each_index(tree.level_begin[level + 1] - first, HomesOfParents{tree, first, home_.data()}, stream,
                   "boxes of images");
  }
}

void ImageBoxes::find(const CudaTree& built, const FollowedImages& images, const Scaling& scale) {
  find_homes(built, images, scale);
  const TreeView tree = built.tree.view();
  const BoxId* const home = home_.data();
  first_source_.resize(tree.boxes);
  for_each_index(tree.boxes, FirstSources{tree, home, first_source_.data()}, built.memory->stream, "children at home");
  const auto choose = [&](const auto& wanted, DeviceArray<BoxId>& chosen) {
    return static_cast<BoxId>(choose_numbers(tree.boxes, wanted, chosen, *built.memory, "boxes of images"));
  };
  view_ = {home, first_source_.data()};
  view_.owns = choose(HasOwnPoints{tree, home}, own_), view_.own = own_.data();
  view_.aparts = choose(IsApart{tree, home}, apart_), view_.apart = apart_.data();
  const BoxId parents = choose(IsParent{tree, home}, parent_);
  view_.parent = parent_.data(), view_.parent_begin = parent_begin_;
  find_levels(tree, parents, *built.memory);
}

/// Where the parents of each level begin: boxes are numbered level by level. Waits.
void ImageBoxes::find_levels(const TreeView& tree, BoxId parents, DeviceMemory& memory) {
  DeviceArray<BoxId> begin(memory);
  upload(begin, tree.level_begin, tree.levels + 1, memory.stream);
  for_each_index(tree.levels + 1, CountBelow{parent_.data(), parents, begin.data()}, memory.stream,
                 "levels of parents");
  download(parent_begin_, begin.data(), tree.levels + 1, memory.stream);
  require(cudaStreamSynchronize(memory.stream), "levels of parents");
}

}  // namespace farfield::cuda

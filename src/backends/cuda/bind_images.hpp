// bind_images: what stages know of sources that are images.
#pragma once
#include <utility>

#include "backends/cuda/boxes/follow.hpp"
#include "backends/cuda/far/fixed_degree.hpp"

namespace farfield::cuda {

/// Of a tree that follows its images: which boxes have the multipoles of boxes at home, where m2l is that on tensor
/// cores; and that a leaf with targets has as many of these as sources, since leaves of images have none. `at_home`: it
/// is a replay that reads SourcesAtHome, with strengths in their order; else points that replays have left where they
/// were are moved, if something reads their places. Returns whether launches are others than before.
template <class Real>
bool bind_images(ImagesInTree& images, CudaTree& tree, bool captured, bool at_home, Work<Real>& work) {
  const bool by_operands = work.tensor.ready && !work.rotation && !work.reduced;
  const ImageBoxesView before = std::exchange(work.images, by_operands ? images.boxes().view() : ImageBoxesView{});
  const bool has_images = images.boxes().view().home;
  const double targets = std::exchange(work.targets_per_leaf, has_images ? sources_per_leaf(work) : -1);
  const bool unread = captured && work.images.home && !images.all_stay();  // what stays is read by nothing
  work.in_leaf = nullptr;
  if (at_home)
    images.at_home().bind(work);
  else if (images.others_stay() && !unread)
    images.move_all(tree);
  return before != work.images || targets != work.targets_per_leaf;
}

}  // namespace farfield::cuda

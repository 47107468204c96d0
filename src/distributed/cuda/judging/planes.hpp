// Planes: do points stand in planes (model/placement.hpp)? Asked of the leaves that one plan looks at.
#pragma once
#include <algorithm>
#include <cmath>

#include "backends/cuda/judge/placement/placement.hpp"
#include "distributed/cuda/judging/numbering.hpp"

namespace farfield::distributed {

/// For each stretch of boxes the first full leaf of any rank, as one plan looks at it.
class Planes {
 public:
  Planes(DevicePlaced& placed, const BoxNumbering& numbering)
      : memory_(placed.memory),
        boxes_{
            placed.on_device->mine.data(), placed.on_device->mine.size(), {}, static_cast<BoxId>(placed.boxes_of_all)} {
    std::copy(std::begin(numbering.view().shift), std::end(numbering.view().shift), boxes_.shift);
  }
  void launch(const TreeView& tree, const PlacedPoints& sources, bool softened) {
    first_.resize(boxes_.stretches()), found_.resize(boxes_.stretches());
    farfield::cuda::look_for_planes(tree, sources, boxes_, softened, first_.data(), found_.data(), memory_.stream);
  }
  /// Of this rank, to be shown to all. Waits.
  std::vector<double> numbers() const {
    std::vector<double> all;
    for (const farfield::cuda::FullLeaf& leaf : downloaded(found_.data(), found_.size(), memory_.stream))
      all.insert(all.end(), {leaf.number, leaf.in_planes});
    return all;
  }
  /// `all`: of all ranks, [ranks][pitch]; those of a rank begin at `first`.
  static bool among(const std::vector<double>& all, std::size_t pitch, std::size_t first, std::size_t end) {
    int looked_at = 0, in_planes = 0;
    for (std::size_t i = first; i < end; i += 2) {
      double number = INFINITY, shows = 0;
      for (std::size_t at = i; at < all.size(); at += pitch)
        if (all[at] >= 0 && all[at] < number) number = all[at], shows = all[at + 1];
      looked_at += number<INFINITY, in_planes += shows> 0;
    }
    return in_planes > looked_at / 4;
  }

 private:
  farfield::cuda::DeviceMemory& memory_;
  farfield::cuda::NumberedBoxes boxes_;
  OnDevice<BoxId> first_{memory_};
  OnDevice<farfield::cuda::FullLeaf> found_{memory_};
};

}  // namespace farfield::distributed

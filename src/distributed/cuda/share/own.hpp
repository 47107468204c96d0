// The rank's own tree in device memory, and how its boxes lie among the shared ones.
#pragma once
#include "distributed/cuda/share.hpp"

namespace farfield::distributed {

/// Shared boxes in the tree of a rank: on each level at most one that ranks before it own, too, which then is the first
/// of the level, and at most one whose first owner it is, which is the last.
struct OwnLevels {
  BoxId begin[max_levels + 2] = {};
  bool front[max_levels + 1] = {}, back[max_levels + 1] = {};

  FARFIELD_HD bool is_front(BoxId box, int level) const { return front[level] && box == begin[level]; }
  FARFIELD_HD bool is_back(BoxId box, int level) const { return back[level] && box == begin[level + 1] - 1; }
  FARFIELD_HD bool shared(BoxId box, int level) const { return is_front(box, level) || is_back(box, level); }
  /// Boxes of a level that are not shared: they follow one another from here on.
  FARFIELD_HD BoxId first(int level) const { return begin[level] + front[level]; }
  FARFIELD_HD BoxId count(int level) const { return begin[level + 1] - begin[level] - front[level] - back[level]; }
};

OwnLevels own_levels(const DeviceShare& share, int rank);

/// Builds the boxes of share.own over points in device memory.
farfield::cuda::KeyedTree build_own(DeviceShare& share, const Points& sources, const Points* targets,
                                    const Geometry& geometry, const Decision& decision,
                                    farfield::cuda::DeviceMemory& memory);

/// A box by its corner.
struct BoxPlace {
  Place corner;
  std::int64_t level;
};

/// Finds Top::own, which the host reads with other numbers.
class OwnOfTop {
 public:
  OwnOfTop(const Top& top, int rank, farfield::cuda::DeviceMemory& memory);
  std::int64_t count() const { return std::ssize(wanted_); }
  /// To device memory, in the order of its stream.
  void find(const TreeView& own, std::int64_t* found);
  void store(Top& top, const std::int64_t* found) const;

 private:
  std::vector<BoxPlace> wanted_;
  farfield::cuda::DeviceMemory& memory_;
  OnDevice<BoxPlace> on_device_;
};

}  // namespace farfield::distributed

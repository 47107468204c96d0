// FollowPoints: points that have moved a little keep their boxes; their places in the tree's arrays become the new
// ones.
#pragma once
#include <optional>

#include "backends/cuda/boxes/images/image_boxes.hpp"
#include "backends/cuda/boxes/images/sources_at_home.hpp"
#include "backends/cuda/boxes/images/sources_in_reach.hpp"
#include "backends/cuda/boxes/tree.hpp"
#include "backends/cuda/transfer/points.hpp"
#include "backends/drift.hpp"

namespace farfield::cuda {

/// From the first time on where the points of a tree were when it was built is kept, which costs a copy of them.
void keep_origins(CudaTree& built);
/// The same on another stream, for which it waits.
void keep_origins_beside(CudaTree& built, cudaStream_t stream);

class FollowPoints;

/// Of a tree, which of its sources, and of its boxes, are images.
class ImagesInTree {
 public:
  explicit ImagesInTree(DeviceMemory& memory)
      : point_(memory), image_(memory), boxes_(memory), in_reach_(memory), at_home_(memory) {}
  void forget();
  /// Of the points that the tree was built of, or that follow in it; null: none. Looks for them where it has not, on a
  /// stream that is not captured, beside a capture on another, and waits then. `at_home`: looks for at_home(), too.
  std::optional<FollowedImages> find(const Images* images, const CudaTree& built, const Scaling& scale, bool at_home);
  const ImageBoxes& boxes() const { return boxes_; }

  /// Those whose places are read where boxes have the multipoles of those at home.
  const SourcesInReach& in_reach() const { return in_reach_; }
  const SourcesAtHome& at_home() const { return at_home_; }
  SourcesAtHome& at_home() { return at_home_; }
  /// Moves what replays read, in the order of the tree's stream; see FollowPoints::launch. `by_homes`: boxes have the
  /// multipoles of those at home, so that others may stay where they were; `from_home`: stages can read at_home(), so
  /// that all may.
  void follow(const FollowPoints& points, bool by_homes, bool from_home, int* beyond);
  bool others_stay() const { return others_stay_; }
  bool all_stay() const { return all_stay_; }
  /// Moves all images, and if all stay targets, to where their points are, in the order of the tree's stream.
  void move_all(CudaTree& built) const;

 private:
  const SourcesInReach* let_others_stay();

  DeviceArray<std::uint32_t> point_, image_;
  ImageBoxes boxes_;
  SourcesInReach in_reach_;
  SourcesAtHome at_home_;
  std::optional<FollowedImages> followed_;  ///< as found last
  Scaling scale_;
  bool others_stay_ = false, all_stay_ = false;
  std::uint64_t placement_ = 0;
};

/// In the order of the memory's stream. `sources` and `targets` (null: the sources) are those of the tree, as many,
/// moved; `scale` is that of its build. With `images` the sources are these.
class FollowPoints {
 public:
  FollowPoints(CudaTree& built, const Points& sources, const Points* targets, const Scaling& scale, const Drift& drift,
               const std::optional<FollowedImages>& images);
  /// Moves them, unless one has gone too far. Waits for the stream.
  bool replace() const;
  /// In any case, in one pass and without waiting: *beyond, which the device can write, becomes 1 where one has. The
  /// origins have been kept. `in_reach`: of images those alone; null: all.
  void launch(int* beyond, const SourcesInReach* in_reach) const;
  /// The same of the places in `at_home` alone.
  void launch(int* beyond, SourcesAtHome& at_home) const;
  bool targets_have_images() const { return targets_have_images_; }

 private:
  bool any_beyond() const;
  template <class Body>
  void for_each_set(const Body& body) const;
  template <class Body>
  void given(const DevicePoints& points, SortedPoints& sorted, bool watched, const Body& body) const;

  CudaTree& built_;
  DevicePoints own_, other_;
  Scaling scale_;
  Drift drift_;
  std::optional<FollowedImages> images_;
  bool targets_have_images_;  ///< they are the points that the sources are images of
};

}  // namespace farfield::cuda

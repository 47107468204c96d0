// FollowPoints: points that have moved a little keep their boxes; their places in the tree's arrays become the new
// ones.
#pragma once
#include "backends/cuda/boxes/tree.hpp"
#include "backends/cuda/transfer/points.hpp"
#include "backends/drift.hpp"

namespace farfield::cuda {

/// From the first time on where the points of a tree were when it was built is kept, which costs a copy of them.
void keep_origins(CudaTree& built);

/// In the order of the memory's stream. `sources` and `targets` (null: the sources) are those of the tree, as many,
/// moved; `scale` is that of its build.
class FollowPoints {
 public:
  FollowPoints(CudaTree& built, const Points& sources, const Points* targets, const Scaling& scale, const Drift& drift);
  /// Has one gone too far? Waits for the stream.
  bool any_beyond() const;
  void replace() const;
  /// Both, in one pass and without waiting: *beyond, which the device can write, becomes 1 where one has. The origins
  /// have been kept.
  void launch(int* beyond) const;

 private:
  template <class Body>
  void for_each_set(const Body& body) const;

  CudaTree& built_;
  DevicePoints own_, other_;
  Scaling scale_;
  Drift drift_;
};

}  // namespace farfield::cuda

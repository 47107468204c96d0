// SourcesInReach: sources of a tree with images whose places something reads.
//
// Pairs read those of leaves that touch a box with targets, or its parent; p2m those of boxes that are no images
// (ImageBoxes). Images reach as far as the far images begin, and most are in neither: of 3.1 million sources of 1.1e6
// atoms in a cube 1.4 million have to follow their points.
#pragma once
#include "backends/cuda/boxes/tree.hpp"

namespace farfield::cuda {

class SourcesInReach {
 public:
  explicit SourcesInReach(DeviceMemory& memory) : source_(memory) {}
  void forget() { source_.release(), count_ = 0; }
  /// With the homes that ImageBoxes finds. In the order of the memory's stream, which is not captured; waits.
  void find(const CudaTree& built, const BoxId* home);
  /// Their numbers in the order of the tree, and what pads its arrays; [count()] in device memory.
  const std::uint32_t* source() const { return source_.data(); }
  std::int64_t count() const { return count_; }

 private:
  DeviceArray<std::uint32_t> source_;
  std::int64_t count_ = 0;
};

}  // namespace farfield::cuda

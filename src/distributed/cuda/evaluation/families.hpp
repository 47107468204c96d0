// Families of p2p (backends/cuda/near) whose members are leaves of several ranks: they are what they are in the tree of
// all points, since that decides in which order the pairs of a leaf are summed.
#pragma once
#include "backends/cuda/near/p2p_work.hpp"
#include "distributed/cuda/placed.hpp"

namespace farfield::distributed {

class FamiliesOverRanks {
 public:
  explicit FamiliesOverRanks(farfield::cuda::DeviceMemory& memory);

  /// `candidates`: of P2pWork for the essential tree; `mean`: most targets per member. All ranks call it. Waits for the
  /// stream.
  farfield::cuda::SplitFamilies settle(const DevicePlaced& placed, const std::uint8_t* candidates, int mean,
                                       cudaStream_t stream);

 private:
  farfield::cuda::DeviceMemory& memory_;
  OnDevice<BoxId> parent_;
  OnDevice<farfield::cuda::Family> family_;
};

}  // namespace farfield::distributed

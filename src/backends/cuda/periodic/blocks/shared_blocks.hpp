// SharedBlocks: of points that several ranks hold, those whose parts of blocks are summed on this one
// (backends/aligned_blocks.hpp): its own, and what other ranks send of its last parts, by way of host memory.
#pragma once
#include "backends/aligned_blocks.hpp"
#include "backends/cuda/periodic/blocked_cloud.hpp"

namespace farfield::cuda {

class SharedBlocks {
 public:
  SharedBlocks(DeviceMemory& memory, const OtherPoints& others);
  /// After the cloud's place().
  void place(const BlockedCloud& cloud, std::int64_t of_part);

  /// Points in the order of blocks; the last `received()` of the arrays are others'.
  OrderedPoints ordered() const;
  const std::int32_t* part_begin() const { return parts_.begin(); }
  std::int64_t received() const { return received_; }
  /// Numbers of own points, with room for those received behind them, which it fills in. Waits.
  void complete(double* numbers);

 private:
  void expand(const std::vector<AlignedBlocks::Run>& runs, DeviceArray<std::uint32_t>& to) const;

  DeviceMemory& memory_;
  const OtherPoints& others_;
  const std::uint32_t* own_order_ = nullptr;
  std::int64_t own_ = 0, received_ = 0;
  std::vector<std::int64_t> sent_to_, received_from_;
  DeviceArray<std::uint32_t> sent_, order_;
  DeviceArray<double> axis_[3], out_;
  BlockParts parts_;
};

}  // namespace farfield::cuda

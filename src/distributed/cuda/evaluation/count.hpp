// Counts of what was built, over all ranks: the numbers of one tree.
#pragma once
#include <farfield/report.hpp>

#include "backends/cuda/judge/accounts.hpp"
#include "distributed/cuda/placed.hpp"

namespace farfield::distributed {

class CountsOverRanks {
 public:
  explicit CountsOverRanks(farfield::cuda::DeviceMemory& memory);

  /// Counts the pairs of a new share beside what follows on memory.stream.
  void launch(const DevicePlaced& placed, bool reduced);
  /// Of the last launch. All ranks call it.
  void finish(DevicePlaced& placed, farfield::Report& report);
  /// That the work is done on.
  farfield::cuda::SideStream& stream() { return side_; }

 private:
  void count_own(const DeviceShare& share, cudaStream_t stream);

  farfield::cuda::DeviceMemory& memory_;
  farfield::cuda::SideStream side_;
  farfield::cuda::Accounts accounts_;
  OnDevice<std::int64_t> kept_;  ///< ends of targets that are counted
  OnDevice<unsigned long long> counts_;
  farfield::cuda::PinnedArray<unsigned long long> found_{2};  ///< own leaves, rows of p2l
};

}  // namespace farfield::distributed

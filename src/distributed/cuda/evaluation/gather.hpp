// Gather: strengths in the order of the trees, those of the rank's own sources and those of its ghosts.
#pragma once
#include "backends/cuda/transfer/strengths.hpp"
#include "backends/sequence.hpp"
#include "distributed/cuda/placed.hpp"

namespace farfield::distributed {

/// Of each vector over all ranks, from those of this rank.
std::vector<StrengthRange> ranges_over_ranks(Ranks& ranks, const std::vector<StrengthRange>& own);

class StrengthsOverRanks {
 public:
  explicit StrengthsOverRanks(farfield::cuda::DeviceMemory& memory)
      : memory_(memory), strengths_(memory), out_(memory), in_(memory) {}

  /// Copies host memory; the range of each vector over all ranks.
  std::vector<StrengthRange> read(DevicePlaced& placed, const Strengths& strengths, cudaStream_t stream);

  /// sorted[i]: of the rank's own sources in the order of the tree, rounded to T only after their scaling.
  template <class T>
  void own(DevicePlaced& placed, const OneVector& v, T* sorted, cudaStream_t stream);
  /// Of all sources of the essential tree, `count` numbers: 0 in its gaps and behind its last source.
  template <class T>
  void gather(DevicePlaced& placed, const OneVector& v, T* strength, std::int64_t count, cudaStream_t stream);

 private:
  farfield::cuda::DeviceMemory& memory_;
  farfield::cuda::DeviceStrengths strengths_;
  OnDevice<unsigned char> out_, in_;
};

}  // namespace farfield::distributed

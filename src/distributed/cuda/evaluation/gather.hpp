// Gather: strengths and dipoles in the order of the trees, those of the rank's own sources and those of its ghosts.
#pragma once
#include "backends/cuda/transfer/strengths.hpp"
#include "backends/sequence.hpp"
#include "distributed/cuda/placed.hpp"

namespace farfield::distributed {

/// Numbers of ghosts, from those who own the points: one of each, or four.
class Ghosts {
 public:
  explicit Ghosts(farfield::cuda::DeviceMemory& memory) : out_(memory), in_(memory) {}
  /// `numbers`: arrays of all sources of the essential tree, the rank's own there. All ranks call it.
  template <class T>
  void fetch(DevicePlaced& placed, const std::vector<T*>& numbers, cudaStream_t stream);

 private:
  OnDevice<unsigned char> out_, in_;
};

class StrengthsOverRanks {
 public:
  explicit StrengthsOverRanks(farfield::cuda::DeviceMemory& memory)
      : memory_(memory), strengths_(memory), ghosts_(memory) {}

  /// Copies host memory; the range of each vector over all ranks.
  std::vector<StrengthRange> read(DevicePlaced& placed, const Strengths& strengths, cudaStream_t stream);

  /// What the rank's own sources carry, in the order of the tree, rounded to T only after its scaling. `moments`: an
  /// array of charges, or with three more of dipoles.
  template <class T>
  void own(DevicePlaced& placed, const OneVector& v, const std::vector<T*>& moments, cudaStream_t stream);
  /// The same of all sources of the essential tree, in arrays of `count` numbers: 0 in its gaps and behind its last
  /// source.
  template <class T>
  void gather(DevicePlaced& placed, const OneVector& v, const std::vector<T*>& moments, std::int64_t count,
              cudaStream_t stream);

 private:
  template <class T>
  void pack(const OneVector& v, int unit, const std::uint32_t* order, std::int64_t count, const std::vector<T*>& to,
            cudaStream_t stream);
  template <class T>
  void travel(DevicePlaced& placed, const OneVector& v, const std::vector<T*>& moments, cudaStream_t stream);

  farfield::cuda::DeviceMemory& memory_;
  farfield::cuda::DeviceStrengths strengths_;
  Ghosts ghosts_;
};

}  // namespace farfield::distributed

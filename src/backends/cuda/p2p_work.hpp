// P2pWork: which leaves p2p serves by families and which by tiles, made on the device once per build.
#pragma once
#include "backends/cuda/array.hpp"
#include "backends/cuda/work.hpp"

namespace farfield::cuda {

class P2pWork {
 public:
  explicit P2pWork(DeviceMemory& memory);

  /// `tile`: targets per PairTile; `family_mean`: most targets of a leaf in the mean of a family, 0 for none;
  /// `sources`, `targets`: of the whole tree.
  struct Limits {
    int tile, family_mean;
    std::int64_t sources, targets;
  };
  void build(const TreeView& tree, const ListsView& lists, const Limits& limits, cudaStream_t stream);

  NearWork view() const;

 private:
  std::int64_t most_tiles_ = 0, most_families_ = 0;
  int room_ = 0;
  DeviceArray<std::uint8_t> candidate_, scratch_;
  DeviceArray<std::uint64_t> place_;
  DeviceArray<std::int32_t> count_;
  DeviceArray<PairTile> tile_;
  DeviceArray<Family> family_;
};

}  // namespace farfield::cuda

// P2pWork: which leaves p2p serves by families and which by tiles, made on the device once per build.
#pragma once
#include "backends/cuda/runtime/array.hpp"
#include "backends/cuda/work.hpp"

namespace farfield::cuda {

/// Threads of a tile's block. Small leaves need many small blocks, since most blocks still wait for their data when
/// they start: 64 threads give 1.5 times the rate of 128 at a mean of 8 to 16 points, 1.1 at 32, and 0.96 at 64 (one
/// H200).
inline constexpr int narrow_tile = 64, wide_tile = 128;

/// The limits that are fastest in a precision, measured on one H200 by bench/gpu_p2p.
template <class Real>
struct P2pLimits {
  static constexpr bool single = sizeof(Real) == 4;
  int per_thread = single ? 4 : 2;     ///< targets per thread of a tile (PairShape::tile)
  int family_mean = single ? 26 : 20;  ///< families up to this many targets per leaf, in the family's mean; 0: none
  int narrow_mean = single ? 56 : 32;  ///< narrow tiles up to this many sources per leaf, in the tree's mean
};

class P2pWork {
 public:
  explicit P2pWork(DeviceMemory& memory);

  /// `sources`, `targets`: numbers of points in the whole tree.
  template <class Real>
  void build(const TreeView& tree, const ListsView& lists, std::int64_t sources, std::int64_t targets,
             cudaStream_t stream, const P2pLimits<Real>& limits = {}) {
    // in a uniform tree 7/8 of the boxes are leaves
    const double mean = static_cast<double>(sources) / (0.875 * (tree.boxes + 1.0));
    wide_ = mean > limits.narrow_mean;
    // With few families the launch is a handful of long blocks (0.1 of 0.8 ms at N = 2^20, 32 per leaf); skip them.
    const int family_mean = mean > 1.1 * limits.family_mean ? 0 : limits.family_mean;
    build(tree, lists, targets, family_mean, limits.per_thread * (wide_ ? wide_tile : narrow_tile), stream);
  }

  NearWork view() const;

 private:
  void build(const TreeView& tree, const ListsView& lists, std::int64_t targets, int family_mean, int tile,
             cudaStream_t stream);

  std::int64_t most_tiles_ = 0, most_families_ = 0;
  bool wide_ = false;
  DeviceArray<std::uint8_t> candidate_, scratch_;
  DeviceArray<std::uint64_t> place_;
  DeviceArray<std::int32_t> count_;
  DeviceArray<PairTile> tile_;
  DeviceArray<Family> family_;
};

}  // namespace farfield::cuda

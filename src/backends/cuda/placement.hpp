// The sums behind the expected error (plan/placement.hpp) over a tree in device memory: nothing but partial sums is
// copied to the host. The numbers are the host's up to rounding and to the leaves that are sampled.
#pragma once
#include "backends/cuda/array.hpp"
#include "backends/cuda/tree.hpp"
#include "plan/degree.hpp"

namespace farfield::cuda {

class DeviceSums final : public PlacementSums {
 public:
  DeviceSums(const CudaTree& tree, DeviceMemory& memory);

  int levels() const override { return view_.levels; }
  double targets() const override { return static_cast<double>(target_count_); }
  bool in_planes() override;
  bool heaped(std::int64_t most) override;
  ResultNorms norms() override;
  Placement placement(const ResultNorms& norms, int degree) override;

 private:
  /// Blocks' shares of the points of all boxes: share k of box b is first[b] + k.
  struct Shares {
    DeviceArray<std::int32_t> first;
    DeviceArray<BoxId> box;
    std::int64_t most = 0;
  };

  std::vector<double> read(const DeviceArray<double>& parts);
  void divide(Shares& shares, const PlacedPoints& points, std::int64_t count);
  void occupations(DeviceArray<float>& corner, Shares& shares, const PlacedPoints& points, std::int64_t count, double rate);

  DeviceMemory& memory_;
  TreeView view_;
  PlacedPoints sources_, targets_;
  bool alike_;
  std::int64_t source_count_, target_count_;
  Shares source_shares_, target_shares_;
};

}  // namespace farfield::cuda

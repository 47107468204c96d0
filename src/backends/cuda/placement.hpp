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
  std::vector<double> read(const DeviceArray<double>& parts);
  const DeviceArray<float>& occupations(DeviceArray<float>& corner, const PlacedPoints& points, double rate);

  DeviceMemory& memory_;
  TreeView view_;
  PlacedPoints sources_, targets_;
  bool alike_;
  std::int64_t target_count_;
};

}  // namespace farfield::cuda

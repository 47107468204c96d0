// DevicePlacement: the sums from which the degree is settled (model/degree.hpp) over the ranks' trees in device memory.
// They are those of one plan, over the same boxes and points where it draws some, up to rounding. All ranks add the
// same numbers in the same order, and so settle the same degree.
#pragma once
#include <optional>

#include "backends/cuda/judge/placement/placement.hpp"
#include "distributed/cuda/judging/numbering.hpp"
#include "model/degree.hpp"

namespace farfield::distributed {

/// All its functions are called by all ranks.
class DevicePlacement final : public PlacementSums {
 public:
  /// `degree`: the first that will be asked about.
  DevicePlacement(DevicePlaced& placed, int degree, farfield::cuda::SideStream& near_stream,
                  farfield::cuda::SideStream& far_stream);
  int levels() const override { return placed_.levels_of_all; }
  double targets() const override { return static_cast<double>(placed_.geometry.targets); }
  bool in_planes() override { return in_planes_; }
  double finest_edge() const override { return essential_.lattice.edge(levels() - 1); }
  bool heaped(std::int64_t most) override { return largest_leaf_ > most; }
  ResultNorms norms() override;
  Placement typical(const ResultNorms& norms, int degree) override;
  Placement facing(const ResultNorms& norms, int degree) override;

 private:
  void look_at_leaves(int degree, farfield::cuda::SideStream& near_stream, farfield::cuda::SideStream& far_stream);
  void sum_far();
  std::vector<double> norms_at_own_samples(std::int64_t& samples);
  double mean_in_leaves();
  PlacedPoints sources() const;
  PlacedPoints targets_of_rank() const;

  DevicePlaced& placed_;
  cudaStream_t stream_;
  TreeView essential_;
  BoxNumbering numbering_;
  bool in_planes_ = false;
  std::int64_t largest_leaf_ = 0;
  int first_degree_;
  std::optional<farfield::cuda::FarSums> far_;
};

}  // namespace farfield::distributed

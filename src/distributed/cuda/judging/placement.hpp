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
  /// `degree`: the first that will be asked about. `softening`: scaled like the points. `planes_alone`: nothing is
  /// asked but whether points stand in planes.
  DevicePlacement(DevicePlaced& placed, int degree, double softening, bool planes_alone,
                  farfield::cuda::SideStream& near_stream, farfield::cuda::SideStream& far_stream);
  int levels() const override { return placed_.levels_of_all; }
  double targets() const override { return static_cast<double>(placed_.geometry.targets); }
  bool in_planes() override { return found().in_planes; }
  double finest_edge() const override { return essential_.lattice.edge(levels() - 1); }
  bool heaped(std::int64_t most) override { return found().largest_leaf > most; }
  ResultNorms norms() override { return found().norms; }
  Placement typical(const ResultNorms& norms, int degree) override;
  Placement facing(const ResultNorms& norms, int degree) override;

 private:
  /// What leaves tell, of all ranks.
  struct Found {
    bool in_planes = false;
    std::int64_t largest_leaf = 0;
    ResultNorms norms;
  };
  struct Samples;
  const Found& found();
  Samples sample() const;
  std::vector<double> norms_at(const Samples& samples) const;
  Found look();
  ResultNorms norms_of(const std::vector<double>& sums, std::int64_t samples) const;
  void sum_far();
  PlacedPoints own_sources() const;
  PlacedPoints sources() const;
  PlacedPoints targets_of_rank() const;

  DevicePlaced& placed_;
  cudaStream_t stream_;
  TreeView essential_;
  BoxNumbering numbering_;
  double softening_;
  bool planes_alone_;
  farfield::cuda::SideStream &near_stream_, &far_stream_;
  std::optional<Found> found_;
  int first_degree_;
  std::optional<farfield::cuda::FarSums> far_;
};

}  // namespace farfield::distributed

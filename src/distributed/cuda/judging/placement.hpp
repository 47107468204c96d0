// DevicePlacement: the sums from which the degree is settled (model/degree.hpp) over the ranks' trees in device memory.
// Those of one plan up to rounding where it sums all boxes, and up to its sampling where it draws some. All ranks add
// the same numbers in the same order, and so settle the same degree.
#pragma once
#include <optional>

#include "backends/cuda/judge/placement.hpp"
#include "distributed/cuda/placed.hpp"
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
  void look_at_own(int degree, farfield::cuda::SideStream& near_stream, farfield::cuda::SideStream& far_stream);
  /// How points of one kind occupy the boxes of the essential tree: [boxes][32].
  struct Occupied {
    const PlacedPoints points;           ///< of the own tree
    OnDevice<float> own, top, essential;
  };
  void occupy(Occupied& kind, bool with_ghosts);
  std::vector<float> of_shared(const Occupied& kind);
  void sum_far();
  std::vector<double> norms_at_own_samples(std::int64_t& samples);

  DevicePlaced& placed_;
  cudaStream_t stream_;
  TreeView own_, essential_;
  bool in_planes_ = false;
  std::int64_t largest_leaf_ = 0;
  double own_leaf_[2] = {};  ///< see PlacementFindings
  int first_degree_;
  std::optional<farfield::cuda::FarSums> far_;
};

}  // namespace farfield::distributed

// HostBoxPoints: BoxPoints in host memory, in double.
#pragma once
#include "backends/box_points.hpp"
#include "plan/repeating/host_arrays.hpp"

namespace farfield {

class HostBoxPoints : public BoxPoints {
 public:
  explicit HostBoxPoints(int threads) : threads_(threads) {}
  void read(const UnitCell& cell, const Points& sources, const Points* targets, bool at_sources) override;
  FractionRange range(int i) override;
  void place(const BlockGrid& grid) override;
  bool follow(const Points& sources, const Points* targets, double reach) override;
  std::int64_t sources() const override { return sources_.count(); }
  std::int64_t targets() const override { return all_targets().count(); }
  std::int64_t images() const override { return std::ssize(source_); }
  Points with_images() const override { return with_images_.view(); }
  Points at() const override { return all_targets().view(); }
  std::int64_t bytes() const override;
  Strengths take(const Strengths& strengths, std::int64_t vector) override;
  Net net() override;
  void expand(BlockField& field, double scale) override;
  Outputs near_sums(bool potential, bool gradient) override;
  Norms add_far(const BlockField& field) override;
  void deliver(std::int64_t vector, const Outputs& outputs) override;
  Vector3 pull() override;
  std::array<double, 6> virial_of_points(const Vector3& origin) override;
  std::array<double, 6> virial_of_far(const BlockField& field) override { return field.virial(); }
  std::vector<Vector3> pulls_of_images(const NearSums& near) override;

 private:
  const HostPoints& all_targets() const { return alike_ ? sources_ : targets_; }
  void wrap(HostPoints& points) const;
  bool near_placed(HostPoints& points, const HostPoints& placed, double reach) const;
  void take_samples();
  void move_images();
  std::vector<double> charges() const { return {charge_.begin(), charge_.begin() + sources()}; }

  int threads_;
  std::optional<UnitCell> cell_;
  bool alike_ = true, at_sources_ = false;
  std::int64_t apart_ = -1;       ///< targets that are not sources
  HostPoints sources_, targets_;  ///< within the cell; targets_: all of them, empty where they are the sources
  HostPoints placed_sources_, placed_targets_;  ///< where they were in place(), once they have moved since
  HostPoints with_images_;                      ///< sources_ and their near images
  std::vector<std::uint32_t> source_;           ///< of each image
  std::vector<CellIndex> image_;                ///< where each of them is
  BlockedPoints blocked_sources_, blocked_targets_, sample_;
  HostPoints sampled_;
  std::vector<double> charge_;  ///< of the sources and of the images
  HostSums sums_;
};

}  // namespace farfield

// HostBoxPoints: BoxPoints in host memory, in double. Others may hold further points of the cell (point_parts.hpp):
// what is asked of all points is of theirs, too.
#pragma once
#include "backends/box_points.hpp"
#include "plan/repeating/host_arrays.hpp"
#include "plan/repeating/point_parts.hpp"

namespace farfield {

class HostBoxPoints : public BoxPoints {
 public:
  HostBoxPoints(const PointParts& parts, int threads) : parts_(parts), threads_(threads) {}
  void read(const UnitCell& cell, const Points& sources, const Points* targets, bool at_sources) override;
  FractionRange range(int i) override;
  void place(const BlockGrid& grid) override;
  bool follow(const Points& sources, const Points* targets, double reach) override;
  std::int64_t sources() const override { return part_->all(); }
  std::int64_t targets() const override;
  std::int64_t images() const override { return images_; }
  Points with_images() override { return with_images_.view(); }
  Points at() const override { return all_targets().view(); }
  std::int64_t behind() const override { return alike_ || !at_sources_ ? -1 : sources_.count(); }
  std::int64_t bytes() const override;
  Strengths take(const Strengths& strengths, std::int64_t vector) override;
  Net net() override;
  void expand(BlockField& field, double scale) override;
  Outputs near_sums(bool gradient, Scalar scalar) override;
  Norms add_far(const BlockField& field) override;
  void deliver(std::int64_t vector, const Outputs& outputs) override;
  Vector3 pull() override;
  std::array<double, 6> virial_of_points(const Vector3& origin) override;
  std::array<double, 6> virial_of_far(const BlockField& field) override { return field.virial(); }
  std::vector<Vector3> pulls_of_images(const NearSums& near) override;

 private:
  const HostPoints& all_targets() const { return alike_ ? sources_ : targets_; }
  void wrap(HostPoints& points) const;
  void require_numbers() const;
  bool near_placed(HostPoints& points, const HostPoints& placed, double reach) const;
  void take_samples();
  void add_images(const BlockGrid& grid);
  void find_summed();
  void move_images();
  double squares(const PartOfPoints& part, std::span<const double> own, std::int64_t width) const;
  double norm(const std::vector<double>& sums, std::int64_t width) const;
  double norm_of_samples(const std::vector<double>& values, std::int64_t width) const;
  Vector3 pull_of(const std::vector<double>& gradient) const;

  const PointParts& parts_;
  int threads_;
  std::optional<UnitCell> cell_;
  bool alike_ = true, at_sources_ = false, with_gradient_ = false;
  std::int64_t apart_ = -1;       ///< targets that are not sources
  HostPoints sources_, targets_;  ///< within the cell; targets_: all of them, empty where they are the sources
  HostPoints placed_sources_, placed_targets_;  ///< where they were in place(), once they have moved since
  std::unique_ptr<PartOfPoints> part_;          ///< which of all sources these are
  std::unique_ptr<PartOfPoints> part_apart_;    ///< and which of the targets that are not sources
  HostPoints with_images_;                      ///< each source and its near images, one source behind the other
  std::vector<std::uint32_t> source_;           ///< of each of these
  std::vector<CellIndex> image_;                ///< where each of them is; 0 0 0: the source itself
  std::int64_t images_ = 0;                     ///< of all sources
  Summed summed_[3];                            ///< coordinates
  BlockedPoints blocked_sources_, blocked_targets_, sample_;
  HostPoints sampled_;
  std::int64_t sampled_apart_ = 0;    ///< of those, which are not sources
  std::vector<double> charge_;        ///< of the sources
  std::vector<double> image_charge_;  ///< of them and of their images
  HostSums sums_;
};

}  // namespace farfield

// Box: sums of 1/r over points in a periodic cell of any shape, made of sums that are not periodic: a plan whose
// sources are the points and those of their images that are near, and expansions for all other images
// (docs/mathematics/periodic.md). Both read the points where BoxPoints keeps them, in host or device memory.
#pragma once
#include <farfield/plan.hpp>
#include <optional>

#include "backends/box_points.hpp"
#include "plan/repeating/host_box_points.hpp"
#include "plan/repeating/repeating.hpp"

namespace farfield {

/// The cell of the options; throws Error where it is none.
UnitCell cell_of(const Options& options);
/// Throws Error(usage) for options that periodic cells do not offer.
void validate_box(const Options& options);

class Box : public Repeating {
 public:
  /// `targets` null: the sources. With Options::at_sources results at the sources follow those at the targets. `parts`,
  /// who outlives this: others that hold points of the cell; all call the same functions.
  Box(const Options& options, const Points& sources, const Points* targets, const PointParts& parts = no_others);
  bool move(const Options& options, const Points& sources, const Points* targets) override;
  void forget() override { forgets_ = true; }
  void evaluate(const Strengths& strengths, const Outputs& outputs) override;
  bool capture_move(const Points& sources, const Points* targets) override;
  bool capture_evaluation(const Strengths& strengths, const Outputs& outputs) override;
  void check_replays() const override;
  const Report& report() const override { return report_; }
  Backend backend() const override { return on_device_ ? Backend::cuda : Backend::cpu; }
  /// Along open axes for points as far apart as the longest vector of the cell; without expansions that are made longer
  /// for single strengths.
  static RepeatedBound bound(const Options& options, std::int64_t sources, std::int64_t targets);

 private:
  static constexpr double first_share = 0.5;
  bool follow(const Points& sources, const Points* targets);
  bool any_on_device(const Points& sources, const Points* targets) const;
  void use(bool device);
  void build(const Points& sources, const Points* targets);
  static int box_degree(const Options& options);
  BlockGrid grid_for(BoxPoints& points, const UnitCell& cell, double margin) const;
  std::optional<BlockGrid> other_grid(BoxPoints& points, const UnitCell& cell, bool other_cell) const;
  bool suits(BoxPoints& points) const;
  void take_cell(const Options& options);
  bool is_as_planned(BoxPoints& points) const;
  void make_plan();
  void move_near(BoxPoints& points, const BlockGrid& grid);
  std::optional<DividedCell> divided_cell(const BlockGrid& grid) const;
  bool gains_by_boxes() const;
  std::optional<BlockGrid> grid_of_boxes() const;
  void follow_near();
  void make_field(int degree);
  void require_neutral() const;
  void describe();
  std::int64_t bytes() const;
  void find_virial(double* virial);
  Scalar near_scalar(Scalar wanted) const;
  bool capture_in_place(const Strengths& strengths, std::int64_t vector, const Outputs& outputs);
  BoxPoints::Norms sum_once(const Strengths& charges, Scalar wanted);
  bool is_good_enough(const BoxPoints::Norms& norms);
  bool raise_degree(const BoxPoints::Norms& norms);

  const PointParts& parts_;
  Options options_;
  bool with_gradient_;  ///< asked for; the virial needs it in any case
  UnitCell cell_;
  int threads_;
  Simd simd_ = Simd::baseline;
  std::unique_ptr<BoxPoints> points_, next_;  ///< next_: what the next move fills
  bool on_device_ = false;                    ///< these
  std::optional<BlockGrid> grid_;
  std::unique_ptr<NearPlan> near_;
  std::int64_t table_bytes_ = 0;  ///< of far_
  std::optional<BlockField> far_;
  bool images_followed_ = false;  ///< did the near plan take the last points as images?
  bool evaluated_ = false;        ///< since the points were placed
  bool forgets_ = false;          ///< what evaluations needed is no part of the next move
  double share_ = first_share;    ///< of the norm of the near images' sum: down to this the tolerance is kept
  Vector3 near_pull_{};           ///< of the virial: the sum of q times the near plan's gradient
  Report report_, own_;           ///< own_: stages that the near plan does not have
};

}  // namespace farfield

// Box: sums of 1/r over points in a periodic cell of any shape, made of sums that are not periodic: a plan whose
// sources are the points and those of their images that are near, and expansions for all other images
// (docs/mathematics/periodic.md).
#pragma once
#include <farfield/plan.hpp>
#include <optional>

#include "expansions/periodic/block_field.hpp"
#include "plan/repeating/host_arrays.hpp"
#include "plan/repeating/repeating.hpp"

namespace farfield {

/// The cell of the options; throws Error where it is none.
UnitCell cell_of(const Options& options);
/// Throws Error(usage) for options that periodic cells do not offer.
void validate_box(const Options& options);

class Box : public Repeating {
 public:
  /// `targets` null: the sources. With Options::at_sources results at the sources follow those at the targets.
  Box(const Options& options, const Points& sources, const Points* targets);
  void evaluate(const Strengths& strengths, const Outputs& outputs) override;
  const Report& report() const override { return report_; }
  /// Along open axes for points as far apart as the longest vector of the cell; without expansions that are made longer
  /// for single strengths.
  static RepeatedBound bound(const Options& options, std::int64_t sources, std::int64_t targets);

 private:
  void place_images();
  void wrap(HostPoints& points) const;
  static int box_degree(const Options& options);
  void make_grid();
  void add_images();
  void make_plan();
  void make_field(int degree);
  void require_neutral(const std::vector<double>& charge) const;
  void describe();
  void find_virial(const std::vector<double>& charge, const HostSums& sums, double* virial);
  void add_images_virial(const std::vector<double>& charge, double* virial);
  HostSums sum_once(const std::vector<double>& charge);
  bool is_good_enough(const HostSums& sums);
  bool raise_degree(const HostSums& sums);
  const HostPoints& at() const { return alike_ ? sources_ : targets_; }

  Options options_;
  bool with_gradient_;  ///< asked for; the virial needs it in any case
  UnitCell cell_;
  bool alike_;
  std::int64_t apart_ = -1;  ///< targets that are not sources
  int threads_;
  HostPoints sources_, targets_;  ///< within the cell; targets_: all of them, empty where they are the sources
  std::optional<BlockGrid> grid_;
  HostPoints with_images_;             ///< sources_ and their near images
  std::vector<std::uint32_t> source_;  ///< of each image
  std::vector<CellIndex> image_;       ///< of the virial: where each of them is
  BlockedPoints blocked_sources_, blocked_targets_, sample_;
  HostPoints sampled_;
  std::optional<Plan> near_;
  std::optional<BlockField> far_;
  double near_potential_ = 0, near_gradient_ = 0;  ///< L2 norms of the near plan's results
  Vector3 near_pull_{};                            ///< of the virial: sum of q times the near plan's gradient
  double share_ = 0.5;   ///< of the norm of the near images' sum: down to this the tolerance is kept
  Report report_, own_;  ///< own_: stages that the near plan does not have
};

}  // namespace farfield

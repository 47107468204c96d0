// Rows: sums over points that repeat along x without end, made of sums that do not (kernels/periodic/row.hpp): a plan
// whose sources are the points with their nearest images on both sides, and a series for all other images.
#pragma once
#include <farfield/plan.hpp>
#include <optional>

#include "kernels/periodic/coincident.hpp"
#include "kernels/periodic/row.hpp"
#include "plan/repeating/host_arrays.hpp"
#include "plan/repeating/repeating.hpp"

namespace farfield {

/// Throws Error(usage) for axes and cells that the kernel does not offer.
void validate_rows(const Options& options);

class Rows : public Repeating {
 public:
  /// `targets` null: the sources. With Options::at_sources results at the sources follow those at the targets.
  Rows(const Options& options, const Points& sources, const Points* targets);
  void evaluate(const Strengths& strengths, const Outputs& outputs) override;
  const Report& report() const override { return report_; }

 private:
  using Flat = HostPoints;
  struct Range {
    double low, high;
  };
  Range range(const std::vector<double> Flat::*axis) const;
  void bring_into_cell(double left);
  void make_plan();
  double least_size() const;
  void describe();
  using Sums = HostSums;
  /// L2 norms over those of the nearest images alone.
  struct Sizes {
    double potential = 1, gradient = 1;
  };
  Sizes add_far(const std::vector<double>& q, Sums& sums);
  void add_far_at(std::size_t target, const std::vector<double>& q, double all, Sums& sums) const;

  Options options_;
  bool alike_;
  std::int64_t apart_ = 0;  ///< targets that are not sources
  double unit_ = 1;         ///< the inner plan's coordinates over the caller's: a power of 2
  Flat sources_, targets_;  ///< targets_: of the inner plan; empty where they are the sources
  std::optional<Plan> near_;
  std::optional<RowSum> far_;
  std::optional<CoincidentSources> coincident_;  ///< for the stream function without cores
  Report report_;
};

}  // namespace farfield

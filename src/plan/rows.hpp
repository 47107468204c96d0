// Rows: sums over points that repeat along x without end, made of sums that do not (kernels/periodic/row.hpp): a plan
// whose sources are the points with their nearest images on both sides, and a series for all other images.
#pragma once
#include <farfield/plan.hpp>
#include <optional>

#include "kernels/periodic/row.hpp"

namespace farfield {

/// Throws Error(usage) for axes and cells that the kernel does not offer.
void validate_periodic(const Options& options);

class Rows {
 public:
  /// `targets` null: the sources. With Options::at_sources results at the sources follow those at the targets.
  Rows(const Options& options, const Points& sources, const Points* targets);
  void evaluate(const Strengths& strengths, const Outputs& outputs);
  const Report& report() const { return report_; }

 private:
  struct Flat {
    std::vector<double> x, y, z;
  };
  struct Range {
    double low, high;
  };
  static Flat read(const Points& points);
  Range range(const std::vector<double> Flat::*axis) const;
  void bring_into_cell(double left);
  void make_plan();
  void describe();
  std::vector<double> strengths_of(const Strengths& strengths, std::int64_t vector) const;
  /// Adds the far images; returns the L2 norm of the sum over that without them.
  double add_far(const std::vector<double>& q, std::vector<double>& result);

  Options options_;
  bool alike_;
  std::int64_t apart_ = 0;  ///< targets that are not sources
  Flat sources_, targets_;  ///< targets_: of the inner plan; empty where they are the sources
  std::optional<Plan> near_;
  std::optional<RowSum> far_;
  Report report_;
};

}  // namespace farfield

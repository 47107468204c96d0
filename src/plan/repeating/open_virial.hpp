// OpenVirial: points that do not repeat, whose virial is asked for: a plan that gives their gradient, and the sum of
// x F beside it, where the plan runs.
#pragma once
#include <farfield/plan.hpp>

#include "backends/virial_sum.hpp"
#include "plan/repeating/host_arrays.hpp"
#include "plan/repeating/repeating.hpp"

namespace farfield {

class OpenVirial : public Repeating {
 public:
  /// `parts`, who outlives this: others that hold points of the sum; all call the same functions.
  OpenVirial(const Options& options, const Points& sources, const PointParts& parts = no_others);
  void evaluate(const Strengths& strengths, const Outputs& outputs) override;
  const Report& report() const override { return report_; }
  Backend backend() const override;

 private:
  void describe();

  bool with_gradient_;
  std::unique_ptr<NearPlan> plan_;
  std::unique_ptr<VirialSum> sum_;
  Report report_;
};

}  // namespace farfield

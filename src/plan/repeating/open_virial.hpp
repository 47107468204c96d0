// OpenVirial: points that do not repeat, whose virial is asked for: a plan that gives their gradient, and the sum of
// x F beside it.
#pragma once
#include <farfield/plan.hpp>

#include "plan/repeating/host_arrays.hpp"
#include "plan/repeating/repeating.hpp"

namespace farfield {

class OpenVirial : public Repeating {
 public:
  OpenVirial(const Options& options, const Points& sources);
  void evaluate(const Strengths& strengths, const Outputs& outputs) override;
  const Report& report() const override { return report_; }

 private:
  void describe();

  HostPoints sources_;
  std::array<double, 3> origin_;  ///< amid the points, where the least digits are lost
  bool with_gradient_;
  Plan plan_;
  Report report_;
};

}  // namespace farfield

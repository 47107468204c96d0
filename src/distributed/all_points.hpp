// AllPoints: where `choose` takes all pairs there are few points as a rule. Every rank gets all of them and makes the
// same ordinary plan, from whose results it takes its own.
#pragma once
#include <farfield/plan.hpp>

#include "distributed/ranks.hpp"

namespace farfield::distributed {

class AllPoints {
 public:
  AllPoints(Ranks& ranks, const Points& points, const farfield::Options& options);
  void evaluate(Ranks& ranks, const Strengths& strengths, const Outputs& outputs);
  const farfield::Report& report() const { return plan_->report(); }

 private:
  Begins begin_;  ///< of the ranks' points among all
  std::unique_ptr<farfield::Plan> plan_;
};

}  // namespace farfield::distributed

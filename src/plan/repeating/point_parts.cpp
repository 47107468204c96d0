#include "plan/repeating/point_parts.hpp"

#include <farfield/plan.hpp>

#include "plan/repeating/plan_of_images.hpp"

namespace farfield {
namespace {

class OnePlan final : public NearPlan {
 public:
  OnePlan(const NearPoints& points, const Options& options) : plan_(PlanOfImages::make(points, options)) {}
  void move(const NearPoints& points) override { PlanOfImages::move(plan_, points); }
  bool follow(const Images& images, const Points& targets) override {
    return PlanOfImages::follow(plan_, images, targets);
  }
  void forget() override { plan_.forget(); }
  void evaluate(const Strengths& strengths, const Outputs& outputs) override { plan_.evaluate(strengths, outputs); }
  bool takes_addends() const override { return true; }
  void evaluate_onto(const Strengths& strengths, const Outputs& outputs, const Addend& addend) override {
    PlanOfImages::evaluate_onto(plan_, strengths, outputs, addend);
  }
  const Report& report() const override { return plan_.report(); }
  void check_replays() const override { plan_.check_replays(); }
  int boxes_across() const override { return PlanOfImages::boxes_across(plan_); }

 private:
  Plan plan_;
};

}  // namespace

std::unique_ptr<NearPlan> PointParts::near_plan(const NearPoints& points, const Options& options) const {
  return std::make_unique<OnePlan>(points, options);
}

}  // namespace farfield

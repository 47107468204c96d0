#include "plan/repeating/point_parts.hpp"

#include <farfield/plan.hpp>

#include "plan/repeating/plan_of_images.hpp"

namespace farfield {
namespace {

class OnePlan final : public NearPlan {
 public:
  OnePlan(const Points& sources, const Points* targets, const Options& options)
      : plan_(targets ? Plan(sources, *targets, options) : Plan(sources, options)) {}
  void move(const Points& sources, const Points* targets, std::int64_t /*behind*/) override {
    targets ? plan_.move(sources, *targets) : plan_.move(sources);
  }
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

 private:
  Plan plan_;
};

}  // namespace

std::unique_ptr<NearPlan> PointParts::near_plan(const Points& sources, const Points* targets, std::int64_t /*behind*/,
                                                const Options& options) const {
  return std::make_unique<OnePlan>(sources, targets, options);
}

}  // namespace farfield

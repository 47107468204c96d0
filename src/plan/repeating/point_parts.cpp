#include "plan/repeating/point_parts.hpp"

#include <farfield/plan.hpp>

namespace farfield {
namespace {

class OnePlan final : public NearPlan {
 public:
  OnePlan(const Points& sources, const Points* targets, const Options& options)
      : plan_(targets ? Plan(sources, *targets, options) : Plan(sources, options)) {}
  void move(const Points& sources, const Points* targets, std::int64_t /*behind*/) override {
    targets ? plan_.move(sources, *targets) : plan_.move(sources);
  }
  bool follow(const Images& images, const Points& targets) override { return follow_images(plan_, images, targets); }
  void forget() override { plan_.forget(); }
  void evaluate(const Strengths& strengths, const Outputs& outputs) override { plan_.evaluate(strengths, outputs); }
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

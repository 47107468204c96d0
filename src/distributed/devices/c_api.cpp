// Plans over several devices in the C interface: made here, used by the functions of all plans.
#include <farfield/devices_plan.hpp>

#include "plan/c/convert.hpp"
#include "plan/c/plan.hpp"

namespace {

using namespace farfield;
using namespace farfield::c;

struct OnDevices final : farfield_plan {
  explicit OnDevices(distributed::DevicesPlan&& made) : plan(std::move(made)) {}
  void evaluate(const Strengths& strengths, const Outputs& outputs) override { plan.evaluate(strengths, outputs); }
  void move(const Points& sources, const farfield_points* targets) override { move_to(plan, sources, targets); }
  void set_cell(const std::array<double, 9>& vectors) override { plan.set_cell(vectors); }
  void forget() override { plan.forget(); }
  const Report& report() const override { return plan.report().plan; }

  distributed::DevicesPlan plan;
};

}  // namespace

extern "C" int farfield_plan_create_on_devices(farfield_plan** plan, const farfield_points* sources,
                                               const farfield_points* targets, const int* devices, int count,
                                               const farfield_options* options) {
  if (plan) *plan = nullptr;
  return guarded([&] {
    farfield_plan*& result = required(plan, "plan");
    const Points from = points_from(required(sources, "sources"));
    if (count < 0) throw Error(ErrorCode::input, "the number of devices is negative");
    if (count > 0) required(devices, "devices");
    const std::vector<int> all(devices, devices + count);
    const Options o = options_from(options);
    result = new OnDevices(targets ? distributed::DevicesPlan(from, points_from(*targets), all, o)
                                   : distributed::DevicesPlan(from, all, o));
  });
}

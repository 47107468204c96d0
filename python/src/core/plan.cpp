// Plans. The Python layer has checked and allocated all arrays; here the interpreter's lock is given
// back, and a plan that is in use by another thread is refused.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <atomic>
#include <farfield/devices_plan.hpp>
#include <string>
#include <variant>
#include <vector>

#include "core.hpp"
#include "use.hpp"

namespace farfield::python {

namespace {

using distributed::DevicesPlan;
/// On one device, or over several.
using AnyPlan = std::variant<Plan, DevicesPlan>;
using MaybeDevices = std::optional<std::vector<int>>;

AnyPlan made(const Points& sources, const std::optional<Points>& targets, const Options& options,
             const MaybeDevices& devices) {
  const nb::gil_scoped_release unlocked;
  if (devices)
    return targets ? DevicesPlan(sources, *targets, *devices, options) : DevicesPlan(sources, *devices, options);
  return targets ? Plan(sources, *targets, options) : Plan(sources, options);
}

const Report& report_of(const Plan& plan) { return plan.report(); }
const Report& report_of(const DevicesPlan& plan) { return plan.report().plan; }

std::optional<Points> targets_of(const MaybeArray& positions, const MaybeArray& softening, Stream stream) {
  if (!positions) return {};
  return points_of(*positions, softening, stream);
}

class OwnPlan {
 public:
  OwnPlan(const Array& sources, const MaybeArray& softening, const MaybeArray& targets,
          const MaybeArray& target_softening, const nb::dict& options, Stream stream, const MaybeDevices& devices)
      : plan_(made(points_of(sources, softening, stream), targets_of(targets, target_softening, stream),
                   options_of(options), devices)),
        device_(device_of(sources)) {}

  void move(const Array& sources, const MaybeArray& softening, const MaybeArray& targets,
            const MaybeArray& target_softening, Stream stream) {
    const Use use(busy_);
    const Points from = points_of(sources, softening, stream);
    const std::optional<Points> to = targets_of(targets, target_softening, stream);
    const nb::gil_scoped_release unlocked;
    std::visit([&](auto& plan) { to ? plan.move(from, *to) : plan.move(from); }, plan_);
    device_ = device_of(sources);
  }

  void set_cell(const std::array<double, 9>& vectors) {
    const Use use(busy_);
    std::visit([&](auto& plan) { plan.set_cell(vectors); }, plan_);
  }

  void forget() {
    const Use use(busy_);
    std::visit([](auto& plan) { plan.forget(); }, plan_);
  }

  void check_replays() const {
    if (const Plan* const one = std::get_if<Plan>(&plan_)) one->check_replays();
  }

  void evaluate(const MaybeArray& strengths, const MaybeArray& dipoles, const OutputArrays& outputs, Report& report,
                Stream stream) {
    const Use use(busy_);
    for (const MaybeArray* given : {&strengths, &dipoles})
      if (*given) require_beside(device_, **given);
    const Strengths from = strengths_of(strengths, dipoles, stream);
    const Outputs to = outputs_of(outputs, stream);
    const nb::gil_scoped_release unlocked;
    std::visit([&](auto& plan) { plan.evaluate(from, to), report = report_of(plan); }, plan_);
  }

  void report(Report& report) {
    const Use use(busy_);
    std::visit([&](const auto& plan) { report = report_of(plan); }, plan_);
  }

  /// Of a plan over several devices; none of another.
  std::vector<distributed::RankReport> ranks() {
    const Use use(busy_);
    const DevicesPlan* const several = std::get_if<DevicesPlan>(&plan_);
    return several ? several->report().ranks : std::vector<distributed::RankReport>();
  }

 private:
  AnyPlan plan_;
  int device_;  ///< of the sources
  std::atomic_flag busy_;
};

}  // namespace

void bind_plan(nb::module_& module) {
  nb::class_<OutputArrays>(module, "Outputs")
      .def(
          "__init__",
          [](OutputArrays* self, MaybeMutableArray potential, MaybeMutableArray gradient, MaybeMutableArray hessian,
             MaybeMutableArray source_potential, MaybeMutableArray source_gradient, MaybeMutableArray source_hessian,
             MaybeMutableArray virial) {
            new (self) OutputArrays{
                std::move(potential),       std::move(gradient),       std::move(hessian), std::move(source_potential),
                std::move(source_gradient), std::move(source_hessian), std::move(virial)};
          },
          nb::arg("potential") = nb::none(), nb::arg("gradient") = nb::none(), nb::arg("hessian") = nb::none(),
          nb::arg("source_potential") = nb::none(), nb::arg("source_gradient") = nb::none(),
          nb::arg("source_hessian") = nb::none(), nb::arg("virial") = nb::none());
  nb::class_<OwnPlan>(module, "Plan")
      .def(nb::init<const Array&, const MaybeArray&, const MaybeArray&, const MaybeArray&, const nb::dict&, Stream,
                    const MaybeDevices&>(),
           nb::arg("sources"), nb::arg("softening").none(), nb::arg("targets").none(),
           nb::arg("target_softening").none(), nb::arg("options"), nb::arg("stream") = 0,
           nb::arg("devices") = nb::none())
      .def("move", &OwnPlan::move, nb::arg("sources"), nb::arg("softening").none(), nb::arg("targets").none(),
           nb::arg("target_softening").none(), nb::arg("stream") = 0)
      .def("set_cell", &OwnPlan::set_cell, nb::arg("vectors"))
      .def("forget", &OwnPlan::forget)
      .def("check_replays", &OwnPlan::check_replays)
      .def("evaluate", &OwnPlan::evaluate, nb::arg("strengths").none(), nb::arg("dipoles").none(), nb::arg("outputs"),
           nb::arg("report"), nb::arg("stream") = 0)
      .def("report", &OwnPlan::report, nb::arg("report"))
      .def("ranks", &OwnPlan::ranks);
  module.def(
      "memory_bound",
      [](std::int64_t sources, std::int64_t targets, const nb::dict& options) {
        return Plan::memory_bound(sources, targets, options_of(options));
      },
      nb::arg("sources"), nb::arg("targets"), nb::arg("options"));
}

}  // namespace farfield::python

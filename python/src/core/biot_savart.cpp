// Vortex particles; results are arrays that own what the library allocated.
#include <nanobind/stl/optional.h>

#include <atomic>

#include "owned.hpp"
#include "use.hpp"

namespace farfield::python {

namespace {

class OwnBiotSavart {
 public:
  OwnBiotSavart(const Array& particles, const MaybeArray& targets, const nb::dict& options, Stream stream)
      : target_count_(targets ? targets->shape(0) : particles.shape(0)),
        alike_(!targets),
        options_(options_of(options)),
        sums_(made(particles, targets, options_, stream)) {}

  void move(const Array& particles, const MaybeArray& targets, Stream stream) {
    const Use use(busy_);
    const Points from = points_of(particles, {}, stream);
    const std::optional<Points> to = targets ? std::optional(points_of(*targets, {}, stream)) : std::nullopt;
    const nb::gil_scoped_release unlocked;
    to ? sums_.move(from, *to) : sums_.move(from);
    target_count_ = static_cast<std::size_t>((to ? *to : from).count);
    alike_ = !to;
  }

  nb::tuple evaluate(const Array& strengths, Report& report) {
    const Use use(busy_);
    return strengths.dtype() == nb::dtype<float>() ? evaluated<float>(strengths, report)
                                                   : evaluated<double>(strengths, report);
  }

 private:
  static BiotSavart made(const Array& particles, const MaybeArray& targets, const Options& options, Stream stream) {
    const Points from = points_of(particles, {}, stream);
    const std::optional<Points> to = targets ? std::optional(points_of(*targets, {}, stream)) : std::nullopt;
    const nb::gil_scoped_release unlocked;
    return to ? BiotSavart(from, *to, options) : BiotSavart(from, options);
  }

  template <Real T>
  nb::tuple evaluated(const Array& strengths, Report& report) {
    const std::span<const T> numbers(static_cast<const T*>(strengths.data()), strengths.size());
    VortexField<T> field;
    {
      const nb::gil_scoped_release unlocked;
      field = sums_.evaluate(numbers);
    }
    report = field.report;
    nb::object gradient = nb::none(), stretching = nb::none();
    if (options_.hessian) gradient = as_array(std::move(field.velocity_gradient), {target_count_, 3, 3});
    if (options_.hessian && alike_) stretching = as_array(std::move(field.stretching), {target_count_, 3});
    return nb::make_tuple(as_array(std::move(field.velocity), {target_count_, 3}), gradient, stretching);
  }

  std::size_t target_count_;
  bool alike_;
  Options options_;
  BiotSavart sums_;
  std::atomic_flag busy_;
};

}  // namespace

void bind_biot_savart(nb::module_& module) {
  nb::class_<OwnBiotSavart>(module, "BiotSavart")
      .def(nb::init<const Array&, const MaybeArray&, const nb::dict&, Stream>(), nb::arg("particles"),
           nb::arg("targets").none(), nb::arg("options"), nb::arg("stream") = 0)
      .def("move", &OwnBiotSavart::move, nb::arg("particles"), nb::arg("targets").none(), nb::arg("stream") = 0)
      .def("evaluate", &OwnBiotSavart::evaluate, nb::arg("strengths"), nb::arg("report"));
}

}  // namespace farfield::python

// Bodies under their own gravity.
#include <nanobind/stl/optional.h>

#include <atomic>
#include <motion/diagnostics.hpp>
#include <motion/mover.hpp>

#include "owned.hpp"
#include "use.hpp"

namespace farfield::python {

namespace {

class OwnMotion {
 public:
  OwnMotion(const Doubles& positions, const Doubles& velocities, const Doubles& masses,
            const std::optional<Doubles>& lengths, double dt, double gravity, const nb::dict& options)
      : bodies_(as_list(positions), as_list(velocities), as_list(masses), as_list(lengths)),
        options_(options_of(options)) {
    const nb::gil_scoped_release unlocked;
    mover_ = motion::make_mover(bodies_, options_, {dt, gravity});
  }

  void step() {
    const Use use(busy_);
    const nb::gil_scoped_release unlocked;
    mover_->step();
  }

  /// Kinetic, potential, total energy, virial ratio; momentum, angular momentum, centre: 13 numbers.
  nb::object diagnose() {
    const Use use(busy_);
    const motion::Diagnostics d = motion::diagnose(mover_->sums());
    std::vector<double> numbers = {d.kinetic, d.potential, d.total, d.virial_ratio};
    for (const motion::Vector& v : {d.momentum, d.angular_momentum, d.centre})
      numbers.insert(numbers.end(), v.begin(), v.end());
    return as_array(std::move(numbers), {13});
  }

  /// Positions, velocities and potential, copied as they are now.
  nb::tuple bodies() {
    const Use use(busy_);
    mover_->fetch();
    const auto n = static_cast<std::size_t>(bodies_.count());
    return nb::make_tuple(as_array(std::vector<double>(bodies_.positions()), {n, 3}),
                          as_array(std::vector<double>(bodies_.velocities()), {n, 3}),
                          as_array(std::vector<double>(bodies_.potential()), {n}));
  }

  void report(Report& report) {
    const Use use(busy_);
    report = mover_->report();
  }

 private:
  motion::HostArrays bodies_;
  Options options_;
  std::unique_ptr<motion::Mover> mover_;
  std::atomic_flag busy_;
};

/// (E - E_0) / |E_0| of rows of `diagnose`.
double energy_change(const Doubles& now, const Doubles& first) {
  const auto of = [](const Doubles& row) {
    motion::Diagnostics d;
    d.kinetic = row.data()[0], d.potential = row.data()[1], d.total = row.data()[2];
    return d;
  };
  return motion::energy_change(of(now), of(first));
}

}  // namespace

void bind_motion(nb::module_& module) {
  nb::class_<OwnMotion>(module, "Motion")
      .def(nb::init<const Doubles&, const Doubles&, const Doubles&, const std::optional<Doubles>&, double, double,
                    const nb::dict&>(),
           nb::arg("positions"), nb::arg("velocities"), nb::arg("masses"), nb::arg("softening").none(), nb::arg("dt"),
           nb::arg("gravity"), nb::arg("options"))
      .def("step", &OwnMotion::step)
      .def("diagnose", &OwnMotion::diagnose)
      .def("bodies", &OwnMotion::bodies)
      .def("report", &OwnMotion::report, nb::arg("report"));
  module.def("energy_change", &energy_change, nb::arg("now"), nb::arg("first"));
}

}  // namespace farfield::python

// Coulomb sums of molecules. The Python layer has checked and allocated all arrays.
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "owned.hpp"
#include "use.hpp"

namespace farfield::python {

namespace {

/// Contiguous whole numbers in host memory, as the Python layer has made them.
using Wholes = nb::ndarray<const std::int64_t, nb::c_contig, nb::device::cpu>;

std::span<const std::int64_t> list_of(const Wholes& array) { return {array.data(), array.size()}; }
std::span<const double> list_of(const std::optional<Doubles>& array) {
  return array ? std::span<const double>(array->data(), array->size()) : std::span<const double>();
}

class OwnCoulomb {
 public:
  OwnCoulomb(const Array& positions, const nb::dict& options, const nb::dict& more, const Exclusions& pairs,
             Stream stream)
      : virial_(options_of(options).virial),
        device_(device_of(positions)),
        sums_(made(points_of(positions, {}, stream), options_of(options), coulomb_options_of(more), pairs)) {}

  void move(const Array& positions, const std::optional<Doubles>& cell, Stream stream) {
    const Use use(busy_);
    const Points at = points_of(positions, {}, stream);
    const nb::gil_scoped_release unlocked;
    std::array<double, 9> rows;
    if (cell) std::copy_n(cell->data(), 9, rows.begin());
    cell ? sums_.move(at, rows) : sums_.move(at);
    device_ = device_of(positions);
  }

  /// Numbers by the names that farfield.CoulombSums has. `outputs`: its gradient is where the forces go.
  nb::dict evaluate(const Array& charges, const std::optional<Doubles>& dipole, const OutputArrays& outputs,
                    const MutableArray& energies, Report& report, Stream stream) {
    const Use use(busy_);
    require_beside(device_, charges);
    const Strengths from = strengths_of(charges, {}, stream);
    const Outputs to = outputs_of(outputs, stream);
    const CoulombOutputs into{to.potential, to.gradient, energies.data(), to.scalar, to.space, to.stream};
    CoulombSums sums;
    {
      const nb::gil_scoped_release unlocked;
      std::optional<std::array<double, 3>> moment;
      if (dipole) moment = {dipole->data()[0], dipole->data()[1], dipole->data()[2]};
      sums = sums_.evaluate(from, into, moment);
    }
    report = sums.report;
    return as_dict(sums);
  }

 private:
  static Coulomb made(const Points& positions, const Options& options, const CoulombOptions& more,
                      const Exclusions& pairs) {
    const nb::gil_scoped_release unlocked;
    return Coulomb(positions, options, more, pairs);
  }

  nb::dict as_dict(const CoulombSums& sums) const {
    const auto list = [](const auto& values) {
      return as_array(std::vector<double>(values.begin(), values.end()), {values.size()});
    };
    const auto [xx, yy, zz, xy, xz, yz] = sums.virial;
    nb::dict found;
    found["energy"] = sums.energy;
    found["net_force"] = list(sums.net_force);
    found["rms_force"] = sums.rms_force;
    found["charge"] = sums.charge;
    found["dipole"] = list(sums.dipole);
    found["virial"] = nb::none();
    if (virial_) found["virial"] = as_array(std::vector<double>{xx, xy, xz, xy, yy, yz, xz, yz, zz}, {3, 3});
    return found;
  }

  bool virial_;
  int device_;  ///< of the positions
  Coulomb sums_;
  std::atomic_flag busy_;
};

}  // namespace

void bind_coulomb(nb::module_& module) {
  nb::class_<Exclusions>(module, "Exclusions")
      .def(nb::init<>())
      .def_static(
          "of_pairs",
          [](std::int64_t particles, const Wholes& pairs, const std::optional<Doubles>& kept) {
            return Exclusions::of_pairs(particles, list_of(pairs), list_of(kept));
          },
          nb::arg("particles"), nb::arg("pairs"), nb::arg("kept").none())
      .def_static(
          "of_rows",
          [](const Wholes& starts, const Wholes& others, const std::optional<Doubles>& kept) {
            return Exclusions::of_rows(list_of(starts), list_of(others), list_of(kept));
          },
          nb::arg("starts"), nb::arg("others"), nb::arg("kept").none())
      .def_static(
          "of_bonds",
          [](std::int64_t particles, const Wholes& bonds, double first, double second, double third) {
            return Exclusions::of_bonds(particles, list_of(bonds), {first, second, third});
          },
          nb::arg("particles"), nb::arg("bonds"), nb::arg("first"), nb::arg("second"), nb::arg("third"))
      .def("__len__", &Exclusions::pair_count);
  nb::class_<OwnCoulomb>(module, "Coulomb")
      .def(nb::init<const Array&, const nb::dict&, const nb::dict&, const Exclusions&, Stream>(), nb::arg("positions"),
           nb::arg("options"), nb::arg("more"), nb::arg("exclusions"), nb::arg("stream"))
      .def("move", &OwnCoulomb::move, nb::arg("positions"), nb::arg("cell").none(), nb::arg("stream"))
      .def("evaluate", &OwnCoulomb::evaluate, nb::arg("charges"), nb::arg("dipole").none(), nb::arg("outputs"),
           nb::arg("energies"), nb::arg("report"), nb::arg("stream"))
      .def_static(
          "validate",
          [](const nb::dict& options, const nb::dict& more, const Doubles& charges) {
            Coulomb::validate(options_of(options), coulomb_options_of(more), {charges.data(), charges.size()});
          },
          nb::arg("options"), nb::arg("more"), nb::arg("charges"));
}

}  // namespace farfield::python

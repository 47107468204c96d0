// Reports: every member of farfield::Report under its own name. tests/test_report.py compares these lists with
// include/farfield/report.hpp.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <farfield/distributed.hpp>
#include <string>
#include <vector>

#include "core.hpp"

#define STAGE_FIELDS(F) F(name) F(seconds) F(flops) F(building) F(backend) F(device) F(precision) F(scheme)
#define CHOICE_FIELDS(F) F(name) F(value) F(reason)
#define RANK_FIELDS(F) F(given) F(owned) F(ghosts) F(boxes) F(sent) F(migrants) F(seconds) F(waiting)
#define ERROR_FIELDS(F)                                                                                        \
  F(samples)                                                                                                   \
  F(seed)                                                                                                      \
  F(potential)                                                                                                 \
  F(potential_median)                                                                                          \
  F(potential_p95)                                                                                             \
  F(potential_max) F(gradient) F(gradient_median) F(gradient_p95) F(gradient_max) F(hessian) F(hessian_median) \
      F(hessian_p95) F(hessian_max) F(seconds)
#define REPORT_FIELDS(F)                                                                                            \
  F(version)                                                                                                        \
  F(kernel)                                                                                                         \
  F(method)                                                                                                         \
  F(backend)                                                                                                        \
  F(device)                                                                                                         \
  F(precision) F(simd) F(m2l) F(stencil) F(tolerance) F(tolerance_for) F(scale) F(softening) F(kappa)               \
      F(softening_kind) F(softening_varies) F(least_softening) F(bandwidth) F(relative_to) F(core) F(core_radius)   \
          F(periodic) F(gradient) F(potential) F(hessian) F(dipoles) F(virial) F(vector) F(components) F(threads)   \
              F(degree) F(levels) F(leaf_size) F(coefficients) F(sources) F(targets) F(vectors) F(boxes) F(leaves)  \
                  F(p2p_boxes) F(m2l_boxes) F(m2p_boxes) F(p2l_boxes) F(near_pairs) F(far_fraction) F(memory_bytes) \
                      F(pairs_per_second) F(expected_seconds) F(condition_potential) F(condition_gradient)          \
                          F(condition_hessian) F(estimated_error) F(stages) F(choices) F(warnings) F(error)

namespace farfield::python {

/// A class whose members can be read and, for unpickling, written, with their names in `fields`.
template <class Class>
class FieldsOf {
 public:
  FieldsOf(nb::module_& module, const char* name) : class_(module, name) { class_.def(nb::init<>()); }
  template <class Member>
  void add(const char* name, Member Class::*member) {
    class_.def_rw(name, member);
    names_.push_back(name);
  }
  void add_cell() {
    class_.def_prop_rw(
        "cell",
        [](const Class& c) {
          return std::array<double, 3>{c.cell[0], c.cell[1], c.cell[2]};
        },
        [](Class& c, const std::array<double, 3>& cell) { std::copy(cell.begin(), cell.end(), c.cell); });
    names_.push_back("cell");
  }
  void finish() {
    const std::vector<std::string> names = names_;
    class_.def_static("fields", [names] { return names; });
  }
  nb::class_<Class>& python() { return class_; }

 private:
  nb::class_<Class> class_;
  std::vector<std::string> names_;
};

void bind_report(nb::module_& module) {
#define FIELD(member) fields.add(#member, &Own::member);
  {
    using Own = StageReport;
    FieldsOf<Own> fields(module, "StageReport");
    STAGE_FIELDS(FIELD)
    fields.finish();
  }
  {
    using Own = Choice;
    FieldsOf<Own> fields(module, "Choice");
    CHOICE_FIELDS(FIELD)
    fields.finish();
  }
  {
    using Own = ErrorReport;
    FieldsOf<Own> fields(module, "ErrorReport");
    ERROR_FIELDS(FIELD)
    fields.finish();
  }
  {
    using Own = distributed::RankReport;
    FieldsOf<Own> fields(module, "RankReport");
    RANK_FIELDS(FIELD)
    fields.finish();
  }
  using Own = Report;
  FieldsOf<Own> fields(module, "Report");
  REPORT_FIELDS(FIELD)
  fields.add_cell();
  fields.finish();
  fields.python()
      .def_prop_ro("build_seconds", &Report::build_seconds)
      .def_prop_ro("evaluate_seconds", &Report::evaluate_seconds);
#undef FIELD
}

}  // namespace farfield::python

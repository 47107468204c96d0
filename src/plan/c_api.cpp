// The C interface over Plan: views and options are converted, exceptions become codes here and nowhere else.
#include <farfield/farfield.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <farfield/farfield.hpp>
#include <string>
#include <vector>

#include "plan/c/convert.hpp"
#include "plan/c/plan.hpp"

struct farfield_biot_savart {
  farfield::BiotSavart sum;
  bool with_gradient, alike;  ///< of the velocity; the targets are the particles
  std::vector<std::string> warnings = {};
};

namespace {

using namespace farfield;
using namespace farfield::c;

static_assert(FARFIELD_INTERNAL == static_cast<int>(ErrorCode::internal));
static_assert(FARFIELD_FLOAT64 == static_cast<int>(Scalar::float64));
static_assert(FARFIELD_SPACE_DEVICE == static_cast<int>(MemorySpace::device));

struct OrdinaryPlan final : farfield_plan {
  explicit OrdinaryPlan(Plan&& made) : plan(std::move(made)) {}
  void evaluate(const Strengths& strengths, const Outputs& outputs) override { plan.evaluate(strengths, outputs); }
  void move(const Points& sources, const farfield_points* targets) override { move_to(plan, sources, targets); }
  void set_cell(const std::array<double, 9>& vectors) override { plan.set_cell(vectors); }
  void forget() override { plan.forget(); }
  void check_replays() const override { plan.check_replays(); }
  const Report& report() const override { return plan.report(); }

  Plan plan;
};

// A fixed buffer: storing the sentence must not fail, least of all for want of memory.
thread_local char last_error[1024] = "";

const ErrorReport& measured(const Report& report) {
  if (!report.error)
    throw Error(ErrorCode::usage, "no error was measured; set farfield_options.check and evaluate the plan first");
  return *report.error;
}

template <Real T>
int laplace3d(std::int64_t n, const T* xyz, const T* q, std::int64_t m, const T* targets, double tolerance,
              T* potential, T* gradient) noexcept {
  return guarded([&] {
    if (!targets && m != n)
      throw Error(ErrorCode::input, "targets is null, which means the sources themselves, but m is " +
                                        std::to_string(m) + " and n is " + std::to_string(n) + "; pass m = n");
    Options options;
    options.tolerance = tolerance;
    options.gradient = gradient != nullptr;
    const Points sources = points(xyz, n);
    Plan plan = targets ? Plan(sources, points(targets, m), options) : Plan(sources, options);
    Outputs outputs;
    outputs.potential = potential;
    outputs.gradient = gradient;
    outputs.scalar = scalar_of<T>;
    plan.evaluate(strengths(q, n), outputs);
  });
}

void require_offered(const farfield_biot_savart& b, bool velocity_gradient, bool stretching) {
  if ((velocity_gradient || stretching) && !b.with_gradient)
    throw Error(ErrorCode::usage, std::string(stretching ? "stretching" : "velocity_gradient") +
                                      " is wanted, but farfield_options.hessian was not set; set it, or pass null");
  if (stretching && !b.alike)
    throw Error(ErrorCode::usage, "stretching is that of the particles, but the targets are others; pass null");
}

template <Real T>
int evaluate_vortices(farfield_biot_savart* sum, const T* strengths, std::int64_t particles, T* velocity,
                      T* velocity_gradient, T* stretching) noexcept {
  return guarded([&] {
    farfield_biot_savart& b = required(sum, "sum");
    require_offered(b, velocity_gradient, stretching);
    if (particles < 0) throw Error(ErrorCode::input, "the number of particles is negative");
    if (particles > 0) required(strengths, "strengths");
    const VortexField<T> field = b.sum.evaluate(std::span<const T>(strengths, 3 * static_cast<std::size_t>(particles)));
    b.warnings = field.report.warnings;
    const auto deliver = [](const std::vector<T>& from, T* to) {
      if (to) std::copy(from.begin(), from.end(), to);
    };
    deliver(field.velocity, velocity);
    deliver(field.velocity_gradient, velocity_gradient);
    deliver(field.stretching, stretching);
  });
}

}  // namespace

int farfield::c::fail(ErrorCode code, const char* sentence) noexcept {
  std::snprintf(last_error, sizeof last_error, "%s", sentence);
  return static_cast<int>(code);
}

extern "C" {

void farfield_options_init_sized(farfield_options* options, size_t struct_size) {
  if (!options) return;
  farfield_options all = defaults();
  all.struct_size = struct_size;
  std::memset(options, 0, struct_size);
  std::memcpy(options, &all, std::min(struct_size, sizeof all));
}

int farfield_plan_create(farfield_plan** plan, const farfield_points* sources, const farfield_points* targets,
                         const farfield_options* options) {
  if (plan) *plan = nullptr;
  return guarded([&] {
    farfield_plan*& result = required(plan, "plan");
    const Points from = points_from(required(sources, "sources"));
    result = new OrdinaryPlan(made<Plan>(from, targets, options_from(options)));
  });
}

int farfield_plan_evaluate(farfield_plan* plan, const farfield_strengths* strengths, const farfield_outputs* outputs) {
  return guarded([&] {
    required(plan, "plan")
        .evaluate(strengths_from(required(strengths, "strengths")), outputs_from(required(outputs, "outputs")));
  });
}

int farfield_plan_move(farfield_plan* plan, const farfield_points* sources, const farfield_points* targets) {
  return guarded([&] {
    farfield_plan& p = required(plan, "plan");
    p.move(points_from(required(sources, "sources")), targets);
  });
}

int farfield_plan_set_cell(farfield_plan* plan, const double* vectors) {
  return guarded([&] {
    const double* from = &required(vectors, "vectors");
    std::array<double, 9> cell;
    std::copy_n(from, cell.size(), cell.begin());
    required(plan, "plan").set_cell(cell);
  });
}

int farfield_plan_forget(farfield_plan* plan) {
  return guarded([&] { required(plan, "plan").forget(); });
}

int farfield_plan_check_replays(const farfield_plan* plan) {
  return guarded([&] { required(plan, "plan").check_replays(); });
}

int64_t farfield_plan_memory(const farfield_plan* plan) { return plan ? plan->report().memory_bytes : 0; }

int64_t farfield_memory_bound(int64_t sources, int64_t targets, const farfield_options* options) {
  int64_t bytes = 0;
  const int code = guarded([&] { bytes = Plan::memory_bound(sources, targets, options_from(options)); });
  return code == FARFIELD_OK ? bytes : -1;
}

int farfield_plan_measured_error(const farfield_plan* plan, double* potential, double* gradient) {
  return guarded([&] {
    const ErrorReport& error = measured(required(plan, "plan").report());
    if (potential) *potential = error.potential;
    if (gradient) *gradient = error.gradient;
  });
}

int farfield_plan_measured_hessian_error(const farfield_plan* plan, double* hessian) {
  return guarded([&] {
    const Report& report = required(plan, "plan").report();
    if (!report.hessian) throw Error(ErrorCode::usage, "the plan was made without farfield_options.hessian; set it");
    required(hessian, "hessian") = measured(report).hessian;
  });
}

const char* farfield_plan_warning(const farfield_plan* plan, int64_t index) {
  return plan ? warning_at(plan->report().warnings, index) : nullptr;
}

void farfield_plan_destroy(farfield_plan* plan) { delete plan; }

int farfield_biot_savart_create(farfield_biot_savart** sum, const farfield_points* particles,
                                const farfield_points* targets, const farfield_options* options) {
  if (sum) *sum = nullptr;
  return guarded([&] {
    farfield_biot_savart*& result = required(sum, "sum");
    const Points from = points_from(required(particles, "particles"));
    const Options chosen = options_from(options);
    result = new farfield_biot_savart{made<BiotSavart>(from, targets, chosen), chosen.hessian, !targets};
  });
}

int farfield_biot_savart_evaluate(farfield_biot_savart* sum, const double* strengths, int64_t particles,
                                  double* velocity, double* velocity_gradient, double* stretching) {
  return evaluate_vortices(sum, strengths, particles, velocity, velocity_gradient, stretching);
}

int farfield_biot_savart_evaluatef(farfield_biot_savart* sum, const float* strengths, int64_t particles,
                                   float* velocity, float* velocity_gradient, float* stretching) {
  return evaluate_vortices(sum, strengths, particles, velocity, velocity_gradient, stretching);
}

int farfield_biot_savart_move(farfield_biot_savart* sum, const farfield_points* particles,
                              const farfield_points* targets) {
  return guarded([&] {
    farfield_biot_savart& b = required(sum, "sum");
    move_to(b.sum, points_from(required(particles, "particles")), targets);
    b.alike = !targets;
  });
}

const char* farfield_biot_savart_warning(const farfield_biot_savart* sum, int64_t index) {
  return sum ? warning_at(sum->warnings, index) : nullptr;
}

void farfield_biot_savart_destroy(farfield_biot_savart* sum) { delete sum; }

int farfield_laplace3d(int64_t n, const double* xyz, const double* q, int64_t m, const double* targets,
                       double tolerance, double* potential, double* gradient) {
  return laplace3d(n, xyz, q, m, targets, tolerance, potential, gradient);
}

int farfield_laplace3df(int64_t n, const float* xyz, const float* q, int64_t m, const float* targets, double tolerance,
                        float* potential, float* gradient) {
  return laplace3d(n, xyz, q, m, targets, tolerance, potential, gradient);
}

int farfield_direct_sum(const farfield_points* sources, const farfield_strengths* strengths,
                        const farfield_points* targets, const farfield_outputs* outputs,
                        const farfield_options* options) {
  return guarded([&] {
    const Points from = points_from(required(sources, "sources"));
    direct_sum(from, strengths_from(required(strengths, "strengths")), targets ? points_from(*targets) : from,
               outputs_from(required(outputs, "outputs")), options_from(options));
  });
}

const char* farfield_last_error(void) { return last_error; }

const char* farfield_error_name(int error) {
  static const char* const names[] = {"ok", "accuracy", "usage", "input", "device", "memory", "output", "internal"};
  return error >= 0 && error <= FARFIELD_INTERNAL ? names[error] : "unknown";
}

const char* farfield_version(void) { return FARFIELD_VERSION; }

}  // extern "C"

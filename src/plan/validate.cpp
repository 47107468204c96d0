#include "plan/validate.hpp"

#include <algorithm>
#include <farfield/error.hpp>
#include <string>
#include <type_traits>

#include "kernels/traits.hpp"
#include "model/accounts.hpp"
#include "plan/threads.hpp"
#include "tree/geometry.hpp"

namespace farfield {

/// For an option that is a word: throws Error(usage) if its list has no such value.
template <class Value>
static void require_known(const char* name, Value value) {
  if constexpr (std::is_enum_v<Value>)
    if (!word_of(value))
      throw Error(ErrorCode::usage, std::string(name) + " has the unknown value " +
                                        std::to_string(static_cast<int>(value)) +
                                        "; take one that the documentation lists");
}

void require_known(const Options& o) {
  visit_options(o, [](const OptionText& text, const auto& value) { require_known(text.name, value); });
  if (o.threads < 0 || o.threads > most_threads)
    throw Error(ErrorCode::usage, "threads " + std::to_string(o.threads) + " is outside 0 to " +
                                      std::to_string(most_threads) + "; 0 means all");
}

/// Backend hybrid divides method fmm.
static void settle_halves(Options& o) {
  const auto refuse = [](const std::string& why) {
    throw Error(ErrorCode::usage, "backend hybrid " + why + "; use backend cpu or cuda");
  };
  if (!traits(o.kernel).expands)
    refuse(std::string("divides near and far field, but kernel ") + traits(o.kernel).name + " has no expansions");
  if (o.method != Method::automatic && o.method != Method::fmm)
    refuse(std::string("sums by method fmm, not by method ") + word_of(o.method));
  if (o.periodic != Axes::none) refuse("does not sum points that repeat");
  if (o.virial) refuse("does not sum virials");
  o.method = Method::fmm;
}

Options settled(const Options& options) {
  require_known(options);
  Options all = options;
  if (all.backend == Backend::hybrid) settle_halves(all);
  all.gradient = all.gradient || all.hessian || traits(all.kernel).vector.always;
  return all;
}

std::size_t elements(std::int64_t vectors, std::int64_t width) {
  if (vectors > most_elements / std::max<std::int64_t>(1, width))
    throw Error(ErrorCode::memory, std::to_string(vectors) + " vectors of " + std::to_string(width) +
                                       " numbers are beyond any memory; evaluate fewer vectors at a time");
  return static_cast<std::size_t>(vectors * width);
}

void validate(const Outputs& o, const Options& options, bool alike) {
  if ((o.gradient || o.source_gradient) && !options.gradient)
    throw Error(ErrorCode::usage, "a gradient array was given but the plan was made without options.gradient; set it");
  if ((o.hessian || o.source_hessian) && !options.hessian)
    throw Error(ErrorCode::usage, "a Hessian array was given but the plan was made without options.hessian; set it");
  if (o.virial && !options.virial)
    throw Error(ErrorCode::usage, "a virial array was given but the plan was made without options.virial; set it");
  if ((o.potential || o.source_potential) && !sums_potential(options))
    throw Error(
        ErrorCode::usage,
        std::string("a potential array was given, but kernel ") + traits(options.kernel).name +
            (traits(options.kernel).vector.with_potential ? " sums velocities alone; set options.stream_function"
                                                          : " has no potential; pass null"));
  if (alike &&
      ((o.potential && o.source_potential) || (o.gradient && o.source_gradient) || (o.hessian && o.source_hessian)))
    throw Error(ErrorCode::usage,
                "results at the targets and at the sources were asked for, which are the same points; pass one array");
  if ((o.source_potential || o.source_gradient || o.source_hessian) && !alike && !options.at_sources)
    throw Error(ErrorCode::usage, "results at the sources need options.at_sources when targets are apart; set it");
}

Outputs at_points(const Outputs& outputs) {
  Outputs all = outputs;
  if (!all.potential) all.potential = outputs.source_potential;
  if (!all.gradient) all.gradient = outputs.source_gradient;
  if (!all.hessian) all.hessian = outputs.source_hessian;
  return all;
}

/// Where the numbers of strengths or dipoles stand: `width` of them side by side for each source.
struct Layout {
  const char* what;
  std::int64_t width, stride, pitch;
};

/// Does the last number lie within what 64 bits can address?
static bool can_be_addressed(const Strengths& s, const Layout& l) {
  const std::int64_t last = std::max<std::int64_t>(0, s.count - 1), stride = std::max<std::int64_t>(1, l.stride);
  if (last > (most_elements - l.width) / stride) return false;
  const std::int64_t pitch = l.pitch > 0 ? l.pitch : std::max<std::int64_t>(1, s.count * stride);
  return s.vectors - 1 <= (most_elements - l.width - last * stride) / pitch;
}

static void validate_layout(const Strengths& s, const Layout& l) {
  const std::string what = l.what;
  if (l.stride < 1 && (s.count > 1 || (s.vectors > 1 && l.pitch == 0)))
    throw Error(ErrorCode::input, "the stride of the " + what + " is " + std::to_string(l.stride) +
                                      "; pass the distance between two of them in scalars, " + std::to_string(l.width) +
                                      " where they follow each other");
  if (l.pitch < 0)
    throw Error(ErrorCode::input, "the pitch of the " + what + " is " + std::to_string(l.pitch) +
                                      "; pass the distance between two vectors in scalars, or 0 for count * stride");
  if (!can_be_addressed(s, l))
    throw Error(ErrorCode::input, std::to_string(s.vectors) + " vectors of " + std::to_string(s.count) + " " + what +
                                      " with stride " + std::to_string(l.stride) + " and pitch " +
                                      std::to_string(l.pitch) + " reach beyond any memory; correct these numbers");
}

void require_axes(const Points& points, const char* what, Kernel kernel) {
  if (points.space != MemorySpace::device || points.count < 1) return;
  for (int d = 0; d < traits(kernel).least_axes; ++d)
    if (!points.axis[static_cast<std::size_t>(d)])
      throw Error(ErrorCode::input, std::string("coordinate ") + "xyz"[d] + " of the " + what + "s is a null pointer");
}

void validate(const Strengths& s, std::int64_t sources, bool dipoles, bool device_memory) {
  if (s.space != MemorySpace::host && !device_memory)
    throw Error(ErrorCode::device,
                "strengths are in device memory, but this plan keeps its arrays on the host; pass host memory");
  if (s.count != sources)
    throw Error(ErrorCode::input, std::to_string(s.count) + " strengths were given for " + std::to_string(sources) +
                                      " sources; pass one per source");
  if (s.vectors < 1)
    throw Error(ErrorCode::input, std::to_string(s.vectors) + " strength vectors were given; pass at least one");
  validate_layout(s, {"strengths", 1, s.stride, s.pitch});
  if (s.dipoles && !dipoles)
    throw Error(ErrorCode::usage, "dipoles were given but the plan was made without options.dipoles; set it");
  if (s.dipoles) validate_layout(s, {"dipoles", 3, s.dipole_stride, s.dipole_pitch});
  if (!s.data && !s.dipoles && sources > 0)
    throw Error(ErrorCode::input, "the pointer to the strengths is null; pass one strength per source");
}

/// Of backend hybrid: where a stage of an evaluation runs.
static const char* half_of(const StageReport& stage) {
  const bool on_device = !stage.building && (stage.name == "p2p" || stage.name == "share");
  return word_of(on_device ? Backend::cuda : Backend::cpu);
}

void complete(Report& report) {
  const bool halves = report.backend == word_of(Backend::hybrid);
  for (StageReport& stage : report.stages) {
    stage.flops = stage_flops(stage.name, report);
    stage.backend = halves ? half_of(stage) : report.backend;
    stage.device = stage.backend == word_of(Backend::cpu) ? stage.backend : report.device;
    stage.precision = stage.building ? "double" : report.precision;
    stage.scheme = stage.name == "m2l" ? report.m2l : "";
  }
}

double Report::build_seconds() const {
  double sum = 0;
  for (const StageReport& s : stages) sum += s.building ? s.seconds : 0;
  return sum;
}

double Report::evaluate_seconds() const {
  double sum = 0;
  for (const StageReport& s : stages) {
    const bool beside = backend == word_of(Backend::hybrid) && s.backend == word_of(Backend::cuda);
    sum += s.building || beside ? 0 : s.seconds;
  }
  return sum;
}

const StageReport* Report::stage(const std::string& name) const {
  for (const StageReport& s : stages)
    if (s.name == name) return &s;
  return nullptr;
}

}  // namespace farfield

// Plan: checks arguments at the boundary, lets `choose` decide and hands over to an evaluator.
#include <omp.h>

#include <algorithm>
#include <cstdlib>
#include <farfield/farfield.hpp>
#include <string>

#include "plan/backends.hpp"
#include "plan/error_model.hpp"
#include "plan/names.hpp"
#include "plan/repeat.hpp"
#include "plan/validate.hpp"

namespace farfield {

struct Plan::State {
  Options options;
  bool alike = true;
  std::int64_t sources = 0, apart = 0;  ///< apart: targets that are not the sources
  int threads = 1;
  Backend backend = Backend::cpu;
  Evaluators evaluators;
  std::shared_ptr<void> kept_by_survey;
  Report report;

  void build(const Points& sources, const Points* apart);
  void check_outputs(const Outputs& outputs) const;
};

static int resolve_threads(int wanted) { return wanted > 0 ? wanted : omp_get_max_threads(); }

static Report describe(const Options& o, const Decision& d, const Geometry& g, int threads) {
  Report r;
  r.version = FARFIELD_VERSION;
  r.kernel = name(d.kernel);
  r.method = name(d.method);
  r.backend = r.device = name(d.backend);
  r.precision = name(d.precision);
  r.simd = name(d.simd);
  r.tolerance = o.tolerance;
  r.scale = o.scale;
  r.softening = o.softening;
  r.gradient = o.gradient;
  r.threads = threads;
  r.sources = g.sources;
  r.targets = g.alike ? g.sources : g.targets;
  r.choices = d.choices;
  r.pairs_per_second = static_cast<std::int64_t>(d.pairs_per_second);
  r.expected_seconds = d.backend == Backend::cuda ? d.seconds : d.seconds / threads;
  r.near_pairs = r.sources * r.targets;
  if (d.method != Method::fmm) return r;
  r.m2l = d.rotation ? "rotation" : "dense";
  r.stencil = d.reduced ? "reduced" : "full";
  r.degree = d.degree;
  r.coefficients = std::int64_t(d.degree + 1) * (d.degree + 1);
  r.leaf_size = d.leaf_size;
  return r;
}

void Plan::State::build(const Points& source_points, const Points* apart_points) {
  require_known(options);
  threads = resolve_threads(options.threads);
  const bool on_device =
      source_points.space == MemorySpace::device || (apart_points && apart_points->space == MemorySpace::device);
  const Machine machine = resolve_machine(options, on_device);
  Geometry geometry = survey(machine, source_points, apart_points, threads, kept_by_survey);
  Joined joined;
  Points targets = apart_points ? *apart_points : source_points;
  if (apart_points && options.at_sources) {
    joined = join(machine, *apart_points, source_points);
    targets = joined.points;
    geometry = survey(machine, source_points, &targets, threads, kept_by_survey);
  }
  const Decision decision = decide(options, geometry, machine);
  alike = !apart_points;
  sources = source_points.count;
  apart = apart_points ? apart_points->count : 0;
  report = describe(options, decision, geometry, threads);
  backend = decision.backend;
  evaluators.first(decision, threads).build(source_points, apart_points ? &targets : nullptr, geometry, report);
}

Plan::Plan(const Points& sources, const Options& options) : state_(std::make_unique<State>()) {
  state_->options = options;
  state_->build(sources, nullptr);
}
Plan::Plan(const Points& sources, const Points& targets, const Options& options) : state_(std::make_unique<State>()) {
  state_->options = options;
  state_->build(sources, &targets);
}
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;
Plan::~Plan() = default;

void Plan::move(const Points& sources) { state_->build(sources, nullptr); }
void Plan::move(const Points& sources, const Points& targets) { state_->build(sources, &targets); }

const Report& Plan::report() const { return state_->report; }
std::int64_t Plan::source_count() const { return state_->sources; }
std::int64_t Plan::target_count() const { return state_->alike ? state_->sources : state_->apart; }

void Plan::State::check_outputs(const Outputs& o) const {
  if (o.space != MemorySpace::host && backend != Backend::cuda)
    throw Error(ErrorCode::device, "outputs are in device memory, but this plan runs on the cpu; pass host memory");
  if ((o.gradient || o.source_gradient) && !options.gradient)
    throw Error(ErrorCode::usage, "a gradient array was given but the plan was made without options.gradient; set it");
  if ((o.source_potential || o.source_gradient) && !alike && !options.at_sources)
    throw Error(ErrorCode::usage, "results at the sources need options.at_sources when targets are apart; set it");
}

static void start_evaluation(Report& report, std::int64_t vectors) {
  std::erase_if(report.stages, [](const StageReport& stage) { return !stage.building; });
  report.warnings.clear();
  report.error.reset();
  report.vectors = vectors;
}

const Report& Plan::evaluate(const Strengths& strengths, const Outputs& outputs) {
  State& s = *state_;
  validate(strengths, s.sources, s.backend == Backend::cuda);
  s.check_outputs(outputs);
  start_evaluation(s.report, strengths.vectors);
  Delivery delivery{outputs, s.alike ? s.sources : s.apart, s.options.scale, s.options.check, s.options.seed};
  if (s.alike) {  // results at the sources and at the targets are the same thing
    if (!delivery.outputs.potential) delivery.outputs.potential = outputs.source_potential;
    if (!delivery.outputs.gradient) delivery.outputs.gradient = outputs.source_gradient;
  }
  s.evaluators.evaluate(strengths, delivery, s.report);
  complete(s.report);
  return s.report;
}

template <Real T>
Result<T> Plan::evaluate(std::span<const T> q) {
  const State& s = *state_;
  const std::int64_t n = s.sources, m = target_count();
  const std::int64_t vectors = n > 0 ? static_cast<std::int64_t>(q.size()) / n : 1;
  if (n > 0 && (vectors < 1 || vectors * n != static_cast<std::int64_t>(q.size())))
    throw Error(ErrorCode::input, std::to_string(q.size()) + " strengths were given for " + std::to_string(n) +
                                      " sources; pass one per source, or several whole vectors");
  Result<T> r;
  r.potential.resize(static_cast<std::size_t>(vectors * m));
  if (s.options.gradient) r.gradient.resize(static_cast<std::size_t>(3 * vectors * m));
  const bool both = !s.alike && s.options.at_sources;
  if (both) r.source_potential.resize(static_cast<std::size_t>(vectors * n));
  if (both && s.options.gradient) r.source_gradient.resize(static_cast<std::size_t>(3 * vectors * n));
  const auto data = [](std::vector<T>& v) { return v.empty() ? nullptr : static_cast<void*>(v.data()); };
  evaluate(strengths(q.data(), n, vectors),
           {data(r.potential), data(r.gradient), data(r.source_potential), data(r.source_gradient), scalar_of<T>});
  r.report = s.report;
  return r;
}

/// Points that fill a volume, a surface or a curve (dimension 3, 2, 1) at the coarsest level.
static Geometry filling(std::int64_t sources, std::int64_t targets, const Options& options, int dimension) {
  Geometry g;
  g.sources = sources;
  g.alike = targets == 0;
  g.targets = g.alike ? sources : targets + (options.at_sources ? sources : 0);
  g.extent = g.largest = 1;
  g.grid = 2;
  g.occupied = 1 << dimension;
  return g;
}

/// The places are not known, so the bound holds for all that `choose` could answer to them.
std::int64_t Plan::memory_bound(std::int64_t sources, std::int64_t targets, const Options& options) {
  require_known(options);
  std::int64_t bound = 0;
  for (const Method method : {Method::fmm, Method::direct})
    for (const int dimension : {1, 2, 3}) {
      if (options.method != Method::automatic && options.method != method) continue;
      if (options.method == Method::automatic && method == Method::fmm && options.softening > 0) continue;
      Options one = options;
      one.method = method;
      const Geometry g = filling(sources, targets, options, dimension);
      Decision decision = decide(one, g, resolve_machine(one, false));
      if (decision.settle_degree)
        decision.degree = highest_degree(decision.tolerance, decision.reduced, decision.apart);
      bound = std::max(bound, farfield::memory_bound(decision, g.sources, g.targets, g.alike));
    }
  return bound;
}

template Result<float> Plan::evaluate<float>(std::span<const float>);
template Result<double> Plan::evaluate<double>(std::span<const double>);

}  // namespace farfield

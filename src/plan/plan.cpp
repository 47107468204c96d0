// Plan: checks arguments at the boundary, lets `choose` decide and hands over to an evaluator.
#include <algorithm>
#include <cmath>
#include <farfield/farfield.hpp>
#include <memory>
#include <optional>
#include <string>

#include "backends/cpu/transfer/lengths.hpp"
#include "kernels/traits.hpp"
#include "model/error_model.hpp"
#include "model/options/validate.hpp"
#include "model/treecode/choose.hpp"
#include "plan/backends.hpp"
#include "plan/boundary.hpp"
#include "plan/completed.hpp"
#include "plan/repeat.hpp"
#include "plan/repeating/plan_of_images.hpp"
#include "plan/repeating/repeating.hpp"
#include "plan/report/describe.hpp"
#include "plan/report/replays.hpp"
#include "plan/threads.hpp"
#include "plan/validate.hpp"

namespace farfield {

struct Plan::State {
  Options options;
  bool alike = true;
  std::int64_t sources = 0, apart = 0;  ///< apart: targets that are not the sources
  Backend backend = Backend::cpu;
  Evaluators evaluators;
  std::shared_ptr<void> kept_by_survey;
  std::unique_ptr<Repeating> repeating;  ///< where points repeat; then there are no evaluators
  std::optional<Options> in_cell;        ///< the options with the cell of the next move, where that is another
  std::optional<DividedCell> cell;       ///< see NearPoints
  std::optional<Error> lost;             ///< why the last build failed, if it failed after the old points were given up
  Report report;

  static std::unique_ptr<State> built(const Options& options, const NearPoints& points);
  void build(const Points& sources, const Points* apart);
  void move(const Points& sources, const Points* apart);
  bool follow(const Points& sources, const Points* apart, const Images* images = nullptr);
  bool follow_images(const Images& images, const Points& targets);
  bool capture_move(const Points& sources, const Points* apart);
  bool capture_evaluation(const Strengths& strengths, const Outputs& outputs, const Addend* addend = nullptr);
  void check_replays() const;
  void build_repeating(const Points& sources, const Points* apart);
  void replace(const Points& sources, const Points* targets, const Geometry& geometry, const Decision& decision,
               int threads);
  void lose_points(const Error& why) noexcept;
  void require_points() const;
  void require_own_device() const;
  void check_outputs(const Outputs& outputs) const;
  void evaluate(const Strengths& strengths, const Outputs& outputs);
  void evaluate_onto(const Strengths& strengths, const Outputs& outputs, const Addend& addend);
  template <Real T>
  Result<T> owned(const Strengths& strengths);
};

/// Until `replace` nothing of the plan changes: points or options that are refused leave it as it was.
void Plan::State::build(const Points& given_sources, const Points* given_targets) {
  require_known(options);
  validate_periodic(options);
  validate_virial(options, given_targets != nullptr);
  require_axes(given_sources, "source", options.kernel);
  if (given_targets) require_axes(*given_targets, "target", options.kernel);
  if (is_captured(given_sources.space, given_sources.stream))
    return require_captured_move(capture_move(given_sources, given_targets));
  if (options.virial && options.periodic == Axes::none) return build_repeating(given_sources, nullptr);
  if (options.periodic != Axes::none) {
    if (given_sources.softening || (given_targets && given_targets->softening))
      throw Error(ErrorCode::usage, "points that repeat are not softened; leave their softening lengths out");
    return build_repeating(given_sources, given_targets);
  }
  require_own_device();
  if (evaluators.met_by_replays() == Met::nothing && follow(given_sources, given_targets)) return;
  Completed own(given_sources, options.kernel), other(given_targets ? *given_targets : Points{}, options.kernel);
  const Points &source_points = own.points, *apart_points = given_targets ? &other.points : nullptr;
  const LengthRange lengths = cpu::survey_lengths(source_points, apart_points, options.softening);
  for (Completed* points : {&own, &other}) points->complete_lengths(lengths.vary(), options.softening);
  const Team team = settle_team(options.threads);
  const bool on_device =
      source_points.space == MemorySpace::device || (apart_points && apart_points->space == MemorySpace::device);
  const Machine machine = resolve_machine(options, on_device);
  Geometry geometry = survey(machine, source_points, apart_points, team.threads, kept_by_survey);
  Joined joined;
  std::vector<double> joined_lengths;
  Points targets = apart_points ? *apart_points : source_points;
  if (apart_points && options.at_sources) {
    joined = join(machine, *apart_points, source_points);
    targets = joined.points;
    if (lengths.vary()) joined_lengths = cpu::all_lengths(*apart_points, &source_points, 0);
    targets.softening = lengths.vary() ? joined_lengths.data() : nullptr;
    geometry = survey(machine, source_points, &targets, team.threads, kept_by_survey);
  }
  Options asked = options;
  if (lengths.given) asked.softening = lengths.longest;
  if (cell && apart_points) geometry.of_targets = cell->box, geometry.of_cell = true, geometry.blocks = cell->blocks;
  geometry.lengths = lengths.vary();
  geometry.shortest_length = std::ldexp(lengths.shortest, geometry.exponent);
  survey_crowding(machine, asked, source_points, apart_points ? &targets : nullptr, geometry, kept_by_survey);
  Decision decision = evaluators.with_needs(decide(asked, geometry, machine), geometry);
  correct_cube(decision, geometry);
  Report next = describe(asked, decision, geometry, team.threads);
  next.softening_varies = lengths.vary();
  next.least_softening = lengths.vary() ? lengths.least : asked.softening;
  next.memory_bytes = report.memory_bytes;
  try {
    guarded([&] {
      report = std::move(next);
      replace(source_points, apart_points ? &targets : nullptr, geometry, decision, team.threads);
    });
  } catch (const Error& why) {
    lose_points(why);
    throw;
  }
  alike = !apart_points;
  sources = source_points.count;
  apart = apart_points ? apart_points->count : 0;
}

void Plan::State::move(const Points& of_sources, const Points* of_targets) {
  const std::string met = met_by_replays([&] { check_replays(); });
  build(of_sources, of_targets);
  if (!met.empty()) report.choices.push_back({"tree", "built anew", met});
}

/// Do points that have moved a little keep the tree? Then they are in it.
bool Plan::State::follow(const Points& of_sources, const Points* of_targets, const Images* images) {
  if (!(options.skin > 0) || !evaluators || (of_targets && options.at_sources) || report.softening_varies) return false;
  for (const Points* points : {&of_sources, of_targets}) {
    if (!points) continue;
    check_view(*points, points == of_targets ? "target" : "source");
    if (points->softening || (backend != Backend::cuda && points->space != MemorySpace::host)) return false;
  }
  const Completed own(of_sources, options.kernel), other(of_targets ? *of_targets : Points{}, options.kernel);
  evaluators.use_threads(settle_team(options.threads).threads);
  Report next = report;
  std::erase_if(next.stages, [](const StageReport& stage) { return stage.building; });
  if (!evaluators.follow(own.points, of_targets ? &other.points : nullptr, images, next)) return false;
  report = std::move(next);
  note_kept_tree(report, options.skin);
  return true;
}

/// In a graph no tree is built: points follow in the one that there is.
bool Plan::State::capture_move(const Points& of_sources, const Points* of_targets) {
  if (in_cell || backend != Backend::cuda) return false;
  if (repeating) return repeating->capture_move(of_sources, of_targets);
  return evaluators.can_be_captured() && follow(of_sources, of_targets);
}

bool Plan::State::follow_images(const Images& images, const Points& of_targets) {
  require_own_device();
  const bool captured = is_captured(images.sources.space, images.sources.stream);
  const bool can = captured ? evaluators.can_be_captured() : evaluators.met_by_replays() == Met::nothing;
  return can && follow(images.sources, &of_targets, &images);
}
Plan PlanOfImages::make(const NearPoints& points, const Options& options) {
  return Plan(Plan::State::built(options, points));
}
void PlanOfImages::move(Plan& plan, const NearPoints& points) {
  plan.state_->cell = points.cell;
  points.targets ? plan.move(points.sources, *points.targets) : plan.move(points.sources);
}
int PlanOfImages::boxes_across(const Plan& plan) { return plan.state_->evaluators.boxes_across(); }
bool PlanOfImages::follow(Plan& plan, const Images& images, const Points& targets) {
  return guarded([&] { return plan.state_->follow_images(images, targets); });
}
void PlanOfImages::evaluate_onto(Plan& plan, const Strengths& strengths, const Outputs& outputs, const Addend& addend) {
  guarded([&] { plan.state_->evaluate_onto(strengths, outputs, addend); });
}

bool Plan::State::capture_evaluation(const Strengths& strengths, const Outputs& outputs, const Addend* addend) {
  if (repeating) return repeating->capture_evaluation(strengths, outputs);
  if (!evaluators.can_be_captured() || options.check > 0) return false;
  const double scale = options.scale * traits(options.kernel).vector.constant;
  Delivery delivery{outputs, alike ? sources : apart, scale};
  if (alike) delivery.outputs = at_points(outputs);
  delivery.addend = addend;
  evaluators.capture_evaluation(strengths, delivery);
  return true;
}

void Plan::State::evaluate_onto(const Strengths& strengths, const Outputs& outputs, const Addend& addend) {
  require_points();
  require_own_device();
  require_captured_evaluation(capture_evaluation(strengths, outputs, &addend));
}

/// The old points stay until the new ones are taken.
void Plan::State::build_repeating(const Points& source_points, const Points* targets) {
  const Options& next = in_cell ? *in_cell : options;
  if (!repeating || !repeating->move(next, source_points, targets))
    repeating = make_repeating(next, source_points, targets);
  if (in_cell) options = *std::exchange(in_cell, std::nullopt);
  report = repeating->report();
  backend = repeating->backend();
  lost.reset();
  alike = !targets;
  sources = source_points.count;
  apart = targets ? targets->count : 0;
}

/// Gives the old tree up for the new one: holding both would take twice the memory.
void Plan::State::replace(const Points& source_points, const Points* targets, const Geometry& geometry,
                          const Decision& decision, int threads) {
  lost.reset();
  backend = decision.backend;
  Evaluator& evaluator = evaluators.first(decision, threads);
  evaluators.use_threads(threads);
  evaluator.build(source_points, targets, geometry, report);
}

/// After a build that failed halfway: the plan has no points and frees what it held.
void Plan::State::lose_points(const Error& why) noexcept {
  const std::int64_t most_held = report.memory_bytes;
  report = {};
  report.memory_bytes = most_held;
  alike = true;
  sources = apart = 0;
  evaluators = {};
  lost = why;
}

void Plan::State::require_points() const {
  if (lost)
    throw Error(ErrorCode::usage,
                std::string("the plan has no points, because the last move failed (") + lost->what() + "); move again");
}

/// A forked process has neither the device's memory nor its context.
void Plan::State::require_own_device() const {
  if ((evaluators || repeating) && backend != Backend::cpu && devices_lost_by_fork())
    throw Error(ErrorCode::device,
                "the plan was built on a CUDA device before this process was forked, which cannot use it; "
                "make the plan in the process that uses it");
}

std::unique_ptr<Plan::State> Plan::State::built(const Options& options, const NearPoints& points) {
  return guarded([&] {
    auto state = std::make_unique<State>();
    state->options = settled(options);
    state->cell = points.cell;
    state->build(points.sources, points.targets);
    return state;
  });
}

Plan::Plan(std::unique_ptr<State> state) : state_(std::move(state)) {}
Plan::Plan(const Points& sources, const Options& options) : Plan(State::built(options, {sources})) {}
Plan::Plan(const Points& sources, const Points& targets, const Options& options)
    : Plan(State::built(options, {sources, &targets})) {}
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;
Plan::~Plan() = default;

void Plan::move(const Points& sources) {
  guarded([&] { state_->move(sources, nullptr); });
}
void Plan::move(const Points& sources, const Points& targets) {
  guarded([&] { state_->move(sources, &targets); });
}

void Plan::set_cell(const std::array<double, 9>& vectors) {
  guarded([&] { state_->in_cell = with_cell(state_->options, vectors); });
}

void Plan::forget() {
  state_->evaluators.forget();
  if (state_->repeating) state_->repeating->forget();
}

void Plan::State::check_replays() const {
  if (repeating) return repeating->check_replays();
  require_nothing_met(evaluators.met_by_replays());
}

void Plan::check_replays() const {
  guarded([&] { state_->check_replays(); });
}

const Report& Plan::report() const { return state_->report; }
std::int64_t Plan::source_count() const { return state_->sources; }
std::int64_t Plan::target_count() const { return state_->alike ? state_->sources : state_->apart; }

void Plan::State::check_outputs(const Outputs& o) const {
  if (o.space != MemorySpace::host && backend != Backend::cuda)
    throw Error(ErrorCode::device,
                "outputs are in device memory, but this plan keeps its arrays on the host; pass host memory");
  validate(o, options, alike);
}

void Plan::State::evaluate(const Strengths& strengths, const Outputs& outputs) {
  require_points();
  require_own_device();
  if (repeating && backend == Backend::cpu &&
      (strengths.space != MemorySpace::host || outputs.space != MemorySpace::host))
    throw Error(ErrorCode::device,
                "strengths or results are in device memory, but this plan, of points that repeat or whose virial is "
                "wanted, keeps them in host memory; use host memory");
  validate(strengths, sources, options.dipoles, backend == Backend::cuda);
  check_outputs(outputs);
  elements(strengths.vectors, (options.hessian ? 6 : 3) * (alike ? sources : sources + apart));
  if (is_captured(strengths.space, strengths.stream)) {
    require_captured_memory(strengths, outputs);
    return require_captured_evaluation(capture_evaluation(strengths, outputs));
  }
  const Team team = settle_team(options.threads);
  if (repeating) {
    repeating->evaluate(strengths, outputs);
    report = repeating->report();
    return;
  }
  start_evaluation(report, strengths.vectors);
  report.threads = team.threads;
  const double scale = options.scale * traits(options.kernel).vector.constant;
  Delivery delivery{outputs, alike ? sources : apart, scale, options.check, options.seed};
  if (alike) delivery.outputs = at_points(outputs);
  evaluators.use_threads(team.threads);
  evaluators.evaluate(strengths, delivery, report);
  complete(report);
  if (team.lost_by_fork)
    report.warnings.emplace_back(
        "one thread was used: this process was forked from one in which OpenMP had started its threads; for more, "
        "make plans in a process that was not forked after the first, or in a new thread of this one");
}

const Report& Plan::evaluate(const Strengths& strengths, const Outputs& outputs) {
  guarded([&] { state_->evaluate(strengths, outputs); });
  return state_->report;
}

/// Number of vectors of `sources` strengths each in `count` strengths.
static std::int64_t vectors_in(std::int64_t count, std::int64_t sources) {
  const std::int64_t vectors = sources > 0 ? count / sources : 1;
  if (vectors < 1 || vectors * sources != count)
    throw Error(ErrorCode::input, std::to_string(count) + " strengths were given for " + std::to_string(sources) +
                                      " sources; pass one per source, or several whole vectors");
  return vectors;
}

template <Real T>
Result<T> Plan::State::owned(const Strengths& given) {
  require_points();
  const std::int64_t n = sources, m = alike ? sources : apart;
  const bool both = !alike && options.at_sources;
  Result<T> r;
  Outputs outputs;
  outputs.scalar = scalar_of<T>;
  const auto make = [&](std::vector<T>& array, void*& output, bool wanted, std::int64_t width) {
    if (wanted) array.resize(elements(given.vectors, width));
    output = array.empty() ? nullptr : array.data();
  };
  const bool potential = sums_potential(options);
  make(r.potential, outputs.potential, potential, m);
  make(r.gradient, outputs.gradient, options.gradient, 3 * m);
  make(r.hessian, outputs.hessian, options.hessian, 6 * m);
  make(r.source_potential, outputs.source_potential, both && potential, n);
  make(r.source_gradient, outputs.source_gradient, both && options.gradient, 3 * n);
  make(r.source_hessian, outputs.source_hessian, both && options.hessian, 6 * n);
  if (options.virial) r.virial.resize(elements(given.vectors, 6));
  outputs.virial = r.virial.empty() ? nullptr : r.virial.data();
  evaluate(given, outputs);
  r.report = report;
  return r;
}

template <Real T>
Result<T> Plan::evaluate(std::span<const T> q) {
  return guarded([&] {
    state_->require_points();
    const std::int64_t n = state_->sources;
    return state_->owned<T>(strengths(q.data(), n, vectors_in(std::ssize(q), n)));
  });
}

template <Real T>
Result<T> Plan::evaluate(const Strengths& strengths) {
  return guarded([&] {
    state_->require_points();
    validate(strengths, state_->sources, state_->options.dipoles, state_->backend == Backend::cuda);
    return state_->owned<T>(strengths);
  });
}

/// Geometry of points that fill a volume, a surface or a curve (dimension 3, 2, 1) at the coarsest level.
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

/// The positions are not known, so the bound covers every decision that `choose` could make for these counts.
static std::int64_t bound_of(std::int64_t sources, std::int64_t targets, const Options& given) {
  Options options = settled(given);
  require_count(sources, "source");
  require_count(targets, "target");
  validate_virial(options, targets > 0);
  if (options.periodic != Axes::none || options.virial) {
    validate_periodic(options);
    const std::int64_t at = (targets > 0 ? targets : sources) + (targets > 0 && options.at_sources ? sources : 0);
    const RepeatedBound repeated = bound_of_repeating(options, sources, at);
    if (options.virial) options.gradient = true;
    options.periodic = Axes::none, options.at_sources = options.virial = false;
    return bound_of(repeated.sources, at, options) + repeated.bytes;
  }
  std::int64_t bound = 0;
  for (const Method method : {Method::fmm, Method::direct, Method::treecode, Method::cutoff, Method::grid,
                              Method::hermite, Method::exponentials})
    for (const int dimension : {1, 2, 3}) {
      if (method == Method::hermite && options.method != method) continue;  // never chosen
      if (options.method != Method::automatic && options.method != method) continue;
      if (options.method != method && method == Method::exponentials && dimension > 1) continue;
      const KernelTraits& kernel = traits(options.kernel);
      const bool expands = method == Method::fmm || method == Method::treecode;
      const bool suits = method == Method::direct || (expands ? kernel.expands : kernel.reach != nullptr);
      if (options.method != method && !suits) continue;
      Options one = options;
      if (one.bandwidth > 0 && std::isfinite(one.bandwidth)) one.bandwidth = 1;  // no extent is known, either
      if (one.core_radius > 0 && std::isfinite(one.core_radius)) one.core_radius = 1;
      one.method = method;
      const Geometry g = filling(sources, targets, options, dimension);
      if (options.method != method && method == Method::treecode && !may_be_few(g)) continue;
      Decision decision = decide(one, g, resolve_machine(one, false));
      if (decision.settle_degree) decision.degree = highest_degree(decision);
      bound = std::max(bound, farfield::memory_bound(decision, g.sources, g.targets, g.alike));
    }
  return bound;
}

std::int64_t Plan::memory_bound(std::int64_t sources, std::int64_t targets, const Options& options) {
  return guarded([&] { return bound_of(sources, targets, options); });
}

template Result<float> Plan::evaluate<float>(std::span<const float>);
template Result<double> Plan::evaluate<double>(std::span<const double>);
template Result<float> Plan::evaluate<float>(const Strengths&);
template Result<double> Plan::evaluate<double>(const Strengths&);

}  // namespace farfield

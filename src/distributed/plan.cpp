// distributed::Plan: what all ranks settle together, and what each of them does.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <farfield/distributed.hpp>
#include <farfield/error.hpp>

#include "core/stage_clock.hpp"
#include "distributed/agree.hpp"
#include "distributed/all_pairs.hpp"
#include "distributed/backends.hpp"
#include "distributed/drawing.hpp"
#include "distributed/evaluation/lengths.hpp"
#include "distributed/route/rows.hpp"
#include "kernels/traits.hpp"
#include "model/choose.hpp"
#include "plan/backends.hpp"
#include "plan/completed.hpp"
#include "plan/repeat.hpp"
#include "plan/report/describe.hpp"
#include "plan/threads.hpp"
#include "plan/validate.hpp"

namespace farfield::distributed {

static constexpr const char* one_order = "ranks pass arrays in different orders; pass the same order on all";
static constexpr const char* one_set = "some ranks name the sources and others the targets; name one set on all";

struct Plan::State {
  Ranks ranks;
  farfield::Options options;           ///< as given
  std::shared_ptr<RankPlaced> placed;  ///< of the evaluators; null where all pairs are summed
  Evaluators evaluators;
  std::int64_t sources = 0, targets = 0;  ///< that this rank was given
  std::int64_t of_all = 0;                ///< points of all ranks
  Backend backend = Backend::cpu;         ///< of the sums
  std::shared_ptr<void> surveys;          ///< what the backend keeps from one survey to the next
  bool alike = true;
  bool built = false;
  Report report;

  State(Communicator& communicator, const farfield::Options& o) : ranks(communicator), options(o) { forget(); }
  void forget();
  std::unique_ptr<Evaluator> make(const Decision& decision, int threads);
  struct Prepared;
  struct OfAny;
  OfAny require_alike(const Given& given);
  Geometry survey(Prepared& points, const farfield::Options& options, const Machine& machine, int threads);
  void build(const Given& given);
  Machine machine_of(const farfield::Options& options, bool any_on_device);
  Decision choose_alike(const farfield::Options& options, const Geometry& geometry, const Machine& machine);
  void check_outputs(const Outputs& outputs) const;
  void check_strengths(const Strengths& strengths, Order order) const;
  Strengths with_same_moments(Strengths strengths);
  /// `whole`: for each vector, of the arrays of results of which this rank's are a part; 0: none.
  void evaluate(const Strengths& given, const Outputs& outputs, Order order, std::int64_t whole = 0,
                std::int64_t whole_sources = 0);
  void account(double seconds);

  void require_points() const;
  std::int64_t count(Set set, Order order) const;
  Carrier carrier(Set set) const;
  std::vector<Origin> origins(Set set);
  void carry(const Rows& rows, Set set, Order wanted);
};

void Plan::State::forget() {
  built = false;
  placed.reset();
  evaluators = Evaluators([this](const Decision& decision, int threads) { return make(decision, threads); });
}

std::unique_ptr<Evaluator> Plan::State::make(const Decision& decision, int threads) {
  placed.reset();
  if (decision.method == Method::direct)
    return with_arrays_on_host(decision.backend,
                               std::make_unique<AllPairs>(ranks, decision, threads, options.at_sources));
  placed = make_placed(ranks, decision.backend);
  return make_rank_evaluator(placed, decision, threads);
}

/// The same on all ranks: the least of their instruction sets, as many times the least of their memories, and a device
/// only where all have one.
Machine Plan::State::machine_of(const farfield::Options& o, bool any_on_device) {
  Machine machine = resolve_machine(o, any_on_device);
  std::vector<std::int64_t> least{static_cast<std::int64_t>(machine.simd), machine.memory,
                                  machine.backend != Backend::cpu};
  ranks.least(least);
  machine.simd = static_cast<Simd>(least[0]), machine.memory = least[1] * ranks.size();
  if (!least[2]) machine.backend = Backend::cpu;
  return machine;
}

/// The same decision on all ranks: from the options and the survey of all points.
Decision Plan::State::choose_alike(const farfield::Options& o, const Geometry& geometry, const Machine& machine) {
  Decision decision = decide(o, geometry, machine);
  require_offered(decision);
  decision = evaluators.with_needs(decision, geometry);
  correct_cube(decision, geometry);
  return decision;
}

/// A machine whose ranks on devices offer this sum, if the caller leaves the backend open.
static Machine offering(Machine machine, const farfield::Options& o, const LengthRange& lengths) {
  if (machine.backend == Backend::cpu) return machine;
  if (machine.backend == Backend::cuda)
    require_offered_on_devices(o, lengths.given);
  else if (!lacking_on_devices(o, lengths.given).empty() || !traits(o.kernel).scale_invariant)
    machine.backend = Backend::cpu;
  return machine;
}

/// A rank's points with what they lack: where results are wanted at the sources, too, these stand behind the targets.
struct Plan::State::Prepared {
  Completed own, other;
  LengthRange lengths;  ///< of all ranks
  Given given;
  Joined joined;
  std::vector<double> joined_lengths;

  Prepared(Ranks& ranks, const Given& points, const farfield::Options& o, LengthsGiven any_lengths)
      : own(points.sources, o.kernel), other(points.targets ? *points.targets : Points{}, o.kernel) {
    lengths = lengths_of_all(ranks, own.points, points.targets ? &other.points : nullptr, o.softening, any_lengths);
    for (Completed* set : {&own, &other}) set->complete_lengths(lengths.vary(), o.softening);
    given = {own.points, points.targets ? &other.points : nullptr, points.order, o.at_sources && points.targets};
  }
  void join_sources(const Machine& machine) {
    joined = join(machine, other.points, own.points);
    if (lengths.vary()) joined_lengths = cpu::all_lengths(other.points, &own.points, 0);
    joined.points.softening = lengths.vary() ? joined_lengths.data() : nullptr;
    given.targets = &joined.points;
  }
};

/// What some rank passes.
struct Plan::State::OfAny {
  bool on_device = false;
  LengthsGiven lengths;
};

/// In one collective; where something differs that must not, all ranks find out what.
Plan::State::OfAny Plan::State::require_alike(const Given& given) {
  const auto on_device = [](const Points& p) { return p.space == MemorySpace::device; };
  struct Passed {
    std::int64_t options, targets, order;
    std::int64_t on_device, source_lengths, target_lengths;
  } own{fingerprint(options),
        given.targets != nullptr,
        static_cast<std::int64_t>(given.order),
        on_device(given.sources) || (given.targets && on_device(*given.targets)),
        given.sources.softening != nullptr,
        given.targets && given.targets->softening};
  OfAny any;
  bool alike_all = true;
  for (const Passed& one : ranks.all_gather(own)) {
    alike_all = alike_all && one.options == own.options && one.targets == own.targets && one.order == own.order;
    any.on_device = any.on_device || one.on_device;
    any.lengths.sources = any.lengths.sources || one.source_lengths;
    any.lengths.targets = any.lengths.targets || one.target_lengths;
  }
  if (alike_all) return any;  // the same answer on all ranks
  require_same(ranks, options);
  require_same(ranks, given.targets != nullptr,
               "some ranks pass targets and others none; pass targets, perhaps none, on all");
  require_same(ranks, static_cast<std::int64_t>(given.order), one_order);
  return any;
}

/// Joins the points, too, once they have been looked at.
Geometry Plan::State::survey(Prepared& points, const farfield::Options& o, const Machine& machine, int threads) {
  const auto survey_given = [&] {
    return survey_all(ranks, machine.backend, points.given.sources, points.given.targets, threads, surveys);
  };
  Geometry geometry = survey_given();
  if (points.given.at_sources) {
    points.join_sources(machine);
    geometry = survey_given();
  }
  geometry.lengths = points.lengths.vary();
  geometry.shortest_length = std::ldexp(points.lengths.shortest, geometry.exponent);
  survey_crowding(machine, o, drawing(ranks, points.given, geometry.exponent), geometry);
  return geometry;
}

/// Points that are refused leave the plan as it was.
void Plan::State::build(const Given& given) {
  const OfAny any = require_alike(given);
  farfield::Options o = settled(options);
  require_offered(o);
  require_axes(given.sources, "source", o.kernel);
  if (given.targets) require_axes(*given.targets, "target", o.kernel);
  Prepared points(ranks, given, o, any.lengths);
  const LengthRange& lengths = points.lengths;
  const Machine machine = offering(machine_of(o, any.on_device), o, lengths);
  o.simd = machine.simd;
  if (lengths.given) o.softening = lengths.longest;
  const int threads = settle_team(o.threads).threads;
  const auto start = std::chrono::steady_clock::now();
  const Geometry geometry = survey(points, o, machine, threads);
  const std::chrono::duration<double> surveyed = std::chrono::steady_clock::now() - start;
  const Decision decision = choose_alike(o, geometry, machine);
  try {
    guarded([&] {
      report.plan = describe(o, decision, geometry, threads);
      StageClock(report.plan, true).add("survey", surveyed.count());
      report.plan.softening_varies = lengths.vary();
      report.plan.least_softening = lengths.vary() ? lengths.least : o.softening;
      Evaluator& first = evaluators.first(decision, threads);
      evaluators.use_threads(threads);
      if (placed) placed->order = given.order, placed->at_sources = points.given.at_sources;
      first.build(points.given.sources, points.given.targets, geometry, report.plan);
    });
  } catch (const Error&) {
    forget();
    throw;
  }
  backend = decision.backend;
  alike = !given.targets;
  sources = given.sources.count, targets = alike ? sources : given.targets->count;
  of_all = alike ? geometry.sources : ranks.sum_of(sources + targets);
  report.ranks.assign(static_cast<std::size_t>(ranks.size()), {});
  built = true;
}

void Plan::State::check_outputs(const Outputs& o) const {
  if (o.space != MemorySpace::host && backend != Backend::cuda)
    throw Error(ErrorCode::device, "outputs are in device memory, but this plan runs on the cpu; pass host memory");
  if (o.virial) refuse("the virial is not offered");
  farfield::validate(o, settled(options), alike);
}

/// Strengths in the owned order are one for each owned source.
void Plan::State::check_strengths(const Strengths& strengths, Order order) const {
  const std::int64_t own = count(Set::sources, order);
  if (order == Order::owned && strengths.count != own)
    throw Error(ErrorCode::input, std::to_string(strengths.count) + " strengths were given, but this rank owns " +
                                      std::to_string(own) + " sources; pass one for each, as to_owned returns them");
  validate(strengths, own, options.dipoles, backend == Backend::cuda);
}

/// On all ranks strengths carry dipoles, or on none.
Strengths Plan::State::with_same_moments(Strengths strengths) {
  static constexpr double nothing[3] = {};
  const bool any = ranks.sum_of(strengths.dipoles != nullptr) > 0;
  if (any && !strengths.dipoles && strengths.count > 0)
    throw Error(ErrorCode::input, "other ranks pass dipoles and this one none; pass dipoles, perhaps zeros, on all");
  if (any && !strengths.dipoles) strengths.dipoles = nothing;
  return strengths;
}

void Plan::State::account(double seconds) {
  RankReport own;
  own.given = sources + (alike ? 0 : targets);
  own.owned = targets;
  own.ghosts = of_all - own.given;
  if (placed && placed->has_points()) placed->count(own);
  own.sent = ranks.sent_bytes();
  own.seconds = seconds;
  own.waiting = ranks.waiting();
  report.ranks = ranks.all_gather(own);
  double most = 0, all = 0;
  for (const RankReport& r : report.ranks) most = std::max(most, r.seconds - r.waiting), all += r.seconds - r.waiting;
  report.imbalance = all > 0 ? most * static_cast<double>(ranks.size()) / all - 1 : 0;
}

void Plan::State::require_points() const {
  if (!built) throw Error(ErrorCode::usage, "the plan has no points, because the last move failed; move again");
}

void Plan::State::evaluate(const Strengths& given, const Outputs& outputs, Order order, std::int64_t whole,
                           std::int64_t whole_sources) {
  require_points();
  require_same(ranks, static_cast<std::int64_t>(order), one_order);
  check_strengths(given, order);
  check_outputs(outputs);
  const Strengths strengths = with_same_moments(given);
  require_same(ranks, strengths.vectors, "ranks pass different numbers of strength vectors; pass the same on all");
  require_same(ranks, static_cast<std::int64_t>(outputs.scalar),
               "ranks want results of different types; pass the same on all");
  ranks.restart_accounts();
  if (placed) placed->order = order;
  const auto start = std::chrono::steady_clock::now();
  farfield::Report& r = report.plan;
  start_evaluation(r, strengths.vectors);
  r.threads = settle_team(options.threads).threads;
  evaluators.use_threads(r.threads);
  const double scale = options.scale * traits(options.kernel).vector.constant;
  Delivery delivery{outputs, count(Set::targets, order), scale, options.check, options.seed, whole, whole_sources};
  if (alike) delivery.outputs = at_points(outputs);
  evaluators.evaluate(strengths, delivery, r);
  complete(r);
  account(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

/// Where all pairs are summed from the first decision on, a rank owns the points that it passed.
Carrier Plan::State::carrier(Set set) const {
  const bool of_sources = set == Set::sources;
  if (!placed || !placed->has_points()) return Carrier(of_sources ? sources : targets);
  const Share& share = placed->on_host();
  return of_sources ? share.source_carrier(Order::given) : share.target_carrier(Order::given);
}

std::int64_t Plan::State::count(Set set, Order order) const {
  if (order == Order::owned && placed && placed->has_points()) return placed->owned(set);
  return set == Set::sources ? sources : targets;
}

std::vector<Origin> Plan::State::origins(Set set) {
  require_points();
  require_same(ranks, static_cast<std::int64_t>(set), one_set);
  return carrier(set).to_tree<Origin>(ranks, 1, [&](std::int64_t i, Origin* to) { *to = {ranks.rank(), i}; });
}

void Plan::State::carry(const Rows& rows, Set set, Order wanted) {
  require_points();
  require_same(ranks, static_cast<std::int64_t>(set), one_set);
  require_same(ranks, static_cast<std::int64_t>(wanted), one_order);
  carry_rows(ranks, carrier(set), count(set, Order::given), rows, wanted);
}

Plan::Plan(Communicator& communicator, const Points& points, const farfield::Options& options)
    : state_(std::make_unique<State>(communicator, options)) {
  move(points);
}
Plan::Plan(Communicator& communicator, const Points& sources, const Points& targets, const farfield::Options& options)
    : state_(std::make_unique<State>(communicator, options)) {
  move(sources, targets);
}
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;
Plan::~Plan() = default;

void Plan::move(const Points& points, Order order) {
  state_->ranks.together([&] { state_->build({points, nullptr, order}); });
}
void Plan::move(const Points& sources, const Points& targets, Order order) {
  state_->ranks.together([&] { state_->build({sources, &targets, order}); });
}

const Report& Plan::evaluate(const Strengths& strengths, const Outputs& outputs, Order order) {
  state_->ranks.together([&] { state_->evaluate(strengths, outputs, order); });
  return state_->report;
}

const Report& Plan::evaluate_part(const Strengths& strengths, const Outputs& outputs, std::int64_t targets,
                                  std::int64_t sources) {
  state_->ranks.together([&] { state_->evaluate(strengths, outputs, Order::given, targets, sources); });
  return state_->report;
}

void Plan::forget() { state_->evaluators.forget(); }

std::vector<Origin> Plan::origins(Set set) {
  std::vector<Origin> origins;
  state_->ranks.together([&] { origins = state_->origins(set); });
  return origins;
}
void Plan::to_owned(std::span<const std::byte> given, std::span<std::byte> owned, std::size_t row, Set set) {
  state_->ranks.together([&] { state_->carry({given, owned, row}, set, Order::owned); });
}
void Plan::to_given(std::span<const std::byte> owned, std::span<std::byte> given, std::size_t row, Set set) {
  state_->ranks.together([&] { state_->carry({owned, given, row}, set, Order::given); });
}

const Report& Plan::report() const { return state_->report; }
std::int64_t Plan::source_count() const { return state_->sources; }
std::int64_t Plan::target_count() const { return state_->targets; }
std::int64_t Plan::owned_count(Set set) const { return state_->count(set, Order::owned); }

}  // namespace farfield::distributed

#include "distributed/plans/open_plan.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <farfield/error.hpp>
#include <numeric>

#include "core/stage_clock.hpp"
#include "distributed/agree.hpp"
#include "distributed/all_pairs.hpp"
#include "distributed/backends.hpp"
#include "distributed/drawing.hpp"
#include "distributed/evaluation/lengths.hpp"
#include "distributed/partition/pieces.hpp"
#include "kernels/traits.hpp"
#include "plan/backends.hpp"
#include "plan/completed.hpp"
#include "plan/repeating/repeating.hpp"
#include "plan/report/describe.hpp"
#include "plan/threads.hpp"
#include "plan/validate.hpp"

namespace farfield::distributed {

OpenPlan::OpenPlan(Ranks& ranks, const farfield::Options& options) : ranks_(ranks), options_(options) { lose_points(); }

void OpenPlan::lose_points() {
  built_ = false;
  placed_.reset();
  evaluators_ = Evaluators([this](const Decision& decision, int threads) { return make(decision, threads); });
}

void OpenPlan::set_cell(const std::array<double, 9>& vectors) { with_cell(options_, vectors); }  // which throws

std::unique_ptr<Evaluator> OpenPlan::make(const Decision& decision, int threads) {
  placed_.reset();
  if (decision.method == Method::direct)
    return with_arrays_on_host(decision.backend,
                               std::make_unique<AllPairs>(ranks_, decision, threads, options_.at_sources, behind_));
  placed_ = make_placed(ranks_, decision.backend);
  return make_rank_evaluator(placed_, decision, threads);
}

/// The same on all ranks: the least of their instruction sets, as many times the least of their memories, and a device
/// only where all have one.
Machine OpenPlan::machine_of(const farfield::Options& o, bool any_on_device) {
  Machine machine = resolve_machine(o, any_on_device);
  std::vector<std::int64_t> least{static_cast<std::int64_t>(machine.simd), machine.memory,
                                  machine.backend != Backend::cpu};
  ranks_.least(least);
  machine.simd = static_cast<Simd>(least[0]), machine.memory = least[1] * ranks_.size();
  machine.shared = true;
  if (!least[2]) machine.backend = Backend::cpu;
  return machine;
}

/// The same decision on all ranks: from the options and the survey of all points.
Decision OpenPlan::choose_alike(const farfield::Options& o, const Geometry& geometry, const Machine& machine) {
  Decision decision = decide(o, geometry, machine);
  require_offered(decision);
  decision = evaluators_.with_needs(decision, geometry);
  correct_cube(decision, geometry);
  return decision;
}

/// A rank's points with what they lack: where results are wanted at the sources, too, these stand behind the targets.
struct OpenPlan::Prepared {
  Completed own, other;
  LengthRange lengths;  ///< of all ranks
  Given given;
  Joined joined;
  std::vector<double> joined_lengths;

  Prepared(Ranks& ranks, const Given& points, const farfield::Options& o, LengthsGiven any_lengths)
      : own(points.sources, o.kernel), other(points.targets ? *points.targets : Points{}, o.kernel) {
    lengths = lengths_of_all(ranks, own.points, points.targets ? &other.points : nullptr, o.softening, any_lengths);
    for (Completed* set : {&own, &other}) set->complete_lengths(lengths.vary(), o.softening);
    given = {own.points, points.targets ? &other.points : nullptr, points.order, o.at_sources && points.targets, {}};
  }
  void join_sources(const Machine& machine) {
    joined = join(machine, other.points, own.points);
    if (lengths.vary()) joined_lengths = cpu::all_lengths(other.points, &own.points, 0);
    joined.points.softening = lengths.vary() ? joined_lengths.data() : nullptr;
    given.targets = &joined.points;
  }
};

/// What some rank passes.
struct OpenPlan::OfAny {
  bool on_device = false, on_host = false;
  Scalar scalar = Scalar::float32;
  LengthsGiven lengths;
  std::vector<Capacity> capacities;  ///< of all
};

/// In one collective; where something differs that must not, all ranks find out what.
OpenPlan::OfAny OpenPlan::require_alike(const Given& given) {
  const auto on_device = [](const Points& p) { return p.space == MemorySpace::device; };
  struct Passed {
    std::int64_t options, targets, order;
    std::int64_t on_device, on_host, wide, source_lengths, target_lengths;
    Capacity capacity;
  } own{fingerprint(options_),
        given.targets != nullptr,
        static_cast<std::int64_t>(given.order),
        on_device(given.sources) || (given.targets && on_device(*given.targets)),
        !on_device(given.sources),
        given.sources.scalar == Scalar::float64,
        given.sources.softening != nullptr,
        given.targets && given.targets->softening,
        capacity};
  require_sound(capacity);
  OfAny any;
  bool alike_all = true;
  for (const Passed& one : ranks_.all_gather(own)) {
    alike_all = alike_all && one.options == own.options && one.targets == own.targets && one.order == own.order;
    any.on_device = any.on_device || one.on_device, any.on_host = any.on_host || one.on_host;
    if (one.wide) any.scalar = Scalar::float64;
    any.lengths.sources = any.lengths.sources || one.source_lengths;
    any.lengths.targets = any.lengths.targets || one.target_lengths;
    any.capacities.push_back(one.capacity);
  }
  if (alike_all) return any;  // the same answer on all ranks
  require_same(ranks_, options_, given);
  return any;
}

/// Shares follow from the memory of devices where callers set no bounds. Whoever fills a device keeps arrays there, in
/// the owned order, though the first points come in any.
void OpenPlan::bound_by_rooms(OfAny& of_any, const Decision& decision, const Geometry& geometry) const {
  if (decision.backend != Backend::cuda || decision.method != Method::fmm) return;
  const std::int64_t points = geometry.sources + (geometry.alike ? 0 : geometry.targets);
  const Order order = of_any.on_host ? Order::given : Order::owned;
  const RankBytes bytes = bytes_of_rank(decision, order, of_any.scalar, of_any.on_host, points / ranks_.size());
  keep_to_rooms(of_any.capacities, rooms_, bytes_per_point(bytes, decision, geometry), points, ranks_.rank());
}

/// Joins the points, too, once they have been looked at.
Geometry OpenPlan::survey(Prepared& points, const farfield::Options& o, const Machine& machine, int threads) {
  const auto survey_given = [&] {
    return survey_all(ranks_, machine.backend, points.given.sources, points.given.targets, threads, surveys_);
  };
  Geometry geometry = survey_given();
  if (points.given.at_sources) {
    points.join_sources(machine);
    geometry = survey_given();
  }
  geometry.lengths = points.lengths.vary();
  geometry.shortest_length = std::ldexp(points.lengths.shortest, geometry.exponent);
  survey_crowding(machine, o, drawing(ranks_, points.given, geometry.exponent), geometry);
  return geometry;
}

/// Points that are refused leave the plan as it was.
void OpenPlan::build(const Given& given) {
  ranks_.restart_accounts();
  OfAny of_any = require_alike(given);
  farfield::Options o = settled(options_);
  if (o.backend == Backend::hybrid) refuse("backend hybrid is not offered");
  require_axes(given.sources, "source", o.kernel);
  if (given.targets) require_axes(*given.targets, "target", o.kernel);
  Prepared points(ranks_, given, o, of_any.lengths);
  const LengthRange& lengths = points.lengths;
  const Machine machine = machine_of(o, of_any.on_device);
  o.simd = machine.simd;
  if (machine.backend != Backend::cpu && rooms_.empty()) rooms_ = ranks_.all_gather(room_of(machine.backend));
  if (lengths.given) o.softening = lengths.longest;
  const int threads = settle_team(o.threads).threads;
  const auto start = std::chrono::steady_clock::now();
  const Geometry geometry = survey(points, o, machine, threads);
  const std::chrono::duration<double> surveyed = std::chrono::steady_clock::now() - start;
  const Decision decision = choose_alike(o, geometry, machine);
  try {
    guarded([&] {
      bound_by_rooms(of_any, decision, geometry);
      report_.plan = describe(o, decision, geometry, threads);
      StageClock(report_.plan, true).add("survey", surveyed.count());
      report_.plan.softening_varies = lengths.vary();
      report_.plan.least_softening = lengths.vary() ? lengths.least : o.softening;
      behind_ = given.behind;
      Evaluator& first = evaluators_.first(decision, threads);
      evaluators_.use_threads(threads);
      if (placed_)
        placed_->order = given.order, placed_->at_sources = points.given.at_sources,
        placed_->capacities = of_any.capacities;
      first.build(points.given.sources, points.given.targets, geometry, report_.plan);
    });
  } catch (const Error&) {
    lose_points();
    throw;
  }
  backend_ = decision.backend;
  alike_ = !given.targets;
  sources_ = given.sources.count, targets_ = alike_ ? sources_ : given.targets->count;
  of_all_ = alike_ ? geometry.sources : ranks_.sum_of(sources_ + targets_);
  report_.ranks.assign(static_cast<std::size_t>(ranks_.size()), {});
  report_.sent = ranks_.sent_to();
  built_ = true;
}

void OpenPlan::check_outputs(const Outputs& o) const {
  if (o.space != MemorySpace::host && backend_ != Backend::cuda)
    throw Error(ErrorCode::device, "outputs are in device memory, but this plan runs on the cpu; pass host memory");
  farfield::validate(o, settled(options_), alike_);
}

/// Strengths in the owned order are one for each owned source.
void OpenPlan::check_strengths(const Strengths& strengths, Order order) const {
  const std::int64_t own = count(Set::sources, order);
  if (order == Order::owned && strengths.count != own)
    throw Error(ErrorCode::input, std::to_string(strengths.count) + " strengths were given, but this rank owns " +
                                      std::to_string(own) + " sources; pass one for each, as to_owned returns them");
  validate(strengths, own, options_.dipoles, backend_ == Backend::cuda);
}

/// What all ranks pass, told in one collective.
struct OpenPlan::Asked {
  std::int64_t order, vectors, scalar, dipoles;

  /// Throws on all ranks alike.
  static void require_same(const std::vector<Asked>& all, std::int64_t Asked::*what, const char* sentence) {
    for (const Asked& one : all)
      if (one.*what != all[0].*what) throw Error(ErrorCode::usage, sentence);
  }
};

/// On all ranks strengths carry dipoles, or on none.
Strengths OpenPlan::with_same_moments(Strengths strengths, const std::vector<Asked>& all) {
  static constexpr double nothing[3] = {};
  const bool any = std::any_of(all.begin(), all.end(), [](const Asked& one) { return one.dipoles != 0; });
  if (any && !strengths.dipoles && strengths.count > 0)
    throw Error(ErrorCode::input, "other ranks pass dipoles and this one none; pass dipoles, perhaps zeros, on all");
  if (any && !strengths.dipoles) strengths.dipoles = nothing;
  return strengths;
}

RankReport OpenPlan::held() const {
  RankReport own;
  own.given = sources_ + (alike_ ? 0 : targets_);
  own.owned = targets_;
  own.ghosts = of_all_ - own.given;
  if (placed_ && placed_->has_points()) placed_->count(own);
  return own;
}

void require_same(Ranks& ranks, const farfield::Options& options, const Given& given) {
  require_same(ranks, options);
  require_same(ranks, given.targets != nullptr, one_kind_of_targets);
  require_same(ranks, static_cast<std::int64_t>(given.order), one_order);
}

void account(Ranks& ranks, RankReport own, double seconds, Report& report) {
  report.sent = ranks.sent_to();
  own.sent = std::accumulate(report.sent.begin(), report.sent.end(), std::int64_t(0));
  own.seconds = seconds;
  own.waiting = ranks.waiting();
  report.ranks = ranks.all_gather(own);
  double most = 0, all = 0;
  for (const RankReport& r : report.ranks) most = std::max(most, r.seconds - r.waiting), all += r.seconds - r.waiting;
  report.imbalance = all > 0 ? most * static_cast<double>(ranks.size()) / all - 1 : 0;
}

void OpenPlan::require_points() const {
  if (!built_) throw Error(ErrorCode::usage, "the plan has no points, because the last move failed; move again");
}

void OpenPlan::evaluate(const Strengths& strengths, const Outputs& outputs, Order order, const WholeArrays& whole) {
  ranks_.restart_accounts();
  const auto start = std::chrono::steady_clock::now();
  sum(strengths, outputs, order, whole);
  account(ranks_, held(), std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), report_);
}

void OpenPlan::sum(const Strengths& given, const Outputs& outputs, Order order, const WholeArrays& whole) {
  require_points();
  const std::vector<Asked> all =
      ranks_.all_gather(Asked{static_cast<std::int64_t>(order), given.vectors,
                              static_cast<std::int64_t>(outputs.scalar), given.dipoles != nullptr});
  Asked::require_same(all, &Asked::order, one_order);
  check_strengths(given, order);
  check_outputs(outputs);
  const Strengths strengths = with_same_moments(given, all);
  Asked::require_same(all, &Asked::vectors, as_many_vectors);
  Asked::require_same(all, &Asked::scalar, one_scalar);
  if (placed_) placed_->order = order;
  farfield::Report& r = report_.plan;
  start_evaluation(r, strengths.vectors);
  r.threads = settle_team(options_.threads).threads;
  evaluators_.use_threads(r.threads);
  const double scale = options_.scale * traits(options_.kernel).vector.constant;
  Delivery delivery{outputs,      count(Set::targets, order), scale, options_.check, options_.seed, whole.targets,
                    whole.sources};
  if (alike_) delivery.outputs = at_points(outputs);
  evaluators_.evaluate(strengths, delivery, r);
  complete(r);
}

/// Where all pairs are summed from the first decision on, a rank owns the points that it passed.
Carrier OpenPlan::carrier(Set set) const {
  const bool of_sources = set == Set::sources;
  if (!placed_ || !placed_->has_points()) return Carrier(of_sources ? sources_ : targets_);
  const Share& share = placed_->routes();
  return of_sources ? share.source_carrier(Order::given) : share.target_carrier(Order::given);
}

std::int64_t OpenPlan::count(Set set, Order order) const {
  if (order == Order::owned && placed_ && placed_->has_points()) return placed_->owned(set);
  return set == Set::sources ? sources_ : targets_;
}

std::vector<Origin> OpenPlan::origins(Set set) {
  require_points();
  require_same(ranks_, static_cast<std::int64_t>(set), one_set);
  return carrier(set).to_tree<Origin>(ranks_, 1, [&](std::int64_t i, Origin* to) { *to = {ranks_.rank(), i}; });
}

void OpenPlan::carry(const Rows& rows, Set set, Order wanted) {
  require_points();
  require_same(ranks_, static_cast<std::int64_t>(set), one_set);
  require_same(ranks_, static_cast<std::int64_t>(wanted), one_order);
  carry_rows(ranks_, carrier(set), count(set, Order::given), rows, wanted, settle_team(options_.threads).threads);
}

}  // namespace farfield::distributed

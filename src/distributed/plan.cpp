// distributed::Plan: what all ranks settle together, and what each of them does.
#include <algorithm>
#include <farfield/distributed.hpp>
#include <farfield/error.hpp>

#include "backends/cpu/stages.hpp"
#include "distributed/agree.hpp"
#include "distributed/all_pairs.hpp"
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
  bool alike = true;
  bool built = false;
  Report report;

  State(Communicator& communicator, const farfield::Options& o) : ranks(communicator), options(o) { forget(); }
  void forget();
  std::unique_ptr<Evaluator> make(const Decision& decision, int threads);
  void build(const Given& given);
  Decision choose_alike(farfield::Options& options, const Geometry& geometry);
  void check_outputs(const Outputs& outputs) const;
  void check_strengths(const Strengths& strengths, Order order) const;
  void evaluate(const Strengths& strengths, const Outputs& outputs, Order order);
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
    return std::make_unique<AllPairs>(ranks, decision, threads, options.at_sources);
  placed = std::make_shared<RankPlaced>();
  placed->ranks = &ranks;
  return make_rank_evaluator(placed, decision, threads);
}

/// The same decision on all ranks: from the options, the survey of all points and the least of their instruction sets.
Decision Plan::State::choose_alike(farfield::Options& o, const Geometry& geometry) {
  std::vector<int> simd{static_cast<int>(cpu::resolve_simd(o.simd))};
  ranks.least(simd);
  o.simd = static_cast<Simd>(simd[0]);
  Decision decision = choose(o, geometry, {Backend::cpu, o.simd});
  require_offered(decision);
  decision = evaluators.with_needs(decision, geometry);
  correct_cube(decision, geometry);
  return decision;
}

/// Points that are refused leave the plan as it was.
void Plan::State::build(const Given& given) {
  require_same(ranks, options);
  require_same(ranks, given.targets != nullptr,
               "some ranks pass targets and others none; pass targets, perhaps none, on all");
  require_same(ranks, static_cast<std::int64_t>(given.order), one_order);
  farfield::Options o = settled(options);
  require_offered(o, given);
  const Completed own(given.sources, o.kernel), other(given.targets ? *given.targets : Points{}, o.kernel);
  o.backend = Backend::cpu;
  const int threads = settle_team(o.threads).threads;
  OtherRanks others(ranks);
  Given completed{own.points, given.targets ? &other.points : nullptr, given.order, o.at_sources && given.targets};
  Geometry geometry = cpu::survey(completed.sources, completed.targets, threads, &others);
  Joined joined;
  if (completed.at_sources) {
    joined = join({Backend::cpu, o.simd}, other.points, own.points);
    completed.targets = &joined.points;
    geometry = cpu::survey(completed.sources, completed.targets, threads, &others);
  }
  const Decision decision = choose_alike(o, geometry);
  try {
    guarded([&] {
      report.plan = describe(o, decision, geometry, threads);
      Evaluator& first = evaluators.first(decision, threads);
      evaluators.use_threads(threads);
      if (placed) placed->order = given.order, placed->at_sources = completed.at_sources;
      first.build(completed.sources, completed.targets, geometry, report.plan);
    });
  } catch (const Error&) {
    forget();
    throw;
  }
  alike = !given.targets;
  sources = given.sources.count, targets = alike ? sources : given.targets->count;
  of_all = ranks.sum_of(sources + (alike ? 0 : targets));
  report.ranks.assign(static_cast<std::size_t>(ranks.size()), {});
  built = true;
}

void Plan::State::check_outputs(const Outputs& o) const {
  if (o.space != MemorySpace::host) throw Error(ErrorCode::device, "outputs of a distributed plan are in host memory");
  if (o.hessian || o.source_hessian || o.virial)
    refuse("results other than potential and gradient at the points are not offered");
  farfield::validate(o, settled(options), alike);
}

/// Strengths in the owned order are one for each owned source.
void Plan::State::check_strengths(const Strengths& strengths, Order order) const {
  const std::int64_t own = count(Set::sources, order);
  if (order == Order::owned && strengths.count != own)
    throw Error(ErrorCode::input, std::to_string(strengths.count) + " strengths were given, but this rank owns " +
                                      std::to_string(own) + " sources; pass one for each, as to_owned returns them");
  validate(strengths, own, false, false);
}

void Plan::State::account(double seconds) {
  const Share* share = placed ? placed->share.get() : nullptr;
  RankReport own;
  own.given = sources + (alike ? 0 : targets);
  own.owned = share ? share->targets() : targets;
  own.ghosts = share ? share->essential.ghosts : of_all - own.given;
  own.boxes = share ? share->essential.tree.boxes : 0;
  own.sent = ranks.sent_bytes();
  own.migrants = share ? share->source_route.migrants() + share->target_route_apart.migrants() : 0;
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

void Plan::State::evaluate(const Strengths& strengths, const Outputs& outputs, Order order) {
  require_points();
  require_same(ranks, static_cast<std::int64_t>(order), one_order);
  check_strengths(strengths, order);
  check_outputs(outputs);
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
  Delivery delivery{outputs, count(Set::targets, order), scale, options.check, options.seed};
  if (alike) delivery.outputs = at_points(outputs);
  evaluators.evaluate(strengths, delivery, r);
  complete(r);
  account(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

/// Where all pairs are summed from the first decision on, a rank owns the points that it passed.
Carrier Plan::State::carrier(Set set) const {
  const bool of_sources = set == Set::sources;
  if (!placed || !placed->share) return Carrier(of_sources ? sources : targets);
  return of_sources ? placed->share->source_carrier(Order::given) : placed->share->target_carrier(Order::given);
}

std::int64_t Plan::State::count(Set set, Order order) const {
  if (order == Order::owned) return carrier(set).count();
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

// distributed::Plan: what all ranks settle together, and what each of them does.
#include <algorithm>
#include <farfield/distributed.hpp>
#include <farfield/error.hpp>

#include "backends/cpu/stages.hpp"
#include "backends/cpu/transfer/survey.hpp"
#include "distributed/all_pairs.hpp"
#include "kernels/traits.hpp"
#include "model/choose.hpp"
#include "plan/completed.hpp"
#include "plan/repeat.hpp"
#include "plan/report/describe.hpp"
#include "plan/threads.hpp"
#include "plan/validate.hpp"

namespace farfield::distributed {
namespace {

/// A survey of all ranks' points.
class OtherRanks final : public cpu::OtherParts {
 public:
  explicit OtherRanks(Ranks& ranks) : ranks_(ranks) {}
  void join(cpu::Found& found) override {
    std::vector<std::int64_t> counts{found.sources, found.targets};
    ranks_.add(counts);
    found.sources = counts[0], found.targets = counts[1];
    std::vector<double> least{found.least};
    for (int axis = 0; axis < 3; ++axis) least.push_back(found.low[axis]), least.push_back(-found.high[axis]);
    ranks_.least(least);
    found.least = least[0];
    for (std::size_t axis = 0; axis < 3; ++axis)
      found.low[axis] = least[1 + 2 * axis], found.high[axis] = -least[2 + 2 * axis];
  }
  void join(std::vector<std::uint64_t>& occupied) override {
    ranks_.all_reduce(occupied.data(), occupied.size(), [](std::uint64_t a, std::uint64_t b) { return a | b; });
  }

 private:
  Ranks& ranks_;
};

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::usage, what + " in a distributed plan of this version; use an ordinary plan");
}

void require_offered(const farfield::Options& o, const Given& given) {
  const auto any = [&](const auto& is) { return is(given.sources) || (given.targets && is(*given.targets)); };
  if (o.backend == Backend::cuda || any([](const Points& p) { return p.space != MemorySpace::host; }))
    refuse("backend cuda is not offered");
  if (o.softening != 0 || any([](const Points& p) { return p.softening != nullptr; }))
    refuse("softening is not offered");
  if (o.at_sources && given.targets) refuse("results at the sources beside those at targets are not offered");
  if (o.core != Core::none) refuse("a core is not offered");
  if (o.dipoles || o.hessian) refuse("dipoles and Hessians are not offered");
  if (o.periodic != Axes::none || o.virial) refuse("periodic axes and the virial are not offered");
}

void require_offered(const Decision& d) {
  if (d.method == Method::fmm && !traits(d.kernel).scale_invariant)
    refuse(std::string("kernel ") + traits(d.kernel).name + " is not offered with expansions");
  if (d.method != Method::fmm && d.method != Method::direct)
    refuse(std::string("method ") + word_of(d.method) + " is not offered");
}

/// What `options` say must be the same on all ranks, or they would part ways.
void require_same(Ranks& ranks, const farfield::Options& o) {
  std::vector<double> own;
  visit_options(o, [&](const OptionText&, const auto& value) { own.push_back(static_cast<double>(value)); });
  const std::vector<double> all = ranks.all_gather(own.data(), own.size());
  std::size_t k = 0;
  visit_options(o, [&](const OptionText& text, const auto&) {
    for (std::size_t r = 0; r < static_cast<std::size_t>(ranks.size()); ++r)
      if (all[r * own.size() + k] != all[k] && std::string(text.name) != "threads")
        throw Error(ErrorCode::usage, std::string("option ") + text.name + " differs between ranks 0 and " +
                                          std::to_string(r) + "; pass the same options on all");
    ++k;
  });
}

}  // namespace

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
  void require_same_sets(const Given& given);
  Decision choose_alike(farfield::Options& options, const Given& given, Geometry& geometry, int threads);
  void check_outputs(const Outputs& outputs) const;
  void require_alike(const Strengths& strengths, const Outputs& outputs);
  void evaluate(const Strengths& strengths, const Outputs& outputs);
  void account(double seconds);
};

void Plan::State::forget() {
  built = false;
  placed.reset();
  evaluators = Evaluators([this](const Decision& decision, int threads) { return make(decision, threads); });
}

std::unique_ptr<Evaluator> Plan::State::make(const Decision& decision, int threads) {
  placed.reset();
  if (decision.method == Method::direct) return std::make_unique<AllPairs>(ranks, decision, threads);
  placed = std::make_shared<RankPlaced>();
  placed->ranks = &ranks;
  return make_rank_evaluator(placed, decision, threads);
}

/// The same decision on all ranks: from the options, the survey of all points and the least of their instruction sets.
Decision Plan::State::choose_alike(farfield::Options& o, const Given& own, Geometry& geometry, int threads) {
  OtherRanks others(ranks);
  geometry = cpu::survey(own.sources, own.targets, threads, &others);
  std::vector<int> simd{static_cast<int>(cpu::resolve_simd(o.simd))};
  ranks.least(simd);
  o.simd = static_cast<Simd>(simd[0]);
  Decision decision = choose(o, geometry, {Backend::cpu, o.simd});
  require_offered(decision);
  decision = evaluators.with_needs(decision, geometry);
  correct_cube(decision, geometry);
  return decision;
}

void Plan::State::require_same_sets(const Given& given) {
  const std::vector<char> apart = ranks.all_gather(static_cast<char>(given.targets != nullptr));
  if (std::count(apart.begin(), apart.end(), apart[0]) != std::ssize(apart))
    throw Error(ErrorCode::usage, "some ranks pass targets and others none; pass targets, perhaps none, on all");
}

/// Points that are refused leave the plan as it was.
void Plan::State::build(const Given& given) {
  require_same(ranks, options);
  require_same_sets(given);
  farfield::Options o = settled(options);
  require_offered(o, given);
  const Completed own(given.sources, o.kernel), other(given.targets ? *given.targets : Points{}, o.kernel);
  const Given completed{own.points, given.targets ? &other.points : nullptr};
  o.backend = Backend::cpu;
  const int threads = settle_team(o.threads).threads;
  Geometry geometry;
  const Decision decision = choose_alike(o, completed, geometry, threads);
  try {
    guarded([&] {
      report.plan = describe(o, decision, geometry, threads);
      Evaluator& first = evaluators.first(decision, threads);
      evaluators.use_threads(threads);
      first.build(completed.sources, completed.targets, geometry, report.plan);
    });
  } catch (const Error&) {
    forget();
    throw;
  }
  alike = !given.targets;
  sources = given.sources.count, targets = alike ? sources : given.targets->count;
  of_all = geometry.sources + (alike ? 0 : geometry.targets);
  report.ranks.assign(static_cast<std::size_t>(ranks.size()), {});
  built = true;
}

void Plan::State::check_outputs(const Outputs& o) const {
  if (o.space != MemorySpace::host) throw Error(ErrorCode::device, "outputs of a distributed plan are in host memory");
  if (o.gradient && !options.gradient)
    throw Error(ErrorCode::usage, "a gradient array was given but the plan was made without options.gradient; set it");
  if (o.potential && !sums_potential(options))
    throw Error(ErrorCode::usage, std::string("a potential array was given, but kernel ") +
                                      traits(options.kernel).name + " sums velocities alone; pass null");
  if (o.source_potential || o.source_gradient || o.hessian || o.source_hessian || o.virial)
    refuse("results other than potential and gradient at the points are not offered");
}

void Plan::State::require_alike(const Strengths& strengths, const Outputs& outputs) {
  const auto differ = [&](std::int64_t own) {
    const std::vector<std::int64_t> all = ranks.all_gather(own);
    return std::count(all.begin(), all.end(), own) != std::ssize(all);
  };
  if (differ(strengths.vectors))
    throw Error(ErrorCode::usage, "ranks pass different numbers of strength vectors; pass the same on all");
  if (differ(static_cast<std::int64_t>(outputs.scalar)))
    throw Error(ErrorCode::usage, "ranks want results of different types; pass the same on all");
}

void Plan::State::account(double seconds) {
  const Share* share = placed ? placed->share.get() : nullptr;
  RankReport own;
  own.given = sources + (alike ? 0 : targets);
  own.owned = share ? share->targets() : targets;
  own.ghosts = share ? share->essential.ghosts : of_all - own.given;
  own.boxes = share ? share->essential.tree.boxes : 0;
  own.sent = ranks.sent_bytes();
  own.seconds = seconds;
  own.waiting = ranks.waiting();
  report.ranks = ranks.all_gather(own);
  double most = 0, all = 0;
  for (const RankReport& r : report.ranks) most = std::max(most, r.seconds - r.waiting), all += r.seconds - r.waiting;
  report.imbalance = all > 0 ? most * static_cast<double>(ranks.size()) / all - 1 : 0;
}

void Plan::State::evaluate(const Strengths& strengths, const Outputs& outputs) {
  if (!built) throw Error(ErrorCode::usage, "the plan has no points, because the last move failed; move again");
  validate(strengths, sources, false, false);
  check_outputs(outputs);
  require_alike(strengths, outputs);
  ranks.restart_accounts();
  const auto start = std::chrono::steady_clock::now();
  farfield::Report& r = report.plan;
  start_evaluation(r, strengths.vectors);
  r.threads = settle_team(options.threads).threads;
  evaluators.use_threads(r.threads);
  const double scale = options.scale * traits(options.kernel).vector.constant;
  evaluators.evaluate(strengths, {outputs, targets, scale, options.check, options.seed}, r);
  complete(r);
  account(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
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

void Plan::move(const Points& points) {
  state_->ranks.together([&] { state_->build({points, nullptr}); });
}
void Plan::move(const Points& sources, const Points& targets) {
  state_->ranks.together([&] { state_->build({sources, &targets}); });
}

const Report& Plan::evaluate(const Strengths& strengths, const Outputs& outputs) {
  state_->ranks.together([&] { state_->evaluate(strengths, outputs); });
  return state_->report;
}

const Report& Plan::report() const { return state_->report; }
std::int64_t Plan::source_count() const { return state_->sources; }
std::int64_t Plan::target_count() const { return state_->targets; }

}  // namespace farfield::distributed

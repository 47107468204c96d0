// distributed::Plan: what all ranks settle together, and what each of them does.
#include <algorithm>
#include <cmath>
#include <farfield/distributed.hpp>
#include <farfield/error.hpp>
#include <farfield/version.hpp>
#include <limits>
#include <map>
#include <optional>

#include "backends/cpu/evaluator.hpp"
#include "backends/cpu/transfer/survey.hpp"
#include "backends/cpu/transfer/transfer.hpp"
#include "distributed/all_points.hpp"
#include "distributed/sums.hpp"
#include "judge/improve.hpp"
#include "kernels/traits.hpp"
#include "model/accounts.hpp"
#include "model/choose.hpp"
#include "plan/completed.hpp"
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

void require_offered(const farfield::Options& o, const Points& points) {
  if (o.backend == Backend::cuda || points.space != MemorySpace::host) refuse("backend cuda is not offered");
  if (o.softening != 0 || points.softening) refuse("softening is not offered");
  if (o.core != Core::none) refuse("a core is not offered");
  if (o.dipoles || o.hessian) refuse("dipoles and Hessians are not offered");
  if (o.periodic != Axes::none || o.virial) refuse("periodic axes and the virial are not offered");
  if (o.check > 0) refuse("measured errors (option check) are not offered");
}

void require_offered(const Decision& d) {
  if (d.method == Method::fmm && !traits(d.kernel).scale_invariant)
    refuse(std::string("kernel ") + traits(d.kernel).name + " is not offered with expansions");
  if (d.method != Method::fmm && d.method != Method::direct)
    refuse(std::string("method ") + word_of(d.method) + " is not offered");
  if (d.method == Method::fmm && d.settle_degree)
    throw Error(ErrorCode::usage,
                "the degree for a tolerance is not found in a distributed plan of this version; set Options::degree, "
                "which an ordinary plan over some of these points names in its report");
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
  farfield::Options options;
  Decision decision;
  Geometry geometry;
  int threads = 1;
  std::int64_t given = 0;
  std::optional<AllPoints> all_points;
  std::optional<Share> share;
  std::map<Precision, std::unique_ptr<Sums>> sums;
  bool built = false;
  Report report;

  State(Communicator& communicator, const farfield::Options& o) : ranks(communicator), options(o) {}
  void build(const Points& points);
  void choose_alike(const Points& points);
  void describe();
  void evaluate(const Strengths& strengths, const Outputs& outputs);
  void check_outputs(const Outputs& outputs) const;
  std::vector<StrengthRange> ranges_of(const Strengths& strengths);
  void sum_all(const Strengths& strengths, const Outputs& outputs, StageClock& clock);
  void sum_again(const Strengths& strengths, std::int64_t vector, const StrengthRange& range, const Outputs& outputs,
                 StageClock& clock, bool finite);
  Sums& sums_for(const Decision& d);
  double constant() const { return options.scale * traits(options.kernel).vector.constant; }
  void account(double seconds);
};

/// The same decision on all ranks: from the options, the survey of all points and the least of their instruction sets.
void Plan::State::choose_alike(const Points& points) {
  OtherRanks others(ranks);
  geometry = cpu::survey(points, nullptr, threads, &others);
  std::vector<int> simd{static_cast<int>(cpu::resolve_simd(options.simd))};
  ranks.least(simd);
  options.simd = static_cast<Simd>(simd[0]);
  decision = choose(options, geometry, {Backend::cpu, options.simd});
  require_offered(decision);
}

void Plan::State::build(const Points& given_points) {
  built = false;
  require_same(ranks, options);
  options = settled(options);
  require_offered(options, given_points);
  const Completed completed(given_points, options.kernel);
  const Points& points = completed.points;
  options.backend = Backend::cpu;
  threads = settle_team(options.threads).threads;
  choose_alike(points);
  all_points.reset(), sums.clear(), share.reset();
  if (decision.method == Method::direct)
    all_points.emplace(ranks, points, options);
  else
    share = make_share(ranks, points, geometry, decision, threads);
  given = points.count;
  describe();
  built = true;
}

void Plan::State::describe() {
  report = {};
  report.ranks.resize(static_cast<std::size_t>(ranks.size()));
  if (all_points) {
    report.plan = all_points->report();
    return;
  }
  farfield::Report& r = report.plan;
  r.version = FARFIELD_VERSION;
  r.kernel = traits(decision.kernel).name;
  r.method = word_of(decision.method);
  r.backend = r.device = word_of(decision.backend);
  r.precision = word_of(decision.precision);
  r.simd = word_of(decision.simd);
  r.m2l = decision.rotation ? "rotation" : "dense";
  r.stencil = decision.reduced ? "reduced" : "full";
  r.tolerance = options.tolerance, r.scale = options.scale;
  r.gradient = options.gradient;
  r.threads = threads;
  r.degree = decision.degree;
  r.coefficients = traits(decision.kernel).coefficients(decision.degree);
  r.leaf_size = decision.leaf_size;
  r.choices = decision.choices;
  if (share->owned() > 0) count_work(share->essential.tree.view(), share->essential.lists.view(), decision, r);
  r.sources = r.targets = geometry.sources;
  std::vector<std::int64_t> counts{r.near_pairs, r.p2p_boxes, r.m2l_boxes, r.m2p_boxes, r.p2l_boxes};
  ranks.add(counts);
  r.near_pairs = counts[0], r.p2p_boxes = counts[1], r.m2l_boxes = counts[2], r.m2p_boxes = counts[3],
  r.p2l_boxes = counts[4];
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

/// Of each vector over all ranks.
std::vector<StrengthRange> Plan::State::ranges_of(const Strengths& strengths) {
  constexpr int none = std::numeric_limits<int>::min();
  const auto vectors = static_cast<std::size_t>(strengths.vectors);
  std::vector<int> largest;  // exponents, negated: the least is wanted
  std::vector<double> smallest;
  for (std::int64_t v = 0; v < strengths.vectors; ++v) {
    const StrengthRange own =
        strengths.count > 0 ? cpu::strength_range(strengths, v, geometry.exponent, threads) : StrengthRange{};
    largest.push_back(own.least > 0 ? -own.exponent : -(none + 1));
    smallest.push_back(own.least > 0 ? own.least : std::numeric_limits<double>::infinity());
  }
  ranks.least(largest), ranks.least(smallest);
  std::vector<StrengthRange> ranges(vectors);
  for (std::size_t v = 0; v < vectors; ++v)
    if (std::isfinite(smallest[v])) ranges[v].exponent = -largest[v], ranges[v].least = smallest[v];
  return ranges;
}

Sums& Plan::State::sums_for(const Decision& d) {
  std::unique_ptr<Sums>& own = sums[d.precision];
  if (!own) own = make_sums(ranks, *share, d, geometry.exponent, threads);
  return *own;
}

/// As an ordinary plan does: in double where results leave the range of single, or strengths are lost in it.
void Plan::State::sum_again(const Strengths& strengths, std::int64_t vector, const StrengthRange& range,
                            const Outputs& outputs, StageClock& clock, bool finite) {
  Quality quality;
  if (!finite) quality.norms.order[0].l2 = std::numeric_limits<double>::infinity();
  quality.lost =
      !traits(decision.kernel).bounded && loses_strengths(range, decision.precision, geometry.least, quality.norms);
  const std::optional<Decision> next = improved(decision, quality);
  if (!next) return;
  sums_for(*next).sum({strengths, vector, {range.exponent}}, outputs, constant(), clock);
  report.plan.choices.push_back({"evaluated again", difference(decision, *next),
                                 "vector " + std::to_string(vector) + " of the strengths needs it"});
}

void Plan::State::sum_all(const Strengths& strengths, const Outputs& outputs, StageClock& clock) {
  const std::vector<StrengthRange> ranges = ranges_of(strengths);
  const int most = cpu::densities_of(decision), together = strengths.vectors < most ? 1 : most;
  for (std::int64_t first = 0, count; first < strengths.vectors; first += count) {
    count = strengths.vectors - first < together ? 1 : together;
    Slice slice{strengths, first, {}};
    for (std::int64_t v = first; v < first + count; ++v)
      slice.exponents.push_back(ranges[static_cast<std::size_t>(v)].exponent);
    sums_for(decision).sum(slice, outputs, constant(), clock);
    std::vector<char> finite;
    for (int v = 0; v < slice.count(); ++v) finite.push_back(sums_for(decision).finite(v));
    for (std::int64_t v = first; v < first + count; ++v)
      sum_again(strengths, v, ranges[static_cast<std::size_t>(v)], outputs, clock,
                finite[static_cast<std::size_t>(v - first)]);
  }
}

void Plan::State::account(double seconds) {
  RankReport own;
  own.given = given;
  own.owned = share ? share->owned() : given;
  own.ghosts = share ? share->essential.ghosts : geometry.sources - given;
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
  validate(strengths, given, false, false);
  check_outputs(outputs);
  const std::vector<std::int64_t> vectors = ranks.all_gather(strengths.vectors);
  if (std::count(vectors.begin(), vectors.end(), strengths.vectors) != std::ssize(vectors))
    throw Error(ErrorCode::usage, "ranks pass different numbers of strength vectors; pass the same on all");
  ranks.restart_accounts();
  const auto start = std::chrono::steady_clock::now();
  if (all_points) {
    all_points->evaluate(ranks, strengths, outputs);
    report.plan = all_points->report();
  } else {
    std::erase_if(report.plan.stages, [](const StageReport& stage) { return !stage.building; });
    std::erase_if(report.plan.choices, [](const Choice& choice) { return choice.name == "evaluated again"; });
    report.plan.vectors = strengths.vectors;
    StageClock clock(report.plan, false);
    sum_all(strengths, outputs, clock);
    complete(report.plan);
  }
  account(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

Plan::Plan(Communicator& communicator, const Points& points, const farfield::Options& options)
    : state_(std::make_unique<State>(communicator, options)) {
  state_->ranks.together([&] { state_->build(points); });
}
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;
Plan::~Plan() = default;

void Plan::move(const Points& points) {
  state_->ranks.together([&] { state_->build(points); });
}

const Report& Plan::evaluate(const Strengths& strengths, const Outputs& outputs) {
  state_->ranks.together([&] { state_->evaluate(strengths, outputs); });
  return state_->report;
}

const Report& Plan::report() const { return state_->report; }
std::int64_t Plan::point_count() const { return state_->given; }

}  // namespace farfield::distributed

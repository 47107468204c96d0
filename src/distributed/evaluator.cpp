#include "distributed/evaluator.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "backends/cpu/evaluator.hpp"
#include "backends/cpu/far/table_cache.hpp"
#include "backends/cpu/near/heaps.hpp"
#include "backends/cpu/transfer/transfer.hpp"
#include "backends/density_arrays.hpp"
#include "backends/sequence.hpp"
#include "core/stage_clock.hpp"
#include "distributed/all_pairs.hpp"
#include "distributed/judging/placement.hpp"
#include "distributed/judging/truncation.hpp"
#include "distributed/stages.hpp"
#include "distributed/strengths.hpp"
#include "judge/truncation.hpp"
#include "methods/fmm.hpp"
#include "model/accounts.hpp"

namespace farfield::distributed {

void RankPlaced::build(const Given& given, const Geometry& of_all, const Decision& decision, int threads) {
  direct_sums.reset(), judged.reset();  // which look at the share
  geometry = of_all;
  tree.alike = of_all.alike;
  share = std::make_unique<Share>(make_share(*ranks, given, of_all, decision, threads));
  judged = std::make_unique<JudgedTree>(*ranks, *share, of_all.targets);
  direct_sums = std::make_unique<DirectSums>(*ranks, share->own);
  norm_pieces = Aligned(*ranks, share->targets(), norm_grain);
}

/// Of each vector over all ranks.
static std::vector<StrengthRange> ranges_of_all(Ranks& ranks, const Strengths& strengths, int exponent, int threads) {
  constexpr int none = std::numeric_limits<int>::min();
  const auto vectors = static_cast<std::size_t>(strengths.vectors);
  std::vector<int> largest;  // exponents, negated: the least is wanted
  std::vector<double> smallest;
  for (std::int64_t v = 0; v < strengths.vectors; ++v) {
    const StrengthRange own =
        strengths.count > 0 ? cpu::strength_range(strengths, v, exponent, threads) : StrengthRange{};
    largest.push_back(own.least > 0 ? -own.exponent : -(none + 1));
    smallest.push_back(own.least > 0 ? own.least : std::numeric_limits<double>::infinity());
  }
  ranks.least(largest), ranks.least(smallest);
  std::vector<StrengthRange> ranges(vectors);
  for (std::size_t v = 0; v < vectors; ++v)
    if (std::isfinite(smallest[v])) ranges[v].exponent = -largest[v], ranges[v].least = smallest[v];
  return ranges;
}

/// The steps of backends/sequence.hpp, of which every one is done by all ranks together.
template <class Real>
class RankSteps : public EvaluatorState<RankPlaced> {
 public:
  using Placed = RankPlaced;
  explicit RankSteps(EvaluatorState<Placed> state)
      : EvaluatorState<Placed>(std::move(state)), stages_(cpu::stages<Real>(decision.kernel, decision.simd)) {}

  bool can_adopt(const Decision& d) const { return cpu::may_adopt(decision, d); }
  template <class Work>
  void call(farfield::Report& report, bool building, const std::vector<CallerMemory>&, Work&& work) {
    StageClock clock(report, building);
    clock_ = &clock;
    work();
  }
  template <class Work>
  void time(const char* stage, Work&& work) {
    (*clock_)(stage, work);
  }
  std::int64_t sources() const { return placed->geometry.sources; }
  std::int64_t targets() const { return placed->geometry.targets; }

  void forget_tree() {}
  void build_tree(const Points& sources, const Points* targets, const Geometry& geometry) {
    time("share", [&] { placed->build({sources, targets}, geometry, decision, threads); });
  }
  void read_points(const Points&, const Points*, const Geometry&) {}  // AllPairs has all sums without a tree
  Settled settled_degree(farfield::Report& report) const {
    RankPlacement sums(ranks(), share(), *placed->judged, decision.derivatives(), threads);
    return farfield::settle_degree(decision, sums, report);
  }
  void prepare_expansions(farfield::Report&) {
    time("tables", [&] {
      tables_ = cpu::shared_tables<Real>({decision.kernel,
                                          expansion_degree(decision.kernel, decision.degree),
                                          decision.rotation,
                                          decision.reduced,
                                          true,
                                          {}},
                                         threads);
    });
  }
  void finish_build(farfield::Report& report);
  void finish(farfield::Report&) const {}

  void allocate_results();
  std::vector<StrengthRange> read(const Strengths& strengths) const {
    return ranges_of_all(ranks(), strengths, placed->exponent, threads);
  }
  int most_together(const Strengths& strengths) const {
    const int most = cpu::densities_of(decision);
    return strengths.vectors < most ? 1 : most;
  }
  void gather(const OneVector& v);
  void bind();
  void sum(bool /*alone*/) {
    if (sources() == 0 || targets() == 0) return clear_results();
    RankStages<Real> stages{stages_, own_, top_, work_, ranks(), share()};
    fmm(stages, *clock_);
  }
  void show(const OneVector& v) {
    arrays_.point_at(v.place, 1, decision.parts(), work_);
    work_.densities = 1;
  }
  void start_judging(const OneVector&) {}
  void scatter(const OneVector& v, const ResultFactors& factors, const Delivery& delivery) const;
  Quality quality(const OneVector& v, std::int64_t translations);
  ErrorReport checked(const OneVector& v, const Delivered& delivered, const Delivery& delivery);

 private:
  Ranks& ranks() const { return *placed->ranks; }
  const Share& share() const { return *placed->share; }
  std::int64_t pitch() const { return share().essential.sources.count + cpu::strength_padding; }
  std::int64_t result_pitch() const { return share().essential.target_points().count; }

  template <class T>
  std::vector<T> sorted(const OneVector& v) const;
  void fetch_ghosts(Real* strength) const;
  void clear_results();
  void bind_tree(cpu::Work<Real>& work, const Tree<Array>& tree, Array<Real>& multipole) const;
  Expansions<Real> expansions() const;
  SumsAt exact_sums(const OneVector& v);
  ResultArrays<Real> own_results() const;
  void measure_error(Quality& quality, std::int64_t samples, const SumsAt& sums_at);

  cpu::Stages<Real> stages_;
  StageClock* clock_ = nullptr;  ///< of the current call
  std::shared_ptr<const cpu::Tables<Real>> tables_;
  DensityArrays<Array<Real>> arrays_;  ///< of the essential tree
  Array<Real> own_multipole_, top_multipole_;
  std::vector<double> power_, exact_;  ///< [boxes], for the truncation; strengths in double, where Real is float
  cpu::Work<Real> own_, top_, work_;   ///< work_: of the essential tree
};

template <class Real>
void RankSteps<Real>::finish_build(farfield::Report& report) {
  const Essential& e = share().essential;
  count_work_of(e.summed, e.tree.view(), e.lists.view(), decision, report);
  const auto &source = e.sources.axis, &target = e.target_points().axis;
  const double* const from[3] = {source[0].data(), source[1].data(), source[2].data()};
  const double* const to[3] = {target[0].data(), target[1].data(), target[2].data()};
  const std::int64_t in_heaps = traits(decision.kernel).singular ? cpu::pairs_in_heaps(e.tree.view(), from, to) : 0;
  std::vector<std::int64_t> counts{report.leaves,    report.near_pairs, report.p2p_boxes, report.m2l_boxes,
                                   report.m2p_boxes, report.p2l_boxes,  in_heaps};
  ranks().add(counts);
  report.leaves = counts[0], report.near_pairs = counts[1], report.p2p_boxes = counts[2], report.m2l_boxes = counts[3],
  report.m2p_boxes = counts[4], report.p2l_boxes = counts[5];
  report.boxes = placed->judged->order().count();
  report.levels = placed->judged->order().levels();
  report.far_fraction = far_fraction(report);
  report.near_pairs -= counts[6];
}

/// Every rank has arrays, that results are computed shows in them.
template <class Real>
void RankSteps<Real>::allocate_results() {
  const std::int64_t stride = tables_->view().stride;
  arrays_.strength[0].resize(densities * pitch());
  arrays_.resize_results(decision.parts(), std::max<std::int64_t>(1, densities * result_pitch()));
  arrays_.multipole.resize(densities * share().essential.tree.boxes * stride);
  arrays_.local.resize(densities * share().essential.tree.boxes * stride);
  own_multipole_.resize(densities * share().own.tree.boxes * stride);
  top_multipole_.resize(densities * share().top.tree.boxes * stride);
  power_.resize(static_cast<std::size_t>(share().essential.tree.boxes));
}

/// Strengths of the own sources in the order of the tree, rounded to T only after their scaling.
template <class Real>
template <class T>
std::vector<T> RankSteps<Real>::sorted(const OneVector& v) const {
  const Scaling scale(-v.exponent);
  const std::vector<T> owned = share().source_route.template to_owners<T>(
      ranks(), 1, [&](std::uint32_t i, T* to) { *to = static_cast<T>(scale(strength_of(v.strengths, v.index, i))); });
  std::vector<T> sorted(owned.size());
  for (std::size_t i = 0; i < sorted.size(); ++i)
    sorted[i] = owned[share().own.sources.order[static_cast<std::int64_t>(i)]];
  return sorted;
}

template <class Real>
void RankSteps<Real>::gather(const OneVector& v) {
  Real* const strength = arrays_.strength[0].data() + v.place * pitch();
  std::fill_n(strength, pitch(), Real(0));
  const std::vector<Real> own = sorted<Real>(v);
  std::copy(own.begin(), own.end(), strength + share().essential.first);
  fetch_ghosts(strength);
}

template <class Real>
void RankSteps<Real>::fetch_ghosts(Real* strength) const {
  std::vector<std::int64_t> sent, received;
  for (const Halo& halo : share().sends) sent.push_back(halo.points());
  for (const Halo& halo : share().receives) received.push_back(halo.points());
  const Begins sent_from = begins_of(sent), received_from = begins_of(received);
  std::vector<Real> out, in(static_cast<std::size_t>(received_from.back()));
  out.reserve(static_cast<std::size_t>(sent_from.back()));
  const Real* const own = strength + share().essential.first;
  for (const Halo& halo : share().sends)
    for (const Interval& one : halo.intervals) out.insert(out.end(), own + one.begin, own + one.end);
  ranks().exchange(out.data(), sent_from, in.data(), received_from);
  const Real* from = in.data();
  for (const Halo& halo : share().receives)
    for (const Interval& one : halo.intervals) {
      std::copy_n(from, one.end - one.begin, strength + one.begin);
      from += one.end - one.begin;
    }
}

template <class Real>
void RankSteps<Real>::bind_tree(cpu::Work<Real>& work, const Tree<Array>& tree, Array<Real>& multipole) const {
  work.tree = tree.view();
  work.expansion_pitch = tree.boxes * work.tables.stride;
  work.multipole = multipole.data();
}

template <class Real>
void RankSteps<Real>::bind() {
  const Essential& e = share().essential;
  work_ = {};
  work_.threads = threads;
  if (tables_) work_.tables = tables_->view();
  work_.strength_pitch = pitch();
  work_.result_pitch = result_pitch();
  work_.densities = densities;
  work_.expansion_pitch = e.tree.boxes * work_.tables.stride;
  arrays_.point_at(0, 1, decision.parts(), work_);
  bind_tree(work_, e.tree, arrays_.multipole);
  work_.lists = e.lists.view();
  for (int axis = 0; axis < 3; ++axis) {
    work_.source[axis] = e.sources.axis[axis].data();
    work_.target[axis] = e.target_points().axis[axis].data();
  }
  work_.source_order = e.sources.order.data(), work_.target_order = e.target_points().order.data();
  work_.parameters = decision.parameters;
  work_.rotation = decision.rotation;
  work_.reduced = decision.reduced;
  work_.pair_terms = decision.pair_terms;
  work_.decay_error = decision.decay_error;
  own_ = top_ = work_;
  bind_tree(own_, share().own.tree, own_multipole_);
  bind_tree(top_, share().top.tree, top_multipole_);
  if (own_.strength) own_.strength += e.first;
  for (const double*& axis : own_.source) axis += e.first;
}

/// Results in the caller's units to the ranks that were given the points: [owned][1 + 3], potential and gradient, those
/// that are summed.
template <class Real>
void RankSteps<Real>::scatter(const OneVector& v, const ResultFactors& factors, const Delivery& delivery) const {
  const int parts = decision.parts(), first = first_part(parts), width = end_part(parts) - first;
  const VectorResult& made = traits(decision.kernel).vector;
  const ResultArrays<Real> result = own_results();
  const cpu::SortedPoints& own = share().own.target_points();
  std::vector<double> owned(static_cast<std::size_t>(own.count * width));
  for (std::int64_t i = 0; i < own.count; ++i)
    for (int part = first; part < end_part(parts); ++part)
      owned[static_cast<std::size_t>(std::int64_t(own.order[i]) * width + part - first)] =
          factors[part](static_cast<double>(result.any(part)[i]));
  const Outputs& outputs = delivery.outputs;
  share().target_route().to_givers(ranks(), width, owned, [&](std::uint32_t i, const double* rows) {
    const std::int64_t at = v.index * delivery.split + i;
    if (first == 0) write(outputs.potential, outputs.scalar, at, rows[0]);
    if (parts > 1)
      for (int axis = 0; axis < 3; ++axis)
        write(outputs.gradient, outputs.scalar, 3 * at + axis, made.sign[axis] * rows[made.part[axis] - first]);
  });
}

/// Without sources or targets nothing is summed.
template <class Real>
void RankSteps<Real>::clear_results() {
  for (Array<Real>& part : arrays_.result) std::fill(part.begin(), part.end(), Real(0));
}

template <class Real>
ResultArrays<Real> RankSteps<Real>::own_results() const {
  ResultArrays<Real> own = work_.result;
  for (Real*& part : own.part)
    if (part) part += share().essential.first_target();
  return own;
}

template <class Real>
Expansions<Real> RankSteps<Real>::expansions() const {
  const KernelTraits& kernel = traits(decision.kernel);
  return {work_.multipole, work_.local, work_.tables.stride,          work_.tables.degree, kernel.coefficients,
          kernel.decay,    0,           decision.hessian ? orders : 2};
}

/// Direct sums with the caller's strengths, not rounded to Real.
template <class Real>
SumsAt RankSteps<Real>::exact_sums(const OneVector& v) {
  DirectInput input{};
  if constexpr (sizeof(Real) < sizeof(double)) {
    exact_ = sorted<double>(v);
    input.strength = exact_.data();
  } else {
    input.strength = work_.strength + share().essential.first;
  }
  input.parameters = decision.parameters;
  input.threads = threads;
  input.potential = first_part(decision.parts()) == 0;
  return [this, input](const std::vector<std::int64_t>& at) {
    return placed->direct_sums->at(ranks(), at, input, input.strength, stages_.direct_sums);
  };
}

/// Results at targets of some numbers, on all ranks.
template <class Real>
struct ResultsAt {
  std::vector<Real> part[most_parts];
  ResultArrays<Real> result;
  std::vector<std::int64_t> place;  ///< of these targets here

  ResultsAt(Ranks& ranks, const Owned& own, const ResultArrays<Real>& results, const std::vector<std::int64_t>& at)
      : place(at.size()) {
    for (int p = first_part(results.parts()); p < end_part(results.parts()); ++p) {
      part[p] = from_owners<Real>(ranks, own, at, [&](std::int64_t i) { return results.any(p)[i]; });
      result.part[p] = part[p].data();
    }
    std::iota(place.begin(), place.end(), 0);
  }
};

template <class Real>
void RankSteps<Real>::measure_error(Quality& quality, std::int64_t samples, const SumsAt& sums_at) {
  std::vector<DrawnTarget> drawn =
      draw_targets(ranks(), *placed->judged, share(), expansions(), power_.data(), samples, threads);
  std::vector<std::int64_t> at;
  for (DrawnTarget& one : drawn) at.push_back(std::exchange(one.target, std::ssize(at)));
  const ResultsAt<Real> results(ranks(), share().own, own_results(), at);
  measure(quality, Computed<Real>{targets(), results.result}, drawn,
          [&](const std::vector<std::int64_t>&) { return sums_at(at); });
}

/// The same on all ranks, of which the first one has the last word.
template <class Real>
Quality RankSteps<Real>::quality(const OneVector& v, std::int64_t translations) {
  const Norms norms = distributed::norms_of(ranks(), placed->norm_pieces, own_results());
  if (traits(decision.kernel).bounded) return quality_of({}, norms, sources(), targets(), {}, 1);
  const SumsAt sums_at = exact_sums(v);
  const std::vector<TermSums> probes = condition_sums(targets(), sums_at);
  Truncation truncated;
  if (decision.promised)
    truncated = distributed::truncation(ranks(), *placed->judged, share(), expansions(), power_.data(), threads);
  Quality quality =
      quality_of(probes, norms, sources(), targets(), truncated, truncation_safety(decision, translations));
  std::int64_t samples = measured_targets(decision, sources(), targets(), translations);
  if (samples == 0) samples = worth_measuring(decision, quality, targets(), translations);
  if (samples > 0) measure_error(quality, samples, sums_at);
  return ranks().all_gather(quality).front();
}

template <class Real>
ErrorReport RankSteps<Real>::checked(const OneVector& v, const Delivered& delivered, const Delivery& delivery) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<std::int64_t> at = check_targets(targets(), delivery.check, delivery.seed);
  const ResultsAt<Real> results(ranks(), share().own, own_results(), at);
  const std::vector<DirectSum> sums = exact_sums(v)(at);
  ErrorReport report = errors(Computed<Real>{targets(), results.result}, delivered, results.place, sums, delivery.seed);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

namespace {

/// Sums by expansions; all pairs of the same points are another class's.
class OverRanks final : public Evaluator {
 public:
  OverRanks(std::shared_ptr<RankPlaced> placed, std::unique_ptr<Evaluator> steps, int threads)
      : placed_(std::move(placed)), steps_(std::move(steps)), threads_(threads) {}
  bool adopt(const Decision& decision) override { return steps_->adopt(decision); }
  void use_threads(int threads) override { steps_->use_threads(threads_ = threads); }
  void build(const Points& points, const Points* targets, const Geometry& geometry, farfield::Report& report) override {
    steps_->build(points, targets, geometry, report);
  }
  std::vector<Quality> evaluate(const Strengths& strengths, const Delivery& delivery,
                                farfield::Report& report) override {
    return steps_->evaluate(strengths, delivery, report);
  }
  const Decision& decision() const override { return steps_->decision(); }
  std::unique_ptr<Evaluator> again(const Decision& decision, farfield::Report& report) override {
    if (!decision.expands()) return std::make_unique<AllPairs>(placed_, decision, threads_);
    return std::make_unique<OverRanks>(placed_, steps_->again(decision, report), threads_);
  }

 private:
  std::shared_ptr<RankPlaced> placed_;
  std::unique_ptr<Evaluator> steps_;
  int threads_;
};

}  // namespace

std::unique_ptr<Evaluator> make_rank_evaluator(std::shared_ptr<RankPlaced> placed, const Decision& decision,
                                               int threads) {
  std::unique_ptr<Evaluator> steps = make_sequenced<RankSteps>(decision, threads, placed);
  return std::make_unique<OverRanks>(std::move(placed), std::move(steps), threads);
}

}  // namespace farfield::distributed

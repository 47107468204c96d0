#include "distributed/evaluator.hpp"

#include <cmath>
#include <utility>

#include "backends/cpu/evaluator.hpp"
#include "backends/cpu/far/table_cache.hpp"
#include "backends/sequence.hpp"
#include "core/stage_clock.hpp"
#include "distributed/all_pairs.hpp"
#include "distributed/backends.hpp"
#include "distributed/evaluation/arrays.hpp"
#include "distributed/evaluation/count.hpp"
#include "distributed/evaluation/gather.hpp"
#include "distributed/evaluation/judge.hpp"
#include "distributed/evaluation/scatter.hpp"
#include "distributed/judging/placement.hpp"
#include "distributed/stages.hpp"
#include "methods/fmm.hpp"

namespace farfield::distributed {

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
    time("share", [&] { placed->build(placed->given(sources, targets), geometry, decision, threads); });
  }
  static Drift drift(const Points&, const Points*) { return {}; }
  static bool follow(const Points&, const Points*, const Drift&) { return false; }
  void read_points(const Points&, const Points*, const Geometry&) {}  // AllPairs has all sums without a tree
  Settled settled_degree(farfield::Report& report) const {
    const NormsOf norms{std::ldexp(decision.softening, placed->exponent), decision.derivatives()};
    RankPlacement sums(ranks(), share(), *placed->judged, norms, threads);
    return farfield::settle_degree(decision, sums, report);
  }
  void prepare_expansions(farfield::Report&) {
    const int degree = expansion_degree(decision.kernel, decision.degree);
    const cpu::TableKey key{decision.kernel, degree, decision.rotation, decision.reduced, true, table_scale()};
    time("tables", [&] { tables_ = cpu::shared_tables<Real>(key, threads); });
  }
  void finish_build(farfield::Report& report) { count_over_ranks(*placed, decision, report); }
  void finish(farfield::Report&) const {}

  void allocate_results() {
    arrays_.resize(share(), decision, densities, tables_->view().stride);
    power_.resize(static_cast<std::size_t>(share().essential.tree.boxes));
  }
  std::vector<StrengthRange> read(const Strengths& strengths) const {
    return ranges_of_all(ranks(), strengths, placed->exponent, threads);
  }
  int most_together(const Strengths& strengths) const {
    const int most = strengths.dipoles ? 1 : cpu::densities_of(decision);
    return strengths.vectors < most ? 1 : most;
  }
  void gather(const OneVector& v) {
    moments_ = moments_of(v.strengths);
    gather_moments(*placed, v, arrays_.moments_at(v.place, moments_, densities, share()),
                   arrays_.strength_pitch(share()));
  }
  void bind() {
    arrays_.bind(share(), placed->lengths, {decision, softening, moments_, densities, threads, tables_.get()});
  }
  /// Without sources or targets nothing is summed.
  void sum(bool /*alone*/) {
    if (sources() == 0 || targets() == 0) return arrays_.clear_results();
    RankStages<Real> stages{stages_, arrays_.own, arrays_.top, arrays_.work, ranks(), share()};
    fmm(stages, *clock_);
  }
  void show(const OneVector& v) { arrays_.show(v.place, moments_, decision); }
  void start_judging(const OneVector&) {}
  void scatter(const OneVector& v, const ResultFactors& factors, const Delivery& delivery) const {
    scatter_results(*placed, decision, arrays_.own_results(share()), v, factors, delivery);
  }
  Quality quality(const OneVector& v, std::int64_t translations) {
    return quality_over_ranks(judged(), translations, exact_sums(v));
  }
  ErrorReport checked(const OneVector& v, const Delivered& delivered, const Delivery& delivery) {
    return errors_over_ranks(judged(), delivered, delivery, exact_sums(v));
  }

 private:
  Ranks& ranks() const { return *placed->ranks; }
  const Share& share() const { return *placed->share; }
  Judged<Real> judged();
  SumsAt exact_sums(const OneVector& v);
  cpu::TableScale table_scale() const;

  cpu::Stages<Real> stages_;
  StageClock* clock_ = nullptr;  ///< of the current call
  std::shared_ptr<const cpu::Tables<Real>> tables_;
  RankArrays<Real> arrays_;
  int moments_ = 1;            ///< of the vector that was gathered
  std::vector<double> power_;  ///< [boxes], for the truncation
  Moments<double> exact_;      ///< the caller's, where Real is float
};

/// Levels are those of the whole tree.
template <class Real>
cpu::TableScale RankSteps<Real>::table_scale() const {
  if (traits(decision.kernel).scale_invariant) return {};
  return {decision.parameters.screening * share().partition.lattice.edge(0), placed->judged->order().levels()};
}

template <class Real>
Judged<Real> RankSteps<Real>::judged() {
  const KernelTraits& kernel = traits(decision.kernel);
  const cpu::Work<Real>& work = arrays_.work;
  const Expansions<Real> expansions{
      work.multipole,      work.local,   work.tables.stride, work.tables.degree,
      kernel.coefficients, kernel.decay, table_scale().root, decision.hessian ? orders : 2};
  return {*placed, decision, arrays_.own_results(share()), expansions, power_.data(), threads};
}

/// Direct sums with the caller's strengths, not rounded to Real.
template <class Real>
SumsAt RankSteps<Real>::exact_sums(const OneVector& v) {
  const Essential& e = share().essential;
  DirectInput input{};
  const double** const moment[with_dipole] = {&input.strength, &input.dipole[0], &input.dipole[1], &input.dipole[2]};
  if constexpr (sizeof(Real) < sizeof(double)) {
    exact_ = own_moments<double>(*placed, v);
    for (std::size_t m = 0; m < exact_.size(); ++m) *moment[m] = exact_[m].data();
  } else {
    input.strength = arrays_.work.strength + e.first;
    for (int axis = 0; axis < 3 && moments_ > 1; ++axis) input.dipole[axis] = arrays_.work.dipole[axis] + e.first;
  }
  input.softening = softening;
  input.parameters = decision.parameters;
  input.softened_to = softened_to();
  input.threads = threads;
  if (const double* const lengths = arrays_.work.source_length) input.source_length = lengths + e.first;
  if (const double* const lengths = arrays_.work.target_length) input.target_length = lengths + e.first_target();
  input.potential = first_part(decision.parts()) == 0;
  input.hessian = decision.hessian;
  return [this, input](const std::vector<std::int64_t>& at) {
    return placed->direct_sums->at(ranks(), at, input, stages_.direct_sums);
  };
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
    if (!decision.expands())
      return with_arrays_on_host(decision.backend, std::make_unique<AllPairs>(placed_, decision, threads_));
    return std::make_unique<OverRanks>(placed_, steps_->again(decision, report), threads_);
  }

 private:
  std::shared_ptr<RankPlaced> placed_;
  std::unique_ptr<Evaluator> steps_;
  int threads_;
};

}  // namespace

std::unique_ptr<Evaluator> make_host_steps(std::shared_ptr<RankPlaced> placed, const Decision& decision, int threads) {
  return make_sequenced<RankSteps>(decision, threads, std::move(placed));
}

std::unique_ptr<Evaluator> make_rank_evaluator(std::shared_ptr<RankPlaced> placed, const Decision& decision,
                                               int threads) {
  std::unique_ptr<Evaluator> steps = make_steps(placed, decision, threads);
  return std::make_unique<OverRanks>(std::move(placed), std::move(steps), threads);
}

}  // namespace farfield::distributed

// DeviceRankSteps: the steps of backends/sequence.hpp over the trees of all ranks, each in the memory of its device.
#include <algorithm>
#include <chrono>
#include <deque>
#include <numeric>

#include "backends/cuda/caller_stream.hpp"
#include "backends/cuda/evaluator.hpp"
#include "backends/cuda/judge/condition.hpp"
#include "backends/cuda/judge/direct_sums.hpp"
#include "backends/cuda/judge/judge.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/sequence.hpp"
#include "distributed/cuda/evaluation/arrays.hpp"
#include "distributed/cuda/evaluation/count.hpp"
#include "distributed/cuda/evaluation/families.hpp"
#include "distributed/cuda/evaluation/gather.hpp"
#include "distributed/cuda/evaluation/scatter.hpp"
#include "distributed/cuda/evaluator.hpp"
#include "distributed/cuda/judging/joined.hpp"
#include "distributed/cuda/judging/placement.hpp"
#include "distributed/cuda/judging/sample.hpp"
#include "distributed/cuda/judging/tails.hpp"
#include "kernels/registry.hpp"
#include "methods/fmm.hpp"

namespace farfield::distributed {

/// The steps of backends/sequence.hpp, of which every one is done by all ranks together.
template <class Real>
class DeviceRankSteps : public EvaluatorState<DevicePlaced> {
 public:
  using Placed = DevicePlaced;
  explicit DeviceRankSteps(EvaluatorState<Placed> state) : EvaluatorState<Placed>(std::move(state)) {}
  ~DeviceRankSteps() { memory_.stream = placed->stream; }

  bool can_adopt(const Decision& d) const {
    int current = 0;
    farfield::cuda::require(cudaGetDevice(&current), "cudaGetDevice");
    return current == placed->device && d.kernel == decision.kernel && d.precision == decision.precision &&
           d.backend == decision.backend && d.method == decision.method;
  }

  /// On the stream of the first array in device memory, else on that of the plan. After a failure no work is left.
  template <class Work>
  void call(farfield::Report&, bool building, const std::vector<CallerMemory>& arrays, Work&& work) {
    const farfield::cuda::OnDevice current(placed->device);
    building_ = building;
    memory_.stream = stream_ = farfield::cuda::stream_of_call(arrays, placed->stream);
    try {
      events_.start(stream_);
      work();
    } catch (...) {
      for (const cudaStream_t used : {stream_, static_cast<cudaStream_t>(side_), static_cast<cudaStream_t>(far_side_),
                                      static_cast<cudaStream_t>(counts_.stream())})
        if (cudaStreamSynchronize(used) != cudaSuccess) cudaGetLastError();
      throw;
    }
  }
  template <class Work>
  void time(const char* stage, Work&& work) {
    events_(stage, work);
  }
  std::int64_t sources() const { return placed->geometry.sources; }
  std::int64_t targets() const { return placed->geometry.targets; }

  /// The tree is built in the memory of the sums.
  void forget_tree() {
    has_rows_ = false;
    arrays_.release();
    results_.release();
  }
  void build_tree(const Points& sources, const Points* targets, const Geometry& geometry) {
    placed->build(placed->given(sources, targets), geometry, decision,
                  [this](const char* stage) { events_.mark(stage); });
    counts_.launch(*placed, decision.reduced);
  }
  static Drift drift(const Points&, const Points*) { return {}; }
  static bool follow(const Points&, const Points*, const Drift&) { return false; }
  void read_points(const Points&, const Points*, const Geometry&) {}  // AllPairs has all sums without a tree
  Settled settled_degree(farfield::Report& report) {
    const bool planes_alone = !traits(decision.kernel).errors->typical_pair;
    const double length = std::ldexp(decision.softening, placed->exponent);
    DevicePlacement sums(*placed, decision.degree, length, planes_alone, side_, far_side_);
    return farfield::settle_degree(decision, sums, report);
  }
  void prepare_expansions(farfield::Report& report) {
    fit_ = {};
    make_rows();
    place_probes();  // which the device looks for before the host waits for what the tables want
    const farfield::cuda::WholeTree whole{placed->levels_of_all,
                                          [this](std::vector<std::uint32_t>& most) { ranks().most(most); }};
    time("tables", [&] {
      translations_.build(decision, essential().tree.view(), threads, stream_, report, &whole);
      translations_.split_for(placed->boxes_of_all, sources(), targets());
    });
    time("probes", [&] {
      if (!probes_) return;
      probes_->show(*placed);
      tails_.place(*placed, crowds_, *probes_, probe_count_);
    });
  }
  void finish_build(farfield::Report& report) {
    report.device = farfield::cuda::require_device();
    report.choices.push_back(placed->transport.choice());
    time("counts", [&] { counts_.finish(*placed, report); });
    finish(report);
  }
  void finish(farfield::Report& report) {
    report.memory_bytes = memory_.meter.peak;
    events_.book(report, building_);
    placed->transport.require_whole();  // now that the streams have been waited for
  }

  void allocate_results() {
    arrays_.resize(*placed, decision, densities, translations_.stride());
    arrays_.hold_moments(*placed, 1, densities);
    translations_.make_room(densities);
  }
  std::vector<StrengthRange> read(const Strengths& strengths) {
    moments_ = strengths.dipoles ? with_dipole : 1;
    arrays_.hold_moments(*placed, moments_, densities);
    return strengths_.read(*placed, strengths, stream_);
  }
  int most_together(const Strengths& strengths) const {
    const int most = farfield::cuda::densities_of(decision, strengths.dipoles ? with_dipole : 1);
    return strengths.vectors < most ? 1 : most;
  }
  void gather(const OneVector& v) {
    strengths_.gather(*placed, v, arrays_.moments_at(v.place, moments_, *placed), arrays_.strength_pitch(*placed),
                      stream_);
  }
  void bind() {
    arrays_.bind(*placed, {decision, softening, moments_, densities, stream_}, translations_, near_.view());
  }
  /// Without sources or targets nothing is summed.
  void sum(bool /*alone*/) {
    judging_ = false;
    if (sources() == 0 || targets() == 0) return arrays_.clear_results(stream_);
    probe_conditions();
    events_.mark("");
    with_device_kernel(decision.kernel, [&](auto kernel) { run<decltype(kernel)>(); });
    far_side_.join(stream_);  // of a rank without boxes, which only takes part in the exchange
    events_.go_to(stream_);
    side_.join(stream_);
  }
  void show(const OneVector& v) { arrays_.show(v.place, moments_, decision); }
  /// By the scatter that follows: in the given order while results travel.
  void start_judging(const OneVector&) { judging_ = true; }
  void scatter(const OneVector& v, const ResultFactors& factors, const Delivery& delivery) {
    const auto judge = [&] {
      if (judging_) judge_.launch(arrays_.judged(*placed), decision.promised, v.place, side_, &tails_.view());
    };
    results_.deliver(*placed, SortedResults<Real>{arrays_.own_results(*placed), factors}, v.index, delivery,
                     traits(decision.kernel).vector, judge, stream_);
  }

  /// Waits for the side stream. Of the first rank, so that all decide alike.
  Quality quality(const OneVector& v, std::int64_t translations) {
    side_.wait();
    farfield::cuda::Judge::Found found = joined(ranks(), judge_.result(v.place));
    found.norms.judged_from = decision.judged_from;
    const std::vector<TermSums> probes = term_sums(
        joined(ranks(), conditions_[static_cast<std::size_t>(v.place)].sums(), static_cast<std::size_t>(probe_count_)));
    Quality q = quality_of(probes, found.norms, sources(), targets(), found.truncation,
                           truncation_safety(decision, translations));
    q.operands = lost_by(found.operands, found.norms);
    if (const std::int64_t samples = fit_.targets(decision, q, sources(), targets(), translations))
      measured(q, measured_error(v, in_own_units(found.norms), samples, 0));
    fit_.apply(decision, q);
    return ranks().all_gather(q).front();
  }
  ErrorReport checked(const OneVector& v, const Delivered& delivered, const Delivery& delivery) {
    const ErrorReport error = measured_error(v, delivered, delivery.check, delivery.seed);
    events_.mark("");  // a check is no part of an evaluation
    return error;
  }

 private:
  Ranks& ranks() const { return *placed->ranks; }
  const DeviceShare& share() const { return *placed->on_device; }
  const farfield::cuda::CudaTree& essential() const { return share().essential; }

  /// Work of p2p: as that of a plan on one device would be in this part of its tree.
  void make_rows() {
    if (has_rows_) return;
    farfield::cuda::P2pLimits<Real> limits = farfield::cuda::p2p_limits<Real>(decision, targets());
    limits.boxes = placed->boxes_of_all;
    const TreeView tree = essential().tree.view();
    const ListsView lists = essential().lists.view();
    time("rows", [&] {
      farfield::cuda::SplitFamilies split;
      const double mean = static_cast<double>(sources()) / (0.875 * (static_cast<double>(placed->boxes_of_all) + 1.0));
      if (const int family_mean = farfield::cuda::P2pWork::family_mean_of(mean, limits); family_mean > 0)
        split = families_.settle(*placed, near_.find_candidates(tree, lists, stream_), family_mean, stream_);
      near_.build<Real>(tree, lists, sources(), placed->own_targets(), stream_, limits, split);
    });
    has_rows_ = true;
  }

  /// Conditions are estimated at the same targets as by one plan, and truncation at the same boxes and targets.
  void place_probes() {
    probes_.reset();
    if (sources() == 0 || targets() == 0) return;
    crowds_ = targets_of_shared_crowds(*placed);
    std::vector<std::int64_t> at = condition_targets(targets());
    probe_count_ = std::ssize(at);
    at.insert(at.end(), crowds_.begin(), crowds_.end());
    probes_ = std::make_unique<Sample>(*placed, at, ResultArrays<Real>{});
  }
  void probe_conditions() {
    while (std::ssize(conditions_) < densities) conditions_.emplace_back(memory_);
    for (int v = 0; v < densities; ++v) {
      farfield::cuda::NearWork<Real> work =
          probes_->work(*placed, arrays_.moments_at(v, moments_, *placed, share().first));
      work.targets = probe_count_;  // the sample holds others behind them
      work.softening = softening;
      work.parameters = decision.parameters;
      work.result = arrays_.work.essential.result;
      work.stream = stream_;
      conditions_[static_cast<std::size_t>(v)].launch(work, decision.kernel, softened_to(), side_);
    }
  }

  template <class K>
  void run() {
    if constexpr (has_expansions<K>()) {
      const bool small = essential().tree.boxes <= farfield::cuda::tuning::most_boxes_beside;
      Multipoles<Real> multipoles(share(), placed->box_rows, placed->transport);
      DeviceRankStages<K, Real> stages(arrays_.work, translations_.levels(), multipoles, events_, far_side_,
                                       small ? BesideP2p::far_field : BesideP2p::exchange);
      fmm(stages, events_);
    }
  }

  /// By direct sums with the caller's strengths, not rounded to Real.
  ErrorReport measured_error(const OneVector& v, const Delivered& delivered, std::int64_t samples, std::uint64_t seed) {
    const auto start = std::chrono::steady_clock::now();
    const std::vector<std::int64_t> at = check_targets(targets(), samples, seed);
    Sample sample(*placed, at, arrays_.own_results(*placed));
    sample.show(*placed);
    OnDevice<double> exact(memory_);
    exact.resize(moments_ * placed->own_sources());
    std::vector<double*> moments;
    for (int m = 0; m < moments_; ++m) moments.push_back(exact.data() + m * placed->own_sources());
    strengths_.own(*placed, v, moments, stream_);
    farfield::cuda::NearWork<double> work = sample.work(*placed, moments);
    work.softening = softening;
    work.parameters = decision.parameters;
    std::vector<std::int64_t> number(at.size());
    std::iota(number.begin(), number.end(), 0);
    std::vector<DirectSum> sums = direct_sums_of(work, decision, number, memory_);
    join(ranks(), sums);
    std::vector<Real> results[most_parts];
    Computed<Real> computed{targets(), {}};
    for (int part = first_part(decision.parts()); part < end_part(decision.parts()); ++part) {
      results[part].assign(sample.results(part).begin(), sample.results(part).end());
      computed.result.part[part] = results[part].data();
    }
    ErrorReport report = errors(computed, delivered, number, sums, seed);
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return report;
  }

  farfield::cuda::DeviceMemory& memory_ = placed->memory;
  bool building_ = false;  ///< is the current call a build?
  bool has_rows_ = false;  ///< of near pairs, for the tree that is there
  bool judging_ = false;   ///< of the vectors that are delivered now
  int moments_ = 1;        ///< of the strengths that were read
  cudaStream_t stream_ = nullptr;
  farfield::cuda::SideStream side_, far_side_{farfield::cuda::Urgency::urgent};
  farfield::cuda::StageEvents events_;
  farfield::cuda::P2pWork near_{memory_};
  FamiliesOverRanks families_{memory_};
  farfield::cuda::Translations<Real> translations_{memory_};
  CountsOverRanks counts_{memory_};
  StrengthsOverRanks strengths_{memory_};
  ResultsOverRanks results_{memory_};
  DeviceRankArrays<Real> arrays_{memory_};
  std::int64_t probe_count_ = 0;
  std::unique_ptr<Sample> probes_;
  std::vector<std::int64_t> crowds_;  ///< behind the probes
  TailsOfRank tails_{memory_};
  FittedExcess fit_;                                       ///< of the tree and degree that there are
  std::deque<farfield::cuda::ConditionProbe> conditions_;  ///< of the vectors that are summed together
  farfield::cuda::Judge judge_{memory_};
};

namespace on_device {

std::shared_ptr<RankPlaced> make_placed(Ranks& ranks) { return std::make_shared<DevicePlaced>(ranks); }

std::unique_ptr<Evaluator> make_steps(std::shared_ptr<RankPlaced> placed, const Decision& decision, int threads) {
  return make_sequenced<DeviceRankSteps>(decision, threads, std::static_pointer_cast<DevicePlaced>(std::move(placed)));
}

}  // namespace on_device
}  // namespace farfield::distributed

// CudaSteps: owns the arrays of a plan on one device; does the steps of backends/sequence.hpp and runs the method's
// page over the stages.
#include <atomic>
#include <cmath>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "backends/cuda/bind_images.hpp"
#include "backends/cuda/bound_stages.hpp"
#include "backends/cuda/boxes/bind.hpp"
#include "backends/cuda/boxes/follow.hpp"
#include "backends/cuda/caller_stream.hpp"
#include "backends/cuda/careful.hpp"
#include "backends/cuda/evaluator.hpp"
#include "backends/cuda/exponentials/line.hpp"
#include "backends/cuda/far/translations.hpp"
#include "backends/cuda/grid/bound_stages.hpp"
#include "backends/cuda/grid/window.hpp"
#include "backends/cuda/hermite/series.hpp"
#include "backends/cuda/judge/accounts.hpp"
#include "backends/cuda/judge/condition.hpp"
#include "backends/cuda/judge/examine.hpp"
#include "backends/cuda/judge/judge.hpp"
#include "backends/cuda/judge/own_norm.hpp"
#include "backends/cuda/judge/placement/placement.hpp"
#include "backends/cuda/near/in_leaf.hpp"
#include "backends/cuda/near/moments/moments.hpp"
#include "backends/cuda/near/p2p_work.hpp"
#include "backends/cuda/placed.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/runtime/graph.hpp"
#include "backends/cuda/runtime/stage_events.hpp"
#include "backends/cuda/runtime/streams.hpp"
#include "backends/cuda/transfer/scatter.hpp"
#include "backends/cuda/transfer/strengths.hpp"
#include "backends/cuda/treecode/accounts.hpp"
#include "backends/cuda/treecode/bound_stages.hpp"
#include "backends/cuda/tuning.hpp"
#include "backends/density_arrays.hpp"
#include "backends/sequence.hpp"
#include "kernels/registry.hpp"
#include "methods/fmm.hpp"
#include "methods/grid.hpp"
#include "methods/treecode.hpp"
#include "model/grid/price.hpp"

namespace farfield::cuda {

static std::atomic<bool> stages_are_apart{false};
void keep_stages_apart(bool apart) { stages_are_apart = apart; }

template <class Real>
class CudaSteps : public EvaluatorState<cuda::Placed> {
 public:
  using Placed = cuda::Placed;
  explicit CudaSteps(EvaluatorState<Placed> state) : EvaluatorState<Placed>(std::move(state)) {
    use_all(memory_, arrays_, places_, grids_[0], grids_[1], kept_, numbers_[0], numbers_[1]);
  }
  ~CudaSteps() { memory_.stream = placed->stream; }

  bool can_adopt(const Decision& d) const {
    int current = 0;
    require(cudaGetDevice(&current), "cudaGetDevice");
    return current == placed->device && d.kernel == decision.kernel && d.precision == decision.precision &&
           d.backend == decision.backend && (d.method == Method::treecode) == walks();
  }

  /// Runs `work` on the stream of the first array in device memory, else on the evaluator's own. If that fails, waits
  /// for all streams: the caller's arrays and the plan's may be freed next.
  template <class Work>
  void call(Report&, bool building, const std::vector<CallerMemory>& arrays, Work&& work) {
    const OnDevice current(placed->device);
    building_ = building;
    memory_.stream = stream_ = stream_of_call(arrays, placed->stream);
    captured_ = is_captured(stream_);
    if (captured_) return capture(work);
    try {
      events_.start(stream_);
      work();
    } catch (...) {
      wait_after_failure({stream_, side_, far_side_}, other_sides_);
      throw;
    }
  }
  bool captured() const { return captured_; }
  Met met_by_replays() const { return placed->replays ? placed->replays->met() : Met::nothing; }
  template <class Work>
  void time(const char* stage, Work&& work) {
    events_(stage, work);
  }

  /// The tree is built in the memory of the expansions.
  void forget_tree() {
    graph_.forget();
    placed->images.forget();
    if (placed->replays) placed->replays->forget();
    has_rows_ = false;
    arrays_.multipole.release();
    arrays_.local.release();
    places_.release();
  }

  void build_tree(const Points& sources, const Points* targets, const Geometry& geometry) {
    cuda::build(tree_, sources, targets, geometry, tree_options([this](const char* stage) { events_.mark(stage); }));
    if (!walks()) accounts_.launch(tree_.tree.view(), tree_.lists.view(), decision.reduced, side_);
    placed->place_lengths(sources, targets, decision);
  }

  bool use_images(const Images* images) {
    const OnDevice current(placed->device);
    memory_.stream = placed->stream;
    images_ = placed->images.find(images, tree_, Scaling(placed->exponent), reads_in_leaf<Real>(decision));
    return true;
  }
  bool follow(const Points& sources, const Points* targets, const Drift& drift) {
    const FollowPoints follow(tree_, sources, targets, Scaling(placed->exponent), drift, images_);
    if (!captured_ && !follow.replace()) return false;
    if (captured_ || placed->images.all_stay())
      placed->images.follow(follow, work_.images.home, has_room_at_home(), placed->replays->far_points());
    return true;
  }

  void read_points(const Points& sources, const Points* targets, const Geometry& geometry) {
    if (in_cells()) return place_in_cells(cells_, tree_, sources, targets, geometry, decision);
    line_.axis = line_axis(geometry);
    cuda::read_points(tree_, sources, targets, geometry, sizeof(Real) == 4 && !on_line());
    placed->place_lengths(sources, targets, decision);
  }

  /// Rows of near pairs, which depend on no degree, are made beside the sums.
  Settled settled_degree(Report& report) {
    DeviceSums sums(tree_, decision.degree, std::ldexp(decision.softening, placed->exponent), memory_, side_,
                    far_side_);
    const bool planes_alone = !traits(decision.kernel).errors->typical_pair;
    if (sums.levels() > 2) time("degree", [&] { sums.launch(planes_alone); });
    make_rows();
    return farfield::settle_degree(decision, sums, report);
  }

  void prepare_expansions(Report& report) {
    fit_ = {};
    make_rows();
    time("tables", [&] {
      translations_.build(decision, tree_.tree.view(), threads, stream_, report);
      translations_.split_for(tree_.tree.boxes, sources(), targets());
    });
  }

  void finish_build(Report& report) {
    if (with_tree()) side_.join(stream_);
    report.device = require_device();
    if (decision.method == Method::grid) window_.make(decision, stream_);
    if (on_line() && sources() > 0)
      time("sort", [&] {
        line_.build(tree_.sources.axis[line_.axis].data(), sources(), tree_.target_points().axis[line_.axis].data(),
                    tree_.alike ? -1 : targets(),
                    {decision.parameters.length[0], decision.tolerance, decision.gradient});
      });
    if (decision.method == Method::hermite)
      time("series",
           [&] { series_.build(cells_.of_series, cells_.sources.view(), cells_.target_cells().view(), sources()); });
    finish(report);
    recount_ = decision.box_error > 0 && sources() > 0 && targets() > 0;
    if (walks()) return count_walks(work_, expandable(), memory_, report);
    if (with_tree()) accounts_.write(tree_.tree.view(), report);
    placed->has_m2p = report.m2p_boxes > 0;
    placed->has_p2l = report.p2l_boxes > 0;
    if (in_cells()) report.method = word_of(decision.method), report.choices = decision.choices;
  }
  void finish(Report& report) {
    if (recount_ && work_.centre) {
      count_walks(work_, expandable(), memory_, report);
      recount_ = false;
    }
    report.memory_bytes = memory_.meter.peak;
    events_.book(report, building_);
  }

  /// The same sizes, and places, in every evaluation of a build that sums as many densities together.
  void allocate_results() {
    const std::int64_t most = std::max(sources(), placed->images.at_home().count()),
                       pitch = captured_ ? strength_pitch_ : padded(most);
    if (densities != held_ || pitch != strength_pitch_) graph_.forget();
    held_ = densities, strength_pitch_ = pitch;
    arrays_.strength[charge].resize(densities * strength_pitch_);
    arrays_.resize_results(decision.parts(), densities * result_pitch());
    if (decision.method == Method::grid) {
      const std::int64_t points = block_points(cells_.lattice.axes);
      for (int i = 0; i < 2; ++i) grids_[i].resize(cells_.blocks.blocks(i) * points);
      kept_.resize(cells_.blocks.kept_pieces() * points);
    }
    if (!with_tree()) return;
    arrays_.multipole.resize(densities * expansion_pitch());
    arrays_.local.resize(walks() ? 0 : densities * expansion_pitch());
    translations_.make_room(runs_beside() ? densities : 1);
    for (int v = 1; v < densities && runs_beside(); ++v)
      if (!other_sides_[v - 1]) other_sides_[v - 1] = std::make_unique<SideStream>(Urgency::urgent);
    places_.resize(walks() ? walk_memory(tree_.tree.boxes, targets()) : 0);
  }

  int most_together(const Strengths& strengths) const {
    const int most = densities_of(decision, strengths.dipoles ? with_dipole : 1);
    return strengths.vectors < most ? 1 : most;
  }
  std::vector<StrengthRange> read(const Strengths& strengths) {
    if (captured_)  // beside the sums, which wait for it at their end
      return strengths_.watch(strengths, placed->exponent, placed->replays->other_strengths(), side_.fork(stream_));
    if (placed->replays) placed->replays->forget_strengths();
    std::vector<StrengthRange> ranges = strengths_.read(strengths, placed->exponent, stream_);
    if (strengths_.moments() != moments_) graph_.forget();
    moments_ = strengths_.moments();
    for (int component = 1; component < moments_; ++component)
      arrays_.strength[component].resize(densities * strength_pitch_);
    return ranges;
  }

  /// Dipoles are scaled like coordinates, too.
  void gather(const OneVector& v) {
    const std::int64_t at = v.place * strength_pitch_;
    const bool of_points = images_ && v.strengths.count < sources();  // see Addend
    const SourcesAtHome* const home = at_home() ? &placed->images.at_home() : nullptr;
    const std::uint32_t* order = home ? home->order() : of_points ? images_->point : tree_.sources.order.data();
    const cudaStream_t there = early(v);
    strengths_.gather({v.index, charge, v.exponent}, order, home ? home->count() : sources(),
                      arrays_.strength[charge].data() + at, there);
    farfield::cuda::order(there, stream_);
    if (moments_ == 1) return;
    strengths_.gather_dipoles<Real>(
        v.index, v.exponent - placed->exponent, order,
        {arrays_.strength[1].data() + at, arrays_.strength[2].data() + at, arrays_.strength[3].data() + at}, stream_);
  }

  void bind() {
    if (with_tree()) bind_tree();
    work_.source_curve = tree_.source_curve.data(), work_.target_curve = tree_.target_order();
    bind_points(tree_, work_);
    if (with_tree() && bind_images(placed->images, tree_, captured_, at_home(), work_)) graph_.forget();
    work_.strength_pitch = strength_pitch_;
    work_.result_pitch = result_pitch();
    work_.expansion_pitch = with_tree() ? expansion_pitch() : 0;
    work_.densities = densities;
    arrays_.point_at(0, moments_, decision.parts(), work_);
    work_.softening = softening;
    work_.source_length = decision.lengths ? placed->source_lengths.data() : nullptr;
    work_.target_length = !decision.lengths ? nullptr
                          : tree_.alike     ? placed->source_lengths.data()
                                            : placed->target_lengths.data();
    work_.parameters = decision.parameters;
    work_.self_from = selves.from;
    if (selves.source) bind_selves();
    work_.stream = stream_;
  }

  /// `alone`: the call has one strength vector, so that the same events mark its stages in every evaluation.
  void sum(bool alone) {
    if (!captured_) probe_conditions();
    events_.mark("");
    const auto launch = [&](cudaStream_t stream) {
      work_.stream = stream;
      with_device_kernel(decision.kernel, [&](auto k) { run<decltype(k)>(); });
    };
    if (alone && with_tree() && !captured_)
      graph_.run(stream_, memory_, events_, launch);
    else
      launch(stream_);
    work_.stream = stream_;
    if (walks()) work_.centre = places_.data();  // a graph that is run again does not say so
    side_.join(stream_);
  }

  void show(const OneVector& v) {
    arrays_.point_at(v.place, moments_, decision.parts(), work_);
    work_.densities = 1;
  }

  /// Beside scatter.
  void start_judging(const OneVector& v) {
    const bool judged = decision.promised || (walks() && traits(decision.kernel).truncates);
    judge_.launch(work_, with_tree() && judged, v.place, side_);
  }

  void scatter(const OneVector& v, const ResultFactors& factors, const Delivery& delivery) {
    scatter_(SortedResults<Real>{work_.result, factors}, v.index, tree_.target_points().order.data(), targets(),
             delivery, stream_, traits(decision.kernel).vector);
  }

  /// Waits for the side stream: for the judge's kernels and for those of the condition.
  Quality quality(const OneVector& v, std::int64_t translations) {
    side_.wait();
    Judge::Found found = judge_.result(v.place);
    found.norms.judged_from = decision.judged_from;
    Quality q = quality_of(conditions_[static_cast<std::size_t>(v.place)].result(), found.norms, sources(), targets(),
                           found.truncation, truncation_safety(decision, translations));
    q.operands = lost_by(found.operands, found.norms);
    if (const std::int64_t samples = fit_.targets(decision, q, sources(), targets(), translations))
      measured(q, measured_error(evaluated(v), in_own_units(found.norms), {samples, 0}, memory_));
    fit_.apply(decision, q);
    return q;
  }

  ErrorReport checked(const OneVector& v, const Delivered& delivered, const Delivery& delivery) {
    const ErrorReport error =
        measured_error(evaluated(v), in_own_norm(delivered, decision, arrays_.strength[charge], sources(), stream_),
                       {delivery.check, delivery.seed}, memory_);
    events_.mark("");  // a check is no part of an evaluation
    return error;
  }

 private:
  /// What replays write to, and what follow keeps of the tree, are made beside the capture, not in it.
  template <class Work>
  void capture(const Work& work) {
    const RelaxedCapture relaxed;
    if (!placed->replays) placed->replays = std::make_unique<MetByReplays>();
    if (with_tree() && decision.skin > 0) keep_origins_beside(tree_, placed->stream);
    const Captured within(memory_, events_);
    work();
  }
  /// Where strengths are gathered: beside a captured move, if they were there before it.
  cudaStream_t early(const OneVector& v) {
    if (!addend || !addend->strengths_ready || v.place > 0) return stream_;
    require(cudaStreamWaitEvent(far_side_, static_cast<cudaEvent_t>(addend->strengths_ready)), "cudaStreamWaitEvent");
    return far_side_;
  }
  std::int64_t result_pitch() const { return padded(targets()); }
  std::int64_t expansion_pitch() const { return std::int64_t(tree_.tree.boxes) * translations_.stride(); }

  /// Not of a bounded kernel: no sum of terms exceeds what errors are relative to.
  void probe_conditions() {
    while (std::ssize(conditions_) < densities) conditions_.emplace_back(memory_);
    for (int v = 0; v < densities && !traits(decision.kernel).bounded; ++v)
      conditions_[static_cast<std::size_t>(v)].launch(work_.of(v), decision.kernel, softened_to(), side_);
  }

  /// Could replays read SourcesAtHome? Is this one that does?
  bool has_room_at_home() const {
    return reads_in_leaf<Real>(decision) && placed->images.at_home().count() <= strength_pitch_;
  }
  bool at_home() const {
    return captured_ && placed->images.all_stay() && work_.images.home && moments_ == 1 && densities == 1 &&
           has_room_at_home();
  }

  void make_rows() {
    if (walks() || has_rows_) return;
    time("rows", [&] {
      near_.build<Real>(tree_.tree.view(), tree_.lists.view(), sources(), targets(), stream_,
                        p2p_limits<Real>(decision, targets()));
    });
    has_rows_ = true;
  }

  /// Numbers of the points' own tell which targets are sources.
  void bind_selves() {
    upload(numbers_[0], selves.source, sources(), stream_);
    upload(numbers_[1], selves.target, targets(), stream_);
    work_.source_order = numbers_[0].data(), work_.target_order = numbers_[1].data();
  }
  void bind_tree() {
    work_.tree = tree_.tree.view();
    work_.lists = tree_.lists.view();
    translations_.bind(work_);
    work_.close_square = tuning::close_square<Real>(careful_degree(decision, translations_.degree()));
    work_.has_m2p = placed->has_m2p;
    work_.has_p2l = placed->has_p2l;
    work_.rotation = decision.rotation;
    work_.reduced = decision.reduced;
    work_.rule = tree_options(nullptr).acceptance;
    work_.centre = nullptr;
    work_.m2p_sources = decision.thresholds.m2p_sources;
    if (!walks()) work_.near = near_.view();
  }
  /// Do the near field and the far fields of densities run at the same time?
  bool runs_beside() const { return tree_.tree.boxes <= tuning::most_boxes_beside && !stages_are_apart; }
  bool in_cells() const {
    return decision.method == Method::cutoff || decision.method == Method::grid || decision.method == Method::hermite;
  }
  bool on_line() const { return decision.method == Method::exponentials; }
  /// Is the method a treecode, which has no lists?
  bool walks() const { return decision.method == Method::treecode; }

  template <class K>
  void run() {
    if (targets() == 0) return;
    if constexpr (has_expansions<K>())
      if (with_tree() && sources() > 0) return run_tree<K>();
    if constexpr (FallsOff<K>)
      if (in_cells() && sources() > 0) return run_in_cells<K>();
    if (on_line() && sources() > 0) return time("sweeps", [&] { line_.sum(work_); });
    time("p2p", [&] { direct<K>(work_, sources(), targets()); });
  }
  template <class K>
  void run_tree() {
    if (walks()) return run_treecode<K>();
    const bool beside = runs_beside();
    SideStream* const side = beside ? &far_side_ : nullptr;
    for (int v = 1; v < work_.densities && beside; ++v) other_sides_[v - 1]->fork(work_.stream);
    if constexpr (ScaleInvariant<typename K::Basis>)
      run_fmm<K>(work_, side);
    else
      run_fmm<K>(LevelWork<Real>{work_, translations_.levels()}, side);
    if constexpr (Differentiates<K>)
      for (int v = 1; v < work_.densities; ++v) far_field_of<K>(v, beside ? other_sides_[v - 1].get() : nullptr);
  }
  template <class K>
  void run_treecode() {
    if constexpr (ScaleInvariant<typename K::Basis>) {
      walk<K>(work_);
    } else {
      walk<K>(LevelWork<Real>{work_, translations_.levels()});
    }
  }
  template <class K, class StageWork>
  void walk(StageWork&& work) {
    BoundTreecode<K, Real, std::remove_reference_t<StageWork>> bound(work, places_.data(), decision.box_error,
                                                                     expandable());
    treecode(bound, events_);
  }
  /// The near field of all densities, the far field of the first.
  template <class K, class StageWork>
  void run_fmm(const StageWork& work, SideStream* side) {
    BoundStages<K, Real, StageWork> bound(work, events_, side, false, addend);
    fmm(bound, events_);
  }
  template <class K>
  void far_field_of(int density, SideStream* side) {
    Work<Real> one = work_.of(density);
    if (side) translations_.bind_operands(one, density);
    BoundStages<K, Real> bound(one, events_, side, true);
    upward(bound, events_);
    downward(bound, events_);
  }
  template <class K>
  void run_in_cells() {
    if (decision.method == Method::cutoff) return time("p2p", [&] { cutoff<K>(work_, cells_.near(decision.reach)); });
    if (decision.method == Method::hermite) {
      time("series", [&] { make_hermite_series(work_, series_.view()); });
      return time("boxes", [&] { sum_hermite_series(work_, series_.view()); });
    }
    GridView<Real> view = window_.view(cells_);
    view.kept = kept_.data();
    BoundGrid<Real> bound(work_, view, grids_[0].data(), grids_[1].data());
    grid(bound, events_);
  }

  Evaluated<Real> evaluated(const OneVector& v) const {
    return {work_,      sources(),       targets(), decision.kernel, strengths_, v.index, tree_.sources.order.data(),
            v.exponent, placed->exponent};
  }

  DeviceMemory& memory_ = placed->memory;
  CudaTree& tree_ = placed->tree;
  PlacedCells& cells_ = placed->cells;
  bool building_ = false;                 ///< is the current call a build?
  bool captured_ = false;                 ///< is it captured in a graph?
  std::optional<FollowedImages> images_;  ///< what the sources that follow are
  bool has_rows_ = false;                 ///< of near pairs, for the tree that is there
  int moments_ = 1;                       ///< of the strengths that were read
  int held_ = 1;                          ///< densities that the arrays have room for
  std::int64_t strength_pitch_ = 0;       ///< from the strengths of one density to the next's
  bool recount_ = false;  ///< the walks of a treecode that follow strengths are counted after the first evaluation
  cudaStream_t stream_ = nullptr;
  SideStream side_, far_side_{Urgency::urgent};
  std::unique_ptr<SideStream> other_sides_[densities_together - 1];  ///< of the far fields of other densities
  StageEvents events_;
  StageGraph graph_;
  P2pWork near_{memory_};
  Translations<Real> translations_{memory_};
  DeviceStrengths strengths_{memory_};
  Scatter scatter_{memory_};
  std::deque<ConditionProbe> conditions_;  ///< of the densities that are summed together
  Accounts accounts_{memory_};
  Judge judge_{memory_};
  FittedExcess fit_;  ///< of the tree and degree that there are
  DensityArrays<DeviceArray<Real>> arrays_;
  DeviceArray<float4> places_;             ///< see Work::centre
  DeviceArray<Real> grids_[2], kept_;      ///< of method grid
  DeviceArray<std::uint32_t> numbers_[2];  ///< of sources and targets, see Selves
  GridWindow<Real> window_{memory_};
  HermiteSeries series_{memory_};
  LineSums line_{memory_};
  Work<Real> work_;
};

bool is_captured(void* stream) { return is_captured(static_cast<cudaStream_t>(stream)); }

int densities_of(const Decision& d, int moments) {
  const bool compiled = traits(d.kernel).differentiates && d.parts() <= with_gradient && moments == 1;
  return compiled && d.method == Method::fmm && d.softening == 0 && !d.lengths ? densities_together : 1;
}

std::unique_ptr<Evaluator> make_evaluator(const Decision& decision, int threads) {
  return make_sequenced<CudaSteps>(decision, threads, std::make_shared<Placed>());
}

}  // namespace farfield::cuda

// CudaEvaluator: owns the arrays of a plan on one device and runs the method's page over the stages.
#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "backends/cuda/bound_stages.hpp"
#include "backends/cuda/boxes/tree.hpp"
#include "backends/cuda/evaluator.hpp"
#include "backends/cuda/far/octants.hpp"
#include "backends/cuda/far/tables.hpp"
#include "backends/cuda/judge/accounts.hpp"
#include "backends/cuda/judge/condition.hpp"
#include "backends/cuda/judge/examine.hpp"
#include "backends/cuda/judge/judge.hpp"
#include "backends/cuda/judge/placement.hpp"
#include "backends/cuda/m2l/mirror/mirror_m2l.hpp"
#include "backends/cuda/m2l/rows.hpp"
#include "backends/cuda/m2l/tensor/tensor_m2l.hpp"
#include "backends/cuda/near/p2p_work.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/runtime/graph.hpp"
#include "backends/cuda/runtime/stage_events.hpp"
#include "backends/cuda/runtime/streams.hpp"
#include "backends/cuda/transfer/scatter.hpp"
#include "backends/cuda/transfer/strengths.hpp"
#include "backends/cuda/tuning.hpp"
#include "core/units.hpp"
#include "kernels/registry.hpp"
#include "methods/fmm.hpp"
#include "model/cost_model.hpp"
#include "model/degree.hpp"

namespace farfield::cuda {

static int current_device() {
  require_device();
  int device = 0;
  require(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

static std::atomic<bool> stages_are_apart{false};
void keep_stages_apart(bool apart) { stages_are_apart = apart; }

/// Points and tree, which evaluators of several degrees and precisions may share, and the memory of them all.
struct Placed {
  int device;
  OwnStream stream;  // outlives the arrays: a caller's stream may be gone when they are given back
  DeviceMemory memory;
  CudaTree tree;
  int exponent = 0;  ///< of the scaling of coordinates
  double least = 0;  ///< smallest scaled |coordinate| that is not 0
  bool has_m2p = false, has_p2l = false;
  explicit Placed(int current) : device(current) { tree.use(memory); }
  ~Placed() { memory.stream = stream; }
};

template <class Real>
class CudaEvaluator final : public Evaluator {
 public:
  CudaEvaluator(const Decision& decision, int threads, std::shared_ptr<Placed> placed)
      : placed_(std::move(placed)), decision_(decision), threads_(threads) {
    for (DeviceArray<Real>* a :
         {&strength_, &multipole_, &local_, &potential_, &gradient_[0], &gradient_[1], &gradient_[2]})
      a->use(memory_);
  }

  ~CudaEvaluator() override { memory_.stream = placed_->stream; }

  bool adopt(const Decision& decision) override {
    int current = 0;
    require(cudaGetDevice(&current), "cudaGetDevice");
    const bool same = current == placed_->device && decision.kernel == decision_.kernel &&
                      decision.precision == decision_.precision && decision.backend == decision_.backend;
    if (same) decision_ = decision;
    return same;
  }

  void build(const Points& sources, const Points* targets, const Geometry& geometry, Report& report) override {
    const OnDevice current(placed_->device);
    begin(targets ? std::vector<View>{view_of(sources), view_of(*targets)} : std::vector<View>{view_of(sources)});
    guarded([&] { build_all(sources, targets, geometry, report); });
  }

  std::vector<Quality> evaluate(const Strengths& strengths, const Delivery& delivery, Report& report) override {
    const OnDevice current(placed_->device);
    begin({view_of(strengths), view_of(delivery.outputs)});
    std::vector<Quality> qualities;
    guarded([&] { qualities = evaluate_all(strengths, delivery, report); });
    return qualities;
  }

  const Decision& decision() const override { return decision_; }
  std::unique_ptr<Evaluator> again(const Decision& decision, Report& report) override {
    if (decision.precision == Precision::single_) return made_again<float>(decision, report);
    return made_again<double>(decision, report);
  }

  /// Makes tables and pointers anew for the points and the tree of the last build.
  void prepare_again(Report& report) {
    const OnDevice current(placed_->device);
    begin({});
    guarded([&] {
      events_.start(stream_);
      prepare(report);
      events_.book(report, false);
    });
  }

 private:
  template <class Other>
  std::unique_ptr<Evaluator> made_again(const Decision& decision, Report& report) {
    auto other = std::make_unique<CudaEvaluator<Other>>(decision, threads_, placed_);
    Report choices = report;  // the report keeps the choices of the first evaluator
    other->prepare_again(choices);
    report.stages = choices.stages;
    return other;
  }

  struct View {
    bool device;
    cudaStream_t stream;
  };
  template <class V>
  static View view_of(const V& v) {
    return {v.space == MemorySpace::device, static_cast<cudaStream_t>(v.stream)};
  }

  /// The stream of this call: that of the first view in device memory, or the evaluator's own.
  void begin(const std::vector<View>& views) {
    stream_ = placed_->stream;
    const auto first = std::find_if(views.begin(), views.end(), [](const View& v) { return v.device; });
    if (first != views.end()) stream_ = first->stream;
    for (const View& v : views)
      if (v.device) order(v.stream, stream_);
    memory_.stream = stream_;
  }

  /// Runs `work`. If that fails, waits for all streams: the caller's arrays and the plan's may be freed next.
  template <class Work>
  void guarded(Work&& work) {
    try {
      work();
    } catch (...) {
      const cudaStream_t used[3] = {stream_, side_, far_side_};
      for (const cudaStream_t stream : used)
        if (cudaStreamSynchronize(stream) != cudaSuccess) cudaGetLastError();
      throw;
    }
  }

  const SortedPoints& target_points() const { return tree_.target_points(); }

  void build_all(const Points& sources, const Points* targets, const Geometry& geometry, Report& report) {
    graph_.forget();
    placed_->exponent = geometry.exponent;
    placed_->least = geometry.least;
    multipole_.release();  // the tree is built in their memory
    local_.release();
    events_.start(stream_);
    if (decision_.method == Method::fmm) {
      const TreeOptions options{decision_.m,     decision_.k,          decision_.leaf_size,
                                decision_.depth, decision_.thresholds, [&](const char* name) { events_.mark(name); }};
      cuda::build(tree_, sources, targets, geometry, options, stream_);
      const TreeView tree = tree_.tree.view();
      accounts_.launch(tree, tree_.lists.view(), decision_.reduced, side_);
      if (decision_.settle_degree) events_("degree", [&] { settle_degree(report); });
      prepare(report);
      side_.join(stream_);
    } else {
      events_("read", [&] { read_points(tree_, sources, targets, geometry, sizeof(Real) == 4, stream_); });
      prepare(report);
    }
    report.device = require_device();
    report.memory_bytes = memory_.meter.peak;
    events_.book(report, true);
    if (decision_.method == Method::fmm) accounts_.write(tree_.tree.view(), report);
    placed_->has_m2p = report.m2p_boxes > 0;
    placed_->has_p2l = report.p2l_boxes > 0;
  }

  void prepare(Report& report) {
    softening_ = scaled_softening(decision_.softening, placed_->exponent, decision_.precision);
    if (decision_.method != Method::fmm) return;
    events_("rows", [&] {
      near_.build<Real>(tree_.tree.view(), tree_.lists.view(), tree_.sources.count, target_points().count, stream_);
    });
    events_("tables", [&] {
      settle_scheme(report);
      build_tables();
      prepare_tensor(report);
      prepare_rows();
    });
    bind();
  }

  std::vector<Quality> evaluate_all(const Strengths& strengths, const Delivery& delivery, Report& report) {
    events_.start(stream_);
    std::vector<Quality> qualities;
    allocate_results();
    self_from_ = tree_.alike ? 0 : delivery.split;
    std::vector<StrengthRange> ranges;  // all vectors are checked before the first result is written
    events_("gather", [&] { ranges = strengths_.read(strengths, stream_); });
    for (std::int64_t v = 0; v < strengths.vectors; ++v) {
      const StrengthRange& range = ranges[static_cast<std::size_t>(v)];
      const int exponent = range.exponent;
      events_("gather", [&] { strengths_.gather(v, tree_.sources.order.data(), exponent, strength_.data(), stream_); });
      bind();
      condition_.launch(work_, decision_.kernel, side_);
      events_.mark("");
      run_stages(strengths.vectors == 1);
      side_.join(stream_);
      const SortedResults<Real> delivered = results(exponent, delivery.scale);
      const bool summed = tree_.sources.count > 0 && target_points().count > 0;
      if (summed) judge_.launch(work_, decision_.method == Method::fmm && decision_.promised, side_);
      events_("scatter",
              [&] { scatter_(delivered, v, target_points().order.data(), target_points().count, delivery, stream_); });
      qualities.push_back(summed ? quality(v, exponent, delivered, report) : Quality{});
      Quality& q = qualities.back();
      q.lost = loses_strengths(range, decision_.precision, placed_->least, q.norms);
      if (summed && v == 0 && delivery.check > 0) examine(exponent, q, delivery, report);
      if (v == 0 && q.lost && report.error) distrust(*report.error);
    }
    report.memory_bytes = memory_.meter.peak;
    events_.book(report, false);
    return qualities;
  }

  /// Waits for the side stream: for the judge's kernels, which run beside scatter, and for those of the condition.
  Quality quality(std::int64_t vector, int exponent, const SortedResults<Real>& delivered, const Report& report) {
    side_.wait();
    const Judge::Found found = judge_.result();
    const std::int64_t translations = report.m2l_boxes + report.m2p_boxes + report.p2l_boxes;
    const double safety = truncation_safety(decision_, translations);
    Quality q = quality_of(condition_.result(), found.norms, tree_.sources.count, target_points().count,
                           found.truncation, safety);
    q.factor = delivered.factor;
    q.operands = lost_by(found.operands, found.norms);
    if (const std::int64_t samples =
            measured_targets(decision_, tree_.sources.count, target_points().count, translations))
      measured(q, measured_error(evaluated(vector, exponent), in_own_units(found.norms), {samples, 0}, memory_));
    return q;
  }

  /// The degree that `choose` took from the tolerance alone is corrected by how the points lie in their boxes.
  void settle_degree(Report& report) {
    if (target_points().count == 0 || tree_.sources.count == 0) return;
    DeviceSums sums(tree_, decision_.degree, memory_);
    const Settled settled = farfield::settle_degree(decision_, sums, report);
    decision_.degree = settled.degree;
    decision_.in_planes = settled.in_planes;
  }

  void build_tables() {
    tables_.build(decision_.kernel, decision_.degree, decision_.rotation || mirrored(), decision_.reduced, stream_,
                  threads_);
    octants_.build(tables_.view(), stream_);
  }

  /// Is dense m2l by mirror images? Its tables are those of the rotation.
  bool mirrored() const {
    return sizeof(Real) == 8 && traits(decision_.kernel).truncates && !decision_.rotation &&
           decision_.degree >= least_mirror_degree && MirrorM2l::available(decision_.degree);
  }

  /// `choose` counts on tensor cores. Where the device has none for double at this degree, rotation replaces a dense
  /// scheme that nobody asked for, unless dense is cheaper even so.
  void settle_scheme(Report& report) {
    CostConstants c = device_cost_constants(decision_.precision, decision_.gradient);
    c.tensor = nullptr;
    if (sizeof(Real) == 4 || mirrored() || decision_.rotation || !decision_.any_scheme ||
        !traits(decision_.kernel).truncates ||
        translation_cost(c, decision_.degree, false) < translation_cost(c, decision_.degree, true))
      return;
    decision_.rotation = true;
    report.m2l = "rotation";
    for (Choice& choice : report.choices)
      if (choice.name == "m2l")
        choice = {"m2l", "rotation", "this device has no tensor cores for double at this degree"};
  }

  /// m2l on tensor cores where precision, scheme, degree and device allow it.
  void prepare_tensor(Report& report) {
    if constexpr (sizeof(Real) == 8) {
      if (!mirrored()) return mirror_.release();
      mirror_.build(tables_.view(), tree_.tree.view(), stream_, threads_);
      report.choices.push_back(
          {"m2l arithmetic", "double on tensor cores, mirror images together", "a fifth of the products"});
    } else {
      const bool dense = traits(decision_.kernel).truncates && !decision_.rotation && !decision_.exact_operands;
      const TensorEngine engine = dense ? tensor_engine(decision_.degree) : TensorEngine::none;
      if (engine == TensorEngine::none) return tensor_.release();
      tensor_.build(tables_.view(), tree_.tree.view(), engine, stream_);
      report.choices.push_back(
          {"m2l arithmetic", tensor_.arithmetic(), "tensor cores are faster than FMA at this degree"});
    }
  }

  /// m2l on tensor cores has rows of its own: `rows_` is then only needed by an l2l that does not go by octants.
  void prepare_rows() {
    if ((tensor_.view().ready || mirror_.view().ready) && l2l_by_octants<Real>(tables_.view().coefficients))
      rows_.release();
    else
      rows_.build(tree_.tree.view(), stream_);
  }

  void allocate_results() {
    const std::int64_t targets = target_points().count;
    strength_.resize(tree_.sources.count);  // the same sizes, and places, in every evaluation of a build
    potential_.resize(targets);
    for (DeviceArray<Real>& g : gradient_)
      if (decision_.gradient) g.resize(targets);
    if (decision_.method != Method::fmm) return;
    multipole_.resize(std::int64_t(tree_.tree.boxes) * tables_.view().stride);
    local_.resize(std::int64_t(tree_.tree.boxes) * tables_.view().stride);
  }

  /// Refreshes the plain pointers of work_ after anything was (re)allocated.
  void bind() {
    if (decision_.method == Method::fmm) {
      work_.tree = tree_.tree.view();
      work_.lists = tree_.lists.view();
      work_.tables = tables_.view();
      work_.octants = octants_.view();
      work_.classes = rows_.classes();
      work_.near = near_.view();
      // a pair that dominates a sum must not err by more than the tolerance leaves
      work_.close_square = tuning::close_square<Real>(
          decision_.promised && decision_.tolerance < 5e-6 ? tuning::most_careful : tables_.view().degree);
      work_.tensor = tensor_.view();
      work_.mirror = mirror_.view();
      work_.has_m2p = placed_->has_m2p;
      work_.has_p2l = placed_->has_p2l;
    }
    work_.source_curve = tree_.source_curve.data();
    work_.target_curve = tree_.target_order();
    work_.alike = tree_.alike;
    work_.sources = tree_.sources.count;
    work_.targets = target_points().count;
    for (int axis = 0; axis < 3; ++axis) {
      work_.source[axis] = tree_.sources.axis[axis].data();
      work_.target[axis] = target_points().axis[axis].data();
      work_.gradient[axis] = decision_.gradient ? gradient_[axis].data() : nullptr;
    }
    work_.strength = strength_.data();
    work_.multipole = multipole_.data();
    work_.local = local_.data();
    work_.potential = potential_.data();
    work_.softening = softening_.length;
    work_.self_from = self_from_;
    work_.rotation = decision_.rotation;
    work_.reduced = decision_.reduced;
    work_.stream = stream_;
  }

  /// `alone`: the call has one strength vector, so that the same events mark its stages in every evaluation.
  void run_stages(bool alone) {
    const auto launch = [&](cudaStream_t stream) {
      work_.stream = stream;
      with_kernel(decision_.kernel, [&](auto k) { run<decltype(k)>(); });
    };
    if (alone && decision_.method == Method::fmm)
      graph_.run(stream_, memory_, events_, launch);
    else
      launch(stream_);
    work_.stream = stream_;
  }

  template <class K>
  void run() {
    const std::int64_t sources = tree_.sources.count, targets = target_points().count;
    if (targets == 0) return;
    if (decision_.method == Method::fmm && sources > 0) {
      const bool beside = tree_.tree.boxes <= tuning::most_boxes_beside && !stages_are_apart;
      BoundStages<K, Real> bound(work_, events_, beside ? &far_side_ : nullptr);
      return fmm(bound, events_);
    }
    events_("p2p", [&] { direct<K>(work_, sources, targets); });
  }

  Evaluated<Real> evaluated(std::int64_t vector, int exponent) const {
    return {work_,
            tree_.sources.count,
            target_points().count,
            decision_.kernel,
            strengths_,
            vector,
            tree_.sources.order.data(),
            exponent};
  }

  /// The measured error of the first strength vector.
  void examine(int exponent, const Quality& q, const Delivery& delivery, Report& report) {
    const Delivered delivered{q.norms, q.factor.potential, q.factor.gradient, delivery.outputs.scalar};
    report.error = measured_error(evaluated(0, exponent), delivered, {delivery.check, delivery.seed}, memory_);
    events_.mark("");
  }

  SortedResults<Real> results(int strength_exponent, double scale) const {
    return {
        potential_.data(),
        {work_.gradient[0], work_.gradient[1], work_.gradient[2]},
        result_factors(traits(decision_.kernel).homogeneity, scale, placed_->exponent, strength_exponent, softening_)};
  }

  std::shared_ptr<Placed> placed_;  // outlives all arrays below
  DeviceMemory& memory_ = placed_->memory;
  CudaTree& tree_ = placed_->tree;
  Decision decision_;
  int threads_;  ///< of the host, for tables
  Softening softening_;
  std::int64_t self_from_ = 0;  ///< see Work
  cudaStream_t stream_ = nullptr;
  SideStream side_, far_side_{true};
  StageEvents events_;
  StageGraph graph_;
  Rows rows_{memory_};
  P2pWork near_{memory_};
  Tables<Real> tables_{memory_};
  TensorM2l tensor_{memory_};
  MirrorM2l mirror_{memory_};
  Octants octants_{memory_};
  DeviceStrengths strengths_{memory_};
  Scatter scatter_{memory_};
  ConditionProbe condition_{memory_};
  Accounts accounts_{memory_};
  Judge judge_{memory_};
  DeviceArray<Real> strength_, multipole_, local_, potential_, gradient_[3];
  Work<Real> work_;
};

std::unique_ptr<Evaluator> make_evaluator(const Decision& decision, int threads) {
  auto placed = std::make_shared<Placed>(current_device());
  if (decision.precision == Precision::single_)
    return std::make_unique<CudaEvaluator<float>>(decision, threads, placed);
  return std::make_unique<CudaEvaluator<double>>(decision, threads, placed);
}

}  // namespace farfield::cuda

// CpuEvaluator: owns the arrays of a plan on the CPU and runs its method (methods/fmm.hpp or the direct sum).
#include "backends/cpu/evaluator.hpp"

#include <cmath>
#include <vector>

#include "backends/cpu/boxes/tree.hpp"
#include "backends/cpu/far/table_cache.hpp"
#include "backends/cpu/near/heaps.hpp"
#include "backends/cpu/stages.hpp"
#include "backends/cpu/transfer/transfer.hpp"
#include "core/stage_clock.hpp"
#include "core/units.hpp"
#include "judge/check.hpp"
#include "judge/quality.hpp"
#include "judge/truncation.hpp"
#include "kernels/traits.hpp"
#include "methods/fmm.hpp"
#include "model/accounts.hpp"
#include "model/degree.hpp"

namespace farfield::cpu {

/// The stages as methods/fmm.hpp calls them: the functions of the table `stage`, applied to one `work`.
template <class Real>
struct BoundStages {
  const Stages<Real>& stage;
  const Work<Real>& work;

  int levels() const { return work.tree.levels; }
  void p2m() { stage.p2m(work); }
  void m2m(int level) { stage.m2m(work, level); }
  void m2l() { stage.m2l(work); }
  void p2l() { stage.p2l(work); }
  void l2l(int level) { stage.l2l(work, level); }
  void l2p() { stage.l2p(work); }
  void m2p() { stage.m2p(work); }
  void p2p() { stage.p2p(work); }
  void exchange() {}
};

/// Points and tree, which evaluators of several degrees and precisions may share.
struct Placed {
  MemoryMeter meter;
  CpuTree tree;
  int exponent = 0;  ///< of the scaling of coordinates
  double least = 0;  ///< smallest |coordinate| that is not 0, scaled
  Placed() { tree.count_bytes_in(meter); }
};

static std::unique_ptr<Evaluator> make_evaluator(const Decision& decision, int threads, std::shared_ptr<Placed> placed,
                                                 StageClock& clock);

template <class Real>
class CpuEvaluator final : public Evaluator {
 public:
  CpuEvaluator(const Decision& decision, int threads, std::shared_ptr<Placed> placed)
      : decision_(decision),
        threads_(threads),
        placed_(std::move(placed)),
        stages_(stages<Real>(decision.kernel, decision.simd)) {
    for (Array<Real>* array : {&multipole_, &local_, &strength_}) array->meter(placed_->meter);
    for (Array<Real>& part : result_) part.meter(placed_->meter);
    power_.meter(placed_->meter);
    exact_strength_.meter(placed_->meter);
  }
  ~CpuEvaluator() override { release_tables(); }

  /// The next build reuses the arrays and, where degree and scheme stay the same, the tables.
  bool adopt(const Decision& d) override {
    const Decision& own = decision_;
    if (d.backend != own.backend || d.kernel != own.kernel || d.method != own.method || d.precision != own.precision ||
        d.simd != own.simd || d.gradient != own.gradient)
      return false;
    decision_ = d;
    return true;
  }

  void use_threads(int threads) override { threads_ = threads; }

  void build(const Points& sources, const Points* targets, const Geometry& geometry, Report& report) override {
    StageClock clock(report, true);
    placed_->meter.peak = placed_->meter.now;
    placed_->exponent = geometry.exponent;
    placed_->least = geometry.least;
    const bool with_tree = decision_.method == Method::fmm;
    const TreeOptions options{decision_.m,
                              decision_.k,
                              decision_.leaf_size,
                              decision_.depth,
                              decision_.thresholds,
                              threads_,
                              [&](const char* name, double seconds) { clock.add(name, seconds); }};
    if (with_tree)
      cpu::build(tree(), sources, targets, geometry, options);
    else
      clock("read", [&] { read_points(tree(), sources, targets, geometry, threads_); });
    if (with_tree && decision_.settle_degree) clock("degree", [&] { settle_degree(report); });
    prepare(clock);
    if (with_tree) count_work(work_.tree, work_.lists, decision_, report);
    if (with_tree && traits(decision_.kernel).singular)
      report.near_pairs -= pairs_in_heaps(work_.tree, work_.source, work_.target);
    report.memory_bytes = placed_->meter.peak;
  }

  const Decision& decision() const override { return decision_; }
  std::unique_ptr<Evaluator> again(const Decision& decision, Report& report) override {
    StageClock clock(report, false);
    return cpu::make_evaluator(decision, threads_, placed_, clock);
  }

  /// Makes the tables and sets the pointers of work_ for the points and the tree in placed_.
  void prepare(StageClock& clock) {
    softening_ = scaled_softening(decision_.softening, placed_->exponent, decision_.precision);
    if (decision_.method == Method::fmm) clock("tables", [&] { build_tables(); });
    bind();
  }

  std::vector<Quality> evaluate(const Strengths& strengths, const Delivery& delivery, Report& report) override {
    StageClock clock(report, false);
    allocate_results();
    self_from_ = tree().alike ? 0 : delivery.split;
    std::vector<Quality> qualities;
    std::vector<StrengthRange> ranges;  // all vectors are checked before the first result is written
    clock("gather", [&] {
      for (std::int64_t v = 0; v < strengths.vectors; ++v) ranges.push_back(strength_range(strengths, v, threads_));
    });
    for (std::int64_t v = 0; v < strengths.vectors; ++v) {
      const StrengthRange& range = ranges[static_cast<std::size_t>(v)];
      const int exponent = range.exponent;
      clock("gather", [&] { gather(strengths, v, tree().sources.order, exponent, strength_, threads_); });
      bind();
      run(clock);
      const SortedResults<Real> delivered = results(exponent, delivery.scale);
      clock("examine", [&] { qualities.push_back(examine(strengths, v, exponent, delivered, delivery, report)); });
      if (v == 0 && delivery.check > 0 && report.error)
        clock.add("examine", -report.error->seconds);  // a check is no part of an evaluation
      Quality& q = qualities.back();
      q.lost = loses_strengths(range, decision_.precision, placed_->least, q.norms);
      if (v == 0 && q.lost && report.error) distrust(*report.error);
      clock("scatter", [&] { scatter(delivered, v, target_points(), delivery, threads_); });
    }
    report.memory_bytes = placed_->meter.peak;
    return qualities;
  }

 private:
  CpuTree& tree() { return placed_->tree; }
  const SortedPoints& target_points() const { return placed_->tree.target_points(); }

  /// Corrects the degree, which `choose` took from the tolerance alone, by how the points lie in their boxes.
  void settle_degree(Report& report) {
    const TreeView tree = this->tree().tree.view();
    const PlacedPoints sources = this->tree().placed_sources(), targets = this->tree().placed_targets();
    const Settled settled = farfield::settle_degree(decision_, tree, sources, targets, threads_, report);
    decision_.degree = settled.degree;
    decision_.in_planes = settled.in_planes;
  }

  /// Keeps tables of the same degree and scheme; otherwise releases the old tables before new ones are made.
  void build_tables() {
    const TableKey key{decision_.kernel, expansion_degree(decision_.kernel, decision_.degree), decision_.rotation,
                       decision_.reduced};
    if (tables_ && key == table_key_) return;
    release_tables();
    tables_ = shared_tables<Real>(key, threads_);
    table_key_ = key;
    placed_->meter.add(tables_->held_bytes());
  }

  void release_tables() {
    if (tables_) placed_->meter.add(-tables_->held_bytes());
    tables_.reset();
  }

  void allocate_results() {
    const std::int64_t targets = target_points().count;
    for (int part = 0; part < decision_.parts(); ++part) result_[part].resize(targets);
    if (decision_.method != Method::fmm) return;
    multipole_.resize(tree().tree.boxes * tables_->view().stride);
    local_.resize(tree().tree.boxes * tables_->view().stride);
    power_.resize(tree().tree.boxes);
  }

  /// Refreshes the plain pointers of work_ after anything was (re)allocated.
  void bind() {
    work_.tree = tree().tree.view();
    work_.lists = tree().lists.view();
    work_.tables = tables_ ? tables_->view() : TablesView<Real>{};
    for (int axis = 0; axis < 3; ++axis) {
      work_.source[axis] = tree().sources.axis[axis].data();
      work_.target[axis] = target_points().axis[axis].data();
    }
    work_.strength = strength_.data();
    work_.multipole = multipole_.data();
    work_.local = local_.data();
    for (int part = 0; part < most_parts; ++part)
      work_.result.part[part] = part < decision_.parts() ? result_[part].data() : nullptr;
    work_.softening = softening_.length;
    work_.self_from = self_from_;
    work_.rotation = decision_.rotation;
    work_.reduced = decision_.reduced;
    work_.pair_terms = decision_.pair_terms;
    work_.threads = threads_;
  }

  void run(StageClock& clock) {
    const std::int64_t sources = tree().sources.count, targets = target_points().count;
    if (targets == 0) return;
    if (decision_.method == Method::fmm && sources > 0) {
      BoundStages<Real> bound{stages_, work_};
      return fmm(bound, clock);
    }
    clock("p2p", [&] {
      for (int part = 0; part < work_.result.parts(); ++part) std::fill_n(work_.result[part], targets, Real(0));
      stages_.direct(work_, sources, targets);
    });
  }

  /// The quality of the results of one vector; for the first vector, when asked, also the measured error.
  Quality examine(const Strengths& strengths, std::int64_t vector, int exponent, const SortedResults<Real>& results,
                  const Delivery& delivery, Report& report) {
    const std::int64_t targets = target_points().count;
    if (tree().sources.count == 0 || targets == 0) return {};
    const DirectInput input{{work_.source[0], work_.source[1], work_.source[2]},
                            {work_.target[0], work_.target[1], work_.target[2]},
                            in_double(strengths, vector, exponent),
                            tree().sources.count,
                            softening_.length,
                            self_from_,
                            threads_};
    const SumsAt sums_at = [&](const std::vector<std::int64_t>& at) {
      std::vector<DirectSum> sums(at.size());
      stages_.direct_sums(input, at.data(), std::ssize(at), sums.data());
      return sums;
    };
    const Computed<Real> computed{targets, work_.result};
    const Norms norms = norms_of(computed, threads_);
    const Delivered delivered{norms, results.factor, delivery.outputs.scalar};
    if (vector == 0 && delivery.check > 0)
      report.error = check(computed, delivered, delivery.check, delivery.seed, sums_at);
    const std::int64_t translations = report.m2l_boxes + report.m2p_boxes + report.p2l_boxes;
    const double safety = truncation_safety(decision_, translations);
    Quality quality = quality_of(condition_sums(targets, sums_at), norms, input.sources, targets, truncated(), safety);
    quality.factor = results.factor;
    std::int64_t samples = measured_targets(decision_, input.sources, targets, translations);
    if (samples == 0) samples = worth_measuring(decision_, quality, targets, translations);
    if (samples > 0)
      measure(quality, computed,
              draw_targets(work_.tree, work_.lists, expansions(), work_.target, power_.data(), samples, threads_),
              sums_at);
    return quality;
  }

  const double* in_double(const Strengths& strengths, std::int64_t vector, int exponent) {
    if constexpr (sizeof(Real) == sizeof(double)) return strength_.data();
    gather(strengths, vector, tree().sources.order, exponent, exact_strength_, threads_);
    return exact_strength_.data();
  }

  Truncation truncated() {
    if (decision_.method != Method::fmm || !decision_.promised) return {};
    return truncation(work_.tree, work_.lists, expansions(), work_.target, power_.data(), threads_);
  }
  Expansions<Real> expansions() const {
    return {multipole_.data(), local_.data(), work_.tables.stride, work_.tables.degree};
  }

  SortedResults<Real> results(int strength_exponent, double scale) const {
    return {work_.result, result_factors(traits(decision_.kernel).homogeneity, scale, placed_->exponent,
                                         strength_exponent, softening_)};
  }

  Decision decision_;
  int threads_;
  Softening softening_;
  std::int64_t self_from_ = 0;      ///< see Work
  std::shared_ptr<Placed> placed_;  // outlives all arrays below, which count their bytes in it
  Stages<Real> stages_;
  std::shared_ptr<const Tables<Real>> tables_;
  TableKey table_key_{};  ///< of tables_
  Array<Real> strength_, multipole_, local_, result_[most_parts];
  Array<double> power_, exact_strength_;  ///< [boxes], for truncation(); [sources], where Real is float
  Work<Real> work_;
};

template <class Make>
static std::unique_ptr<Evaluator> with_precision(const Decision& decision, Make&& make) {
  if (decision.precision == Precision::single_) return make(float{});
  return make(double{});
}

static std::unique_ptr<Evaluator> make_evaluator(const Decision& decision, int threads, std::shared_ptr<Placed> placed,
                                                 StageClock& clock) {
  return with_precision(decision, [&](auto real) {
    auto evaluator = std::make_unique<CpuEvaluator<decltype(real)>>(decision, threads, std::move(placed));
    evaluator->prepare(clock);
    return std::unique_ptr<Evaluator>(std::move(evaluator));
  });
}

std::unique_ptr<Evaluator> make_evaluator(const Decision& decision, int threads) {
  return with_precision(decision, [&](auto real) -> std::unique_ptr<Evaluator> {
    return std::make_unique<CpuEvaluator<decltype(real)>>(decision, threads, std::make_shared<Placed>());
  });
}

std::int64_t memory_bound(const Decision& d, std::int64_t sources, std::int64_t targets, bool alike) {
  const std::int64_t real = d.precision == Precision::single_ ? 4 : 8;
  const std::int64_t all = sources + (alike ? 0 : targets), results = alike ? sources : targets;
  // per point: coordinates and order; keys and the sort's second buffer while building; strengths and results while
  // evaluating, in single also the strengths in double
  std::int64_t bytes = all * (3 * 8 + 4 + 24) + sources * (real == 4 ? 12 : 8) + results * d.parts() * real;
  if (d.method != Method::fmm) return bytes;
  const std::int64_t coefficients = std::int64_t(d.degree + 1) * (d.degree + 1);
  // worst case: all leaves an eighth full, with their ancestors; lists of 60 near boxes per leaf
  const std::int64_t boxes = 64 + 2 * 8 * all / std::max<std::int64_t>(1, d.leaf_size);
  bytes += boxes * (2 * (coefficients + 8) * real + 27 * 4 + 80 + 60 * 4);
  return bytes + (real == 4 ? Tables<float>::bytes(d.degree, coefficients, d.rotation, d.reduced)
                            : Tables<double>::bytes(d.degree, coefficients, d.rotation, d.reduced));
}

}  // namespace farfield::cpu

// CpuEvaluator: owns the arrays of a plan on the CPU and runs the method's page over the stages.
#include "backends/cpu/evaluator.hpp"

#include <cmath>
#include <vector>

#include "backends/cpu/stages.hpp"
#include "backends/cpu/tables.hpp"
#include "backends/cpu/transfer.hpp"
#include "backends/cpu/tree.hpp"
#include "expansions/laplace_basis.hpp"
#include "expansions/ones_basis.hpp"
#include "methods/fmm.hpp"
#include "plan/accounts.hpp"
#include "plan/check.hpp"
#include "plan/degree.hpp"
#include "plan/softening.hpp"
#include "plan/stage_clock.hpp"

namespace farfield::cpu {

/// The stages as the method page wants them: one object, its work and its table of functions.
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
};

template <class Real>
class CpuEvaluator final : public Evaluator {
 public:
  CpuEvaluator(const Decision& decision, int threads)
      : decision_(decision), threads_(threads), stages_(stages<Real>(decision.kernel, decision.simd)) {
    for (Array<Real>* array :
         {&multipole_, &local_, &strength_, &potential_, &gradient_[0], &gradient_[1], &gradient_[2]})
      array->meter(meter_);
    tree_.count_bytes_in(meter_);
  }

  void build(const Points& sources, const Points* targets, const Geometry& geometry, Report& report) override {
    StageClock clock(report, true);
    exponent_ = geometry.exponent;
    softening_ = scaled_softening(decision_.softening, exponent_, decision_.precision);
    const bool with_tree = decision_.method == Method::fmm;
    const TreeOptions options{decision_.m,
                              decision_.k,
                              decision_.leaf_size,
                              decision_.depth,
                              decision_.thresholds,
                              threads_,
                              [&](const char* name, double seconds) { clock.add(name, seconds); }};
    if (with_tree)
      cpu::build(tree_, sources, targets, geometry, options);
    else
      clock("read", [&] { read_points(tree_, sources, targets, geometry, threads_); });
    if (with_tree && decision_.settle_degree) clock("degree", [&] { settle_degree(report); });
    if (with_tree) clock("tables", [&] { build_tables(); });
    bind();
    if (with_tree) count_work(work_.tree, work_.lists, decision_, report);
    report.memory_bytes = meter_.peak;
  }

  void evaluate(const Strengths& strengths, const Delivery& delivery, Report& report) override {
    StageClock clock(report, false);
    allocate_results();
    self_from_ = tree_.alike ? 0 : delivery.split;
    std::vector<int> exponents;  // all vectors are checked before the first result is written
    clock("gather", [&] {
      for (std::int64_t v = 0; v < strengths.vectors; ++v)
        exponents.push_back(strength_exponent(strengths, v, threads_));
    });
    for (std::int64_t v = 0; v < strengths.vectors; ++v) {
      const int exponent = exponents[static_cast<std::size_t>(v)];
      clock("gather", [&] { gather(strengths, v, tree_.sources.order, exponent, strength_, threads_); });
      bind();
      run(clock);
      if (v == 0) examine(strengths, exponent, delivery, report);
      clock("scatter", [&] { scatter(results(exponent, delivery.scale), v, target_points(), delivery, threads_); });
    }
    report.memory_bytes = meter_.peak;
  }

 private:
  const SortedPoints& target_points() const { return tree_.target_points(); }

  /// The degree that `choose` took from the tolerance alone is corrected by how the points lie in their boxes.
  void settle_degree(Report& report) {
    const TreeView tree = tree_.tree.view();
    const auto placed = [](const SortedPoints& p, const std::int64_t* begin, const std::int64_t* end) {
      return PlacedPoints{{p.axis[0].data(), p.axis[1].data(), p.axis[2].data()}, begin, end};
    };
    const PlacedPoints sources = placed(tree_.sources, tree.source_begin, tree.source_end);
    const PlacedPoints targets = placed(target_points(), tree.target_begin, tree.target_end);
    decision_.degree = farfield::settle_degree(decision_, tree, sources, targets, threads_, report);
  }

  void build_tables() {
    meter_.add(-tables_.held_bytes());
    if (decision_.kernel == Kernel::count)
      tables_.template build<OnesBasis>(0, decision_.rotation, decision_.reduced, threads_);
    else
      tables_.template build<LaplaceBasis>(decision_.degree, decision_.rotation, decision_.reduced, threads_);
    meter_.add(tables_.held_bytes());
  }

  void allocate_results() {
    const std::int64_t targets = target_points().count;
    potential_.resize(targets);
    for (Array<Real>& g : gradient_)
      if (decision_.gradient) g.resize(targets);
    if (decision_.method != Method::fmm) return;
    multipole_.resize(tree_.tree.boxes * tables_.view().stride);
    local_.resize(tree_.tree.boxes * tables_.view().stride);
  }

  /// Refreshes the plain pointers of work_ after anything was (re)allocated.
  void bind() {
    work_.tree = tree_.tree.view();
    work_.lists = tree_.lists.view();
    work_.tables = tables_.view();
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
    work_.pair_terms = decision_.pair_terms;
    work_.threads = threads_;
  }

  void run(StageClock& clock) {
    const std::int64_t sources = tree_.sources.count, targets = target_points().count;
    if (targets == 0) return;
    if (decision_.method == Method::fmm && sources > 0) {
      BoundStages<Real> bound{stages_, work_};
      return fmm(bound, clock);
    }
    clock("p2p", [&] {
      for (Real* out : {work_.potential, work_.gradient[0], work_.gradient[1], work_.gradient[2]})
        if (out) std::fill(out, out + targets, Real(0));
      stages_.direct(work_, sources, targets);
    });
  }

  /// Conditioning always, the measured error when asked: both of the first strength vector.
  void examine(const Strengths& strengths, int exponent, const Delivery& delivery, Report& report) {
    if (tree_.sources.count == 0 || target_points().count == 0) return;
    Array<double> strength;
    gather(strengths, 0, tree_.sources.order, exponent, strength, threads_);
    const CheckInput<Real> input{{work_.source[0], work_.source[1], work_.source[2]},
                                 {work_.target[0], work_.target[1], work_.target[2]},
                                 strength.data(),
                                 tree_.sources.count,
                                 target_points().count,
                                 work_.potential,
                                 {work_.gradient[0], work_.gradient[1], work_.gradient[2]},
                                 decision_.kernel,
                                 threads_,
                                 softening_.length,
                                 self_from_};
    const Condition condition = estimate_condition(input);
    report.condition_potential = condition.potential;
    report.condition_gradient = condition.gradient;
    if (delivery.check > 0) report.error = check(input, delivery.check, delivery.seed);
  }

  SortedResults<Real> results(int strength_exponent, double scale) const {
    const ResultFactors factor = result_factors(decision_.kernel, scale, exponent_, strength_exponent, softening_);
    return {potential_.data(),
            {work_.gradient[0], work_.gradient[1], work_.gradient[2]},
            factor.potential,
            factor.gradient};
  }

  Decision decision_;
  int threads_, exponent_ = 0;
  Softening softening_;
  std::int64_t self_from_ = 0;  ///< see Work
  MemoryMeter meter_;
  Stages<Real> stages_;
  CpuTree tree_;
  Tables<Real> tables_;
  Array<Real> strength_, multipole_, local_, potential_, gradient_[3];
  Work<Real> work_;
};

std::unique_ptr<Evaluator> make_evaluator(const Decision& decision, int threads) {
  if (decision.precision == Precision::single_) return std::make_unique<CpuEvaluator<float>>(decision, threads);
  return std::make_unique<CpuEvaluator<double>>(decision, threads);
}

std::int64_t memory_bound(const Decision& d, std::int64_t sources, std::int64_t targets, bool alike) {
  const std::int64_t real = d.precision == Precision::single_ ? 4 : 8;
  const std::int64_t all = sources + (alike ? 0 : targets), results = alike ? sources : targets;
  // per point: coordinates and order, keys and the sort's second buffer while building; strengths and results after
  std::int64_t bytes = all * (3 * 8 + 4 + 24) + sources * real + results * (d.gradient ? 4 : 1) * real;
  if (d.method != Method::fmm) return bytes;
  const std::int64_t coefficients = std::int64_t(d.degree + 1) * (d.degree + 1);
  // worst case: every eighth-full leaf and its chain of parents; lists of 60 near boxes per leaf
  const std::int64_t boxes = 64 + 2 * 8 * all / std::max<std::int64_t>(1, d.leaf_size);
  bytes += boxes * (2 * (coefficients + 8) * real + 27 * 4 + 80 + 60 * 4);
  return bytes + (real == 4 ? Tables<float>::bytes(d.degree, coefficients, d.rotation, d.reduced)
                            : Tables<double>::bytes(d.degree, coefficients, d.rotation, d.reduced));
}

}  // namespace farfield::cpu

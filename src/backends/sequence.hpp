// SequencedEvaluator: what building a plan and evaluating sums consist of, in order, written once for all backends.
//
// A backend offers `Steps<Real>`, which owns its arrays and does one step at a time, and `Steps<Real>::Placed`, which
// evaluators of several degrees and precisions share: the tree, and the scaling of its coordinates (`exponent`, and
// `least`, the smallest scaled |coordinate| that is not 0). What every Steps has in common is EvaluatorState.
#pragma once
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "backends/drift.hpp"
#include "backends/evaluator.hpp"
#include "core/units.hpp"
#include "judge/check.hpp"
#include "judge/quality.hpp"
#include "kernels/traits.hpp"
#include "model/degree.hpp"
#include "tree/built_tree.hpp"

namespace farfield {

/// A vector of strengths that is being summed.
struct OneVector {
  const Strengths& strengths;
  std::int64_t index;
  int exponent;   ///< of its scaling
  int place = 0;  ///< among the vectors that are summed together
};

template <class Placed>
struct EvaluatorState {
  std::shared_ptr<Placed> placed;  // outlives the arrays of Steps
  Decision decision;
  int threads = 0;  ///< of the host
  Softening softening;
  Selves selves;                   ///< see Work
  const Addend* addend = nullptr;  ///< of the delivery
  int densities = 1;               ///< vectors that are summed together, in one pass of every stage

  /// How many of a call's vectors may be summed together, and what shows the judges one of them afterwards: of a
  /// backend that sums them one by one.
  int most_together(const Strengths&) const { return 1; }
  void show(const OneVector&) {}
  /// Are the sources that follow images (null: no), and can these steps find them?
  static bool use_images(const Images* images) { return !images; }
  /// Is the call captured in a graph, where nothing is read back? And what did replays meet?
  bool captured() const { return false; }
  Met met_by_replays() const { return Met::nothing; }

  std::int64_t sources() const { return placed->tree.sources.count; }
  std::int64_t targets() const { return placed->tree.target_points().count; }
  TreeOptions tree_options(std::function<void(const char*)> mark) const {
    const Decision& d = decision;
    const bool treecode = d.method == Method::treecode;
    const Acceptance acceptance = {treecode ? d.theta : 0, d.least_edge, traits(d.kernel).decay.axes};
    return {d.root,     d.leaf_size, d.depth, d.thresholds, std::move(mark), threads, treecode ? 0 : d.least_edge,
            acceptance, expandable()};
  }
  /// One tree serves both precisions: boxes without expansions in single count as nothing only where they give nothing
  /// in double. The hundredth keeps the rounding of this limit apart from that of the tables'.
  Expandable expandable() const {
    const double screening = decision.parameters.screening;
    if (!(screening > 0)) return {};
    const KernelTraits& kernel = traits(decision.kernel);
    return {0.99 * kernel.largest_scale[0] / screening, kernel.largest_scale[1] / screening};
  }
  bool with_tree() const { return decision.expands(); }
  /// How far points may go that are to keep their boxes; 0: these must be built anew.
  Drift drift(const Points& of_sources, const Points* of_targets) const {
    const auto& built = placed->tree;
    const bool as_many =
        of_sources.count == sources() && built.alike == !of_targets && (built.alike || of_targets->count == targets());
    return {decision.method == Method::fmm && as_many ? drift_within(decision.skin, built.tree.view()) : 0};
  }
  /// Of Plummer's kernel and Gaussian cores; others are those of the expansions there.
  double softened_to() const { return with_tree() && decision.lacks_beyond ? decision.least_edge : INFINITY; }
};

/// The longest of the lengths that points bring; no excess is taken off them.
inline Softening longest_of(const Decision& d, int exponent) {
  return {std::ldexp(d.softening * reach_over_length(d.softening_kind), exponent), 0, d.softening_kind};
}

/// Where arrays of the caller lie.
struct CallerMemory {
  MemorySpace space;
  void* stream;
};
template <class View>
CallerMemory memory_of(const View& view) {
  return {view.space, view.stream};
}

template <class S>
concept BackendSteps = requires(S& s, const Points& points, const Geometry& geometry, const Decision& decision,
                                const Strengths& strengths, const OneVector& vector, const ResultFactors& factors,
                                const Delivery& delivery, const Delivered& delivered, Report& report, bool yes,
                                const std::vector<CallerMemory>& arrays, void (&work)()) {
  { s.can_adopt(decision) } -> std::same_as<bool>;
  s.call(report, yes, arrays, work);  ///< runs the work of one call, building or not
  s.time("", work);                   ///< a stage of the report
  // building
  s.forget_tree();                           ///< before the new one is built; frees what it may use
  s.build_tree(points, &points, geometry);   ///< sorted points, boxes, lists; targets null: the sources
  s.read_points(points, &points, geometry);  ///< for direct sums, in the caller's order
  { s.drift(points, &points) } -> std::same_as<Drift>;
  { s.follow(points, &points, Drift{}) } -> std::same_as<bool>;  ///< false: one of them has gone too far
  { s.settled_degree(report) } -> std::same_as<Settled>;
  s.prepare_expansions(report);  ///< tables for the decision's degree and scheme
  s.finish_build(report);        ///< what was built, and its memory
  // evaluating
  s.allocate_results();
  { s.read(strengths) } -> std::same_as<std::vector<StrengthRange>>;
  { s.most_together(strengths) } -> std::same_as<int>;
  s.gather(vector);  ///< strengths into tree order
  s.bind();          ///< sets the plain pointers that stages work with
  s.sum(yes);        ///< runs the method; true: the call has one vector
  s.show(vector);    ///< of those summed together, the one that is delivered or judged next
  s.start_judging(vector);
  s.scatter(vector, factors, delivery);  ///< results into the caller's order and units
  { s.quality(vector, std::int64_t{}) } -> std::same_as<Quality>;
  { s.checked(vector, delivered, delivery) } -> std::same_as<ErrorReport>;  ///< measured, as the options ask
  s.finish(report);
};

/// Calls f with a number of the decision's precision.
template <class F>
decltype(auto) with_precision(const Decision& decision, F&& f) {
  return decision.precision == Precision::single_ ? f(float{}) : f(double{});
}

template <template <class> class Steps, class Real>
class SequencedEvaluator final : public Evaluator {
 public:
  using Placed = typename Steps<Real>::Placed;
  SequencedEvaluator(const Decision& decision, int threads, std::shared_ptr<Placed> placed)
      : steps_({std::move(placed), decision, threads, {}, {}}) {
    static_assert(BackendSteps<Steps<Real>>);
  }

  bool adopt(const Decision& decision) override {
    if (!steps_.can_adopt(decision)) return false;
    steps_.decision = decision;
    return true;
  }
  void use_threads(int threads) override { steps_.threads = threads; }
  const Decision& decision() const override { return steps_.decision; }

  void build(const Points& sources, const Points* targets, const Geometry& geometry, Report& report) override {
    steps_.call(report, true, {memory_of(sources), memory_of(targets ? *targets : sources)}, [&] {
      steps_.forget_tree();
      steps_.placed->exponent = geometry.exponent;
      steps_.placed->least = geometry.least;
      if (steps_.with_tree())
        steps_.build_tree(sources, targets, geometry);
      else
        steps_.time("read", [&] { steps_.read_points(sources, targets, geometry); });
      if (steps_.with_tree() && steps_.decision.settle_degree) steps_.time("degree", [&] { settle_degree(report); });
      prepare(report);
      steps_.finish_build(report);
    });
  }

  bool follow(const Points& sources, const Points* targets, const Images* images, Report& report) override {
    const Drift drift = steps_.drift(sources, targets);
    if (drift.reach == 0 || !steps_.use_images(images)) return false;
    bool followed = false;
    steps_.call(report, true, {memory_of(sources), memory_of(targets ? *targets : sources)}, [&] {
      steps_.time("follow", [&] { followed = steps_.follow(sources, targets, drift); });
      if (!steps_.captured()) steps_.finish(report);
    });
    return followed;
  }

  std::vector<Quality> evaluate(const Strengths& strengths, const Delivery& delivery, Report& report) override {
    std::vector<Quality> qualities;
    steps_.call(report, false, {memory_of(strengths), memory_of(delivery.outputs)}, [&] {
      const int together = steps_.densities = steps_.most_together(strengths);
      steps_.allocate_results();
      steps_.selves = delivery.selves.value_or(Selves{delivery.split});
      steps_.addend = delivery.addend;
      if (steps_.placed->tree.alike) steps_.selves.from = 0;
      std::vector<StrengthRange> ranges;  // all vectors are checked before the first result is written
      steps_.time("gather", [&] { ranges = steps_.read(strengths); });
      for (std::int64_t first = 0; first < strengths.vectors; first += steps_.densities) {
        steps_.densities = strengths.vectors - first < together ? 1 : together;
        std::vector<OneVector> slice;
        for (int v = 0; v < steps_.densities; ++v)
          slice.push_back({strengths, first + v, ranges[static_cast<std::size_t>(first + v)].exponent, v});
        sum(slice);
        for (const OneVector& vector : slice) deliver(vector, ranges[static_cast<std::size_t>(vector.index)], delivery);
        if (steps_.captured()) continue;
        for (const OneVector& vector : slice)
          qualities.push_back(judge(vector, ranges[static_cast<std::size_t>(vector.index)], delivery, report));
      }
      if (!steps_.captured()) steps_.finish(report);
    });
    return qualities;
  }
  Met met_by_replays() const override { return steps_.met_by_replays(); }

  std::unique_ptr<Evaluator> again(const Decision& decision, Report& report) override {
    return with_precision(decision, [&](auto real) -> std::unique_ptr<Evaluator> {
      using Other = SequencedEvaluator<Steps, decltype(real)>;
      auto other = std::make_unique<Other>(decision, steps_.threads, steps_.placed);
      other->prepare_again(report);
      return other;
    });
  }

  /// Makes tables and pointers for the points and the tree of the last build. The report keeps the choices of the
  /// evaluator that built them.
  void prepare_again(Report& report) {
    Report own = report;
    steps_.call(own, false, {}, [&] {
      prepare(own);
      steps_.finish(own);
    });
    report.stages = own.stages;
  }

 private:
  /// The degree that `choose` took from the tolerance alone is corrected by how the points lie in their boxes.
  void settle_degree(Report& report) {
    if (steps_.sources() == 0 || steps_.targets() == 0) return;
    const Settled settled = steps_.settled_degree(report);
    steps_.decision.degree = settled.degree;
    steps_.decision.in_planes = settled.in_planes;
  }

  void prepare(Report& report) {
    const Decision& d = steps_.decision;
    steps_.softening = scaled_softening(d.softening, d.softening_kind, steps_.placed->exponent, d.precision);
    if (d.lengths) steps_.softening = longest_of(d, steps_.placed->exponent);
    if (steps_.with_tree()) steps_.prepare_expansions(report);
    steps_.bind();
  }

  void sum(const std::vector<OneVector>& slice) {
    steps_.time("gather", [&] {
      for (const OneVector& vector : slice) steps_.gather(vector);
    });
    steps_.bind();
    steps_.sum(slice.front().strengths.vectors == 1);
  }

  ResultFactors factors(const StrengthRange& range, const Delivery& delivery) const {
    const Decision& d = steps_.decision;
    return result_factors(traits(d.kernel).homogeneity, delivery.scale, steps_.placed->exponent, range.exponent,
                          steps_.softening);
  }
  bool summed() const { return steps_.sources() > 0 && steps_.targets() > 0; }

  /// All vectors that were summed together, before a backend waits for what it finds of the first.
  void deliver(const OneVector& vector, const StrengthRange& range, const Delivery& delivery) {
    steps_.show(vector);
    if (summed() && !steps_.captured()) steps_.start_judging(vector);
    steps_.time("scatter", [&] { steps_.scatter(vector, factors(range, delivery), delivery); });
  }

  Quality judge(const OneVector& vector, const StrengthRange& range, const Delivery& delivery, Report& report) {
    const Decision& d = steps_.decision;
    const std::int64_t translations = report.m2l_boxes + report.m2p_boxes + report.p2l_boxes;
    const ResultFactors factor = factors(range, delivery);
    steps_.show(vector);
    Quality q;
    if (summed()) steps_.time("examine", [&] { q = steps_.quality(vector, translations); });
    q.factor = factor;
    q.lost = !traits(d.kernel).bounded && loses_strengths(range, d.precision, steps_.placed->least, q.norms);
    if (summed() && vector.index == 0 && delivery.check > 0)
      report.error = steps_.checked(vector, {q.norms, factor, delivery.outputs.scalar}, delivery);
    if (vector.index == 0 && q.lost && report.error) distrust(*report.error);
    return q;
  }

  Steps<Real> steps_;
};

template <template <class> class Steps, class Placed>
std::unique_ptr<Evaluator> make_sequenced(const Decision& decision, int threads, std::shared_ptr<Placed> placed) {
  return with_precision(decision, [&](auto real) -> std::unique_ptr<Evaluator> {
    return std::make_unique<SequencedEvaluator<Steps, decltype(real)>>(decision, threads, std::move(placed));
  });
}

}  // namespace farfield

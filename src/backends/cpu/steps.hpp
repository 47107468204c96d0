// CpuSteps: owns the arrays of a plan on the CPU; does the steps of backends/sequence.hpp and runs the method
// (methods/fmm.hpp or the direct sum).
#pragma once
#include <cmath>
#include <vector>

#include "backends/cpu/bound_stages.hpp"
#include "backends/cpu/boxes/follow.hpp"
#include "backends/cpu/boxes/tree.hpp"
#include "backends/cpu/cells/place.hpp"
#include "backends/cpu/evaluator.hpp"
#include "backends/cpu/exponentials/transform.hpp"
#include "backends/cpu/far/table_cache.hpp"
#include "backends/cpu/grid/window.hpp"
#include "backends/cpu/hermite/transform.hpp"
#include "backends/cpu/near/heaps.hpp"
#include "backends/cpu/transfer/lengths.hpp"
#include "backends/cpu/transfer/number_range.hpp"
#include "backends/cpu/transfer/transfer.hpp"
#include "backends/density_arrays.hpp"
#include "backends/sequence.hpp"
#include "core/stage_clock.hpp"
#include "judge/truncation.hpp"
#include "methods/fmm.hpp"
#include "methods/grid.hpp"
#include "methods/treecode.hpp"
#include "model/accounts.hpp"
#include "model/degree.hpp"
#include "model/grid/price.hpp"

namespace farfield::cpu {

/// The tree or the cells that evaluators share, and the memory of them all.
struct Placed {
  HostMemory memory;
  CpuTree tree;
  PlacedCells cells;
  Array<double> source_lengths, target_lengths;  ///< Work::source_length and target_length
  int exponent = 0;
  double least = 0;
  Placed() {
    tree.use(memory);
    use_all(memory, source_lengths, target_lengths);
  }
};

template <class Real>
class CpuSteps : public EvaluatorState<cpu::Placed> {
 public:
  using Placed = cpu::Placed;
  explicit CpuSteps(EvaluatorState<Placed> state)
      : EvaluatorState<Placed>(std::move(state)),
        stages_(stages<Real>(decision.kernel, decision.simd)),
        transform_(placed->memory),
        line_(placed->memory) {
    use_all(placed->memory, arrays_, power_, kept_);
    for (Array<double>& moment : exact_strength_) moment.use(placed->memory);
    for (Array<Real>& grid : grids_) grid.use(placed->memory);
  }
  ~CpuSteps() { release_tables(); }

  /// The next build reuses the arrays and, where degree and scheme stay the same, the tables.
  bool can_adopt(const Decision& d) const { return may_adopt(decision, d); }

  template <class Work>
  void call(Report& report, bool building, const std::vector<CallerMemory>&, Work&& work) {
    StageClock clock(report, building);
    clock_ = &clock;
    work();
  }
  template <class Work>
  void time(const char* stage, Work&& work) {
    (*clock_)(stage, work);
  }

  void forget_tree() { placed->memory.meter.peak = placed->memory.meter.now; }

  void build_tree(const Points& sources, const Points* targets, const Geometry& geometry) {
    cpu::build(placed->tree, sources, targets, geometry,
               tree_options([this](const char* stage) { clock_->mark(stage); }));
    place_lengths(sources, targets);
  }

  bool follow(const Points& sources, const Points* targets, const Drift& drift) {
    return cpu::follow(placed->tree, sources, targets, Scaling(placed->exponent), drift, threads);
  }

  void read_points(const Points& sources, const Points* targets, const Geometry& geometry) {
    line_axis_ = line_axis(geometry);
    if (decision.method == Method::direct || decision.method == Method::exponentials)
      cpu::read_points(placed->tree, sources, targets, geometry, threads);
    else
      place_in_cells(placed->cells, placed->tree, sources, targets, geometry, decision, threads);
    place_lengths(sources, targets);
  }

  Settled settled_degree(Report& report) const {
    const CpuTree& tree = placed->tree;
    return farfield::settle_degree(decision, tree.tree.view(), tree.placed_sources(), tree.placed_targets(),
                                   std::ldexp(decision.softening, placed->exponent), threads, report);
  }

  void prepare_expansions(Report&) {
    time("tables", [&] { build_tables(); });
  }

  void finish_build(Report& report) {
    if (with_tree()) count_work(work_.tree, work_.lists, decision, report);
    if (with_tree() && traits(decision.kernel).singular && !counts_coincident(decision))
      report.near_pairs -= pairs_in_heaps(work_.tree, work_.source, work_.target);
    if (decision.method == Method::grid) window_.make(decision);
    if (decision.method == Method::hermite && sources() > 0) time("boxes", [&] { box_for_series(); });
    if (decision.method == Method::exponentials && sources() > 0) time("sort", [&] { sort_line(); });
    if (decision.method == Method::cutoff || decision.method == Method::grid) name_cells(report);
    finish(report);
  }
  void finish(Report& report) const { report.memory_bytes = placed->memory.meter.peak; }

  void allocate_results() {
    arrays_.resize_results(decision.parts(), densities * targets());
    if (decision.method == Method::grid) {
      const std::int64_t points = block_points(placed->cells.lattice.axes);
      for (int i = 0; i < 2; ++i) grids_[i].resize(placed->cells.blocks.grid_blocks(i) * points);
      kept_.resize(placed->cells.blocks.kept_pieces() *
                   local_points(placed->cells.lattice.axes, decision.window.width));
    }
    if (!with_tree()) return;
    const BoxId boxes = placed->tree.tree.boxes;
    arrays_.multipole.resize(densities * boxes * tables_->view().stride);
    arrays_.local.resize(decision.method == Method::fmm ? densities * boxes * tables_->view().stride : 0);
    power_.resize(boxes);
  }

  int most_together(const Strengths& strengths) const {
    const int most = strengths.dipoles ? 1 : densities_of(decision);
    return strengths.vectors < most ? 1 : most;
  }
  std::vector<StrengthRange> read(const Strengths& strengths) const {
    std::vector<StrengthRange> ranges;
    for (std::int64_t v = 0; v < strengths.vectors; ++v)
      ranges.push_back(strength_range(strengths, v, placed->exponent, threads));
    return ranges;
  }

  void gather(const OneVector& v) {
    moments_ = v.strengths.dipoles ? with_dipole : 1;
    gather_into(arrays_.strength, densities, v.place, v);
  }

  void bind() {
    const CpuTree& tree = placed->tree;
    work_.tree = tree.tree.view();
    work_.lists = tree.lists.view();
    work_.tables = tables_ ? tables_->view() : TablesView<Real>{};
    work_.level_tables = tables_ ? tables_->by_level() : nullptr;
    for (int axis = 0; axis < 3; ++axis) {
      work_.source[axis] = tree.sources.axis[axis].data();
      work_.target[axis] = tree.target_points().axis[axis].data();
    }
    work_.strength_pitch = sources() + strength_padding;
    work_.result_pitch = targets();
    work_.expansion_pitch = with_tree() ? tree.tree.boxes * work_.tables.stride : 0;
    arrays_.point_at(0, moments_, decision.parts(), work_);
    work_.densities = densities;
    work_.softening = softening;
    work_.source_length = decision.lengths ? placed->source_lengths.data() : nullptr;
    work_.target_length = !decision.lengths ? nullptr
                          : tree.alike      ? placed->source_lengths.data()
                                            : placed->target_lengths.data();
    work_.wide_leaves = decision.least_edge > 0;
    work_.source_order = selves.source ? selves.source : tree.sources.order.data();
    work_.target_order = selves.target ? selves.target : tree.target_points().order.data();
    work_.parameters = decision.parameters;
    work_.self_from = selves.from;
    work_.rotation = decision.rotation;
    work_.reduced = decision.reduced;
    work_.pair_terms = decision.pair_terms;
    work_.decay_error = decision.decay_error;
    work_.threads = threads;
    if (decision.method == Method::cutoff) work_.near = placed->cells.near(decision.reach);
    if (decision.method == Method::grid) {
      work_.grid = window_.view(placed->cells);
      work_.grid.kept = kept_.data();
    }
  }

  void sum(bool /*alone*/) {
    if (targets() == 0) return;
    if (with_tree() && sources() > 0) {
      BoundStages<Real> bound{stages_, work_};
      return decision.method == Method::treecode ? treecode(bound, *clock_) : fmm(bound, *clock_);
    }
    if (decision.method == Method::cutoff && sources() > 0) return time("p2p", [&] { stages_.cutoff(work_); });
    if (decision.method == Method::grid && sources() > 0) {
      BoundGrid<Real> bound{stages_, work_, {grids_[0].data(), grids_[1].data()}};
      return grid(bound, *clock_);
    }
    if (decision.method == Method::hermite && sources() > 0)
      return time("series", [&] { stages_.hermite(transform_.bind(work_.strength, work_.result)); });
    if (decision.method == Method::exponentials && sources() > 0)
      return time("sweeps", [&] {
        stages_.exponentials(line_.bind(work_.strength));
        line_.deliver(work_.result);
      });
    time("p2p", [&] {
      for (int part = 0; part < most_parts; ++part)
        if (is_summed(part)) std::fill_n(work_.result.any(part), targets(), Real(0));
      stages_.direct(work_, sources(), targets());
    });
  }

  void show(const OneVector& v) {
    arrays_.point_at(v.place, moments_, decision.parts(), work_);
    work_.densities = 1;
  }
  void start_judging(const OneVector&) {}

  void scatter(const OneVector& v, const ResultFactors& factors, const Delivery& delivery) const {
    cpu::scatter(SortedResults<Real>{work_.result, factors}, v.index, placed->tree.target_points(), delivery,
                 {traits(decision.kernel).vector, threads});
  }

  Quality quality(const OneVector& v, std::int64_t translations) {
    if (traits(decision.kernel).bounded)  // no sum of terms exceeds what errors are relative to
      return quality_of({}, largest_norms(), sources(), targets(), {}, 1);
    const Computed<Real> results = computed();
    Norms norms = norms_of(results, threads);
    norms.judged_from = decision.judged_from;
    const SumsAt sums_at = exact_sums(v);
    const double safety = truncation_safety(decision, translations);
    Quality quality = quality_of(condition_sums(targets(), sums_at), norms, sources(), targets(), truncated(), safety);
    std::int64_t samples = measured_targets(decision, sources(), targets(), translations);
    if (samples == 0) samples = worth_measuring(decision, quality, targets(), translations);
    if (samples > 0)
      measure(quality, results,
              draw_targets(work_.tree, work_.lists, expansions(), work_.target, power_.data(), samples, threads),
              sums_at);
    return quality;
  }

  ErrorReport checked(const OneVector& v, const Delivered& delivered, const Delivery& delivery) {
    return check(computed(), in_own_norm(v, delivered), delivery.check, delivery.seed, exact_sums(v));
  }

 protected:
  Stages<Real> stages_;
  StageClock* clock_ = nullptr;  ///< of the current call
  Work<Real> work_;

 private:
  void box_for_series() {
    transform_.build({{work_.source[0], work_.source[1], work_.source[2]}, sources()},
                     {{work_.target[0], work_.target[1], work_.target[2]}, targets()}, decision.parameters.length[0],
                     decision.tolerance, decision.gradient, threads);
  }

  void sort_line() {
    const PointsOnLine sources{work_.source[line_axis_], this->sources()},
        targets{work_.target[line_axis_], this->targets()};
    line_.build(sources, placed->tree.alike ? nullptr : &targets, line_axis_, decision.parameters.length[0],
                decision.tolerance, decision.gradient, threads);
  }

  /// Keeps tables of the same degree and scheme; otherwise releases the old tables before new ones are made.
  void build_tables() {
    const TableKey key{decision.kernel,
                       expansion_degree(decision.kernel, decision.degree),
                       decision.rotation,
                       decision.reduced,
                       decision.method == Method::fmm,
                       table_scale()};
    if (tables_ && key == table_key_) return;
    release_tables();
    tables_ = shared_tables<Real>(key, threads);
    table_key_ = key;
    placed->memory.meter.add(tables_->held_bytes());
  }

  void place_lengths(const Points& sources, const Points* targets) {
    placed->source_lengths.resize(0), placed->target_lengths.resize(0);
    if (!decision.lengths) return;
    const double factor = reach_over_length(decision.softening_kind);
    gather_lengths(sources, placed->tree.sources.order, factor, placed->exponent, placed->source_lengths);
    if (targets) gather_lengths(*targets, placed->tree.targets.order, factor, placed->exponent, placed->target_lengths);
  }

  TableScale table_scale() const {
    if (traits(decision.kernel).scale_invariant || !with_tree()) return {};
    const TreeView& tree = placed->tree.tree.view();
    return {decision.parameters.screening * tree.lattice.edge(0), tree.levels};
  }

  void release_tables() {
    if (tables_) placed->memory.meter.add(-tables_->held_bytes());
    tables_.reset();
  }

  /// Charges, and dipoles if there are some, into tree order, at a place of `places`. Dipoles are scaled like
  /// coordinates, too.
  template <class Number>
  void gather_into(Array<Number> (&sorted)[with_dipole], int places, int place, const OneVector& v) {
    const std::int64_t pitch = sources() + strength_padding;
    const auto at = [&](int component) {
      sorted[component].resize(places * pitch);
      return sorted[component].data() + place * pitch;
    };
    const Array<std::uint32_t>& order = placed->tree.sources.order;
    cpu::gather(Carried{v.strengths, v.index, charge, v.exponent}, order, at(charge), threads);
    if (moments_ > 1)
      cpu::gather_dipoles({v.strengths, v.index, 1, v.exponent - placed->exponent}, order, {at(1), at(2), at(3)},
                          threads);
  }

  /// Errors of a bounded kernel are relative to the sum of |strengths|, those of its gradient to this over its length.
  Delivered in_own_norm(const OneVector& v, Delivered delivered) const {
    if (!traits(decision.kernel).bounded) return delivered;
    delivered.unit[0] = sum_of_sizes(v.strengths, v.index, v.exponent, threads);
    delivered.unit[1] = delivered.unit[0] / decision.parameters.length[0];
    return delivered;
  }

  /// Where errors are not relative to results, only their range counts: bounds of the norms, in vectors, where a sum
  /// of squares waits for each addition.
  Norms largest_norms() const {
    Norms norms;
    const ResultArrays<Real>& result = work_.result;
    norms.with_potential = result[0] || !result[1];
    for (int part = 0; part < most_parts; ++part) {
      if (!result.any(part)) continue;
      Norm& norm = norms.order[order_of(part)];
      const double largest = largest_of(result.any(part), targets(), threads);
      norm.largest = largest <= norm.largest ? norm.largest : largest;
      norm.l2 += largest * std::sqrt(static_cast<double>(targets()));
    }
    return norms;
  }

  /// Direct sums with the caller's strengths, not rounded to Real.
  SumsAt exact_sums(const OneVector& v) {
    const double* moment[with_dipole] = {};
    if constexpr (sizeof(Real) == sizeof(double)) {
      moment[charge] = work_.strength;
      std::copy_n(work_.dipole, 3, moment + 1);
    } else {
      gather_into(exact_strength_, 1, 0, v);
      for (int component = charge; component < moments_; ++component)
        moment[component] = exact_strength_[component].data();
    }
    DirectInput input{{work_.source[0], work_.source[1], work_.source[2]},
                      {work_.target[0], work_.target[1], work_.target[2]},
                      moment[charge],
                      sources(),
                      softening,
                      decision.parameters,
                      work_.source_order,
                      work_.target_order,
                      selves.from,
                      softened_to(),
                      threads,
                      work_.source_length,
                      work_.target_length};
    std::copy_n(moment + 1, 3, input.dipole);
    input.hessian = decision.hessian;
    input.potential = is_summed(0);
    return [this, input](const std::vector<std::int64_t>& at) {
      std::vector<DirectSum> sums(at.size());
      stages_.direct_sums(input, at.data(), std::ssize(at), sums.data());
      return sums;
    };
  }

  bool is_summed(int part) const { return part >= first_part(decision.parts()) && part < end_part(decision.parts()); }
  Computed<Real> computed() const { return {targets(), work_.result}; }

  Truncation truncated() {
    const bool judged = decision.promised || (decision.method == Method::treecode && traits(decision.kernel).truncates);
    if (!with_tree() || !judged) return {};
    return truncation(work_.tree, work_.lists, expansions(), work_.target, power_.data(), threads);
  }
  Expansions<Real> expansions() const {
    const KernelTraits& kernel = traits(decision.kernel);
    return {work_.multipole,     work_.local,  work_.tables.stride, work_.tables.degree,
            kernel.coefficients, kernel.decay, table_scale().root,  decision.hessian ? orders : 2};
  }

  /// What the build found out about cells and blocks.
  void name_cells(Report& report) const {
    report.method = word_of(decision.method);
    report.choices = decision.choices;
  }

  std::shared_ptr<const Tables<Real>> tables_;
  TableKey table_key_{};  ///< of tables_
  int moments_ = 1;       ///< of the vector that was gathered
  DensityArrays<Array<Real>> arrays_;
  Array<Real> grids_[2], kept_;
  GridWindow<Real> window_;
  Array<double> power_, exact_strength_[with_dipole];  ///< [boxes], for truncation(); [sources], where Real is float
  HermiteTransform<Real> transform_;
  LineTransform<Real> line_;
  int line_axis_ = 0;  ///< along which points on a line differ
};

}  // namespace farfield::cpu

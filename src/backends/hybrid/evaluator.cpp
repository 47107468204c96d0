// HybridSteps: CpuSteps whose near field, and a share of the far field, are summed by the other half.
#include "backends/hybrid/evaluator.hpp"

#include <atomic>
#include <cmath>
#include <limits>

#include "backends/cpu/steps.hpp"
#include "backends/hybrid/share.hpp"
#include "backends/hybrid/stages.hpp"
#include "core/number.hpp"

namespace farfield::hybrid {

static std::atomic<double> kept_share{std::numeric_limits<double>::quiet_NaN()};
void keep_share(std::optional<double> share) { kept_share = share.value_or(std::numeric_limits<double>::quiet_NaN()); }

/// What evaluators of several degrees and precisions share.
struct Placed : cpu::Placed {
  std::unique_ptr<Half> half;
  TreeCounts counts;
};

template <class Real>
class HybridSteps : public cpu::CpuSteps<Real> {
  using Base = cpu::CpuSteps<Real>;
  using Base::clock_, Base::stages_, Base::work_;

 public:
  using Base::decision, Base::placed, Base::targets, Base::threads;
  explicit HybridSteps(EvaluatorState<cpu::Placed> state)
      : Base(std::move(state)), half_(shared().half->template sums<Real>()) {
    clipped_.use(placed->memory);
  }

  void build_tree(const Points& sources, const Points* apart, const Geometry& geometry) {
    Base::build_tree(sources, apart, geometry);
    this->time("upload", [&] { shared().half->place(placed->tree, {placed->source_lengths, placed->target_lengths}); });
  }
  bool follow(const Points& sources, const Points* apart, const Drift& drift) {
    if (!Base::follow(sources, apart, drift)) return false;
    shared().half->move(placed->tree);
    return true;
  }
  void prepare_expansions(Report& report) {
    Base::prepare_expansions(report);
    share_ = 0, refused_ = false;
    this->time("rows", [&] { half_->prepare(decision); });
  }
  void finish_build(Report& report) {
    Base::finish_build(report);
    const auto number_of = [](std::int64_t count) { return static_cast<double>(count); };
    shared().counts = {number_of(this->sources()), number_of(targets()), number_of(report.boxes),
                       number_of(report.near_pairs), number_of(report.m2l_boxes)};
    finish(report);
  }
  void finish(Report& report) const {
    Base::finish(report);
    report.memory_bytes += shared().half->most_bytes();
    report.device = shared().half->name();
    tell(report, {"device memory", std::to_string(shared().half->most_bytes()) + " bytes",
                  "of the memory of this plan, what it held there"});
    if (!share_note_.name.empty()) tell(report, share_note_);
  }

  void sum(bool alone) {
    if (targets() == 0 || this->sources() == 0 || !this->with_tree()) return Base::sum(alone);
    this->time("rows", [&] { settle_share(); });
    cpu::Work<Real> own = work_;
    if (share_ > 0) own.tree = clipped_.of(work_.tree, share_, targets(), threads);
    HybridStages<Real> stages{{stages_, own}, *half_, work_, targets()};
    Report took;
    StageClock clock(took, false);
    fmm(stages, clock);
    HalfSeconds there;
    clock("join", [&] { there = stages.join(); });
    book(took, there);
    learn(took, there);
  }

 private:
  static void tell(Report& report, const Choice& choice) {
    std::erase_if(report.choices, [&](const Choice& other) { return other.name == choice.name; });
    report.choices.push_back(choice);
  }
  Placed& shared() const { return static_cast<Placed&>(*placed); }
  double share() const { return static_cast<double>(share_) / static_cast<double>(targets()); }

  /// Before the first evaluation by the cost model, then by what the last one took. A new share costs the device rows
  /// of boxes: one that is nearly the same stays.
  void settle_share() {
    constexpr double nearly = 1.0 / 64;
    const double kept = kept_share;
    if (pace_of_ != shared().counts.targets)
      pace_ = expected_pace(decision, shared().counts, threads), pace_of_ = shared().counts.targets, measured_ = false;
    const double wanted = std::isnan(kept) ? best_share(pace_) : kept;
    const std::int64_t first = share_of_targets(work_.tree, wanted);
    const bool suits = first == share_ || (share_ > 0 && first > 0 && std::fabs(wanted - share()) < nearly);
    const bool has_room = share_ == 0 || work_.densities <= room_;
    if (!refused_ && !(suits && has_room)) {
      refused_ = !half_->take_share(decision, work_, first);
      share_ = refused_ ? 0 : first;
      room_ = work_.densities;
    }
    note_share(std::isnan(kept));
  }

  void note_share(bool best) {
    const std::string far = number(pace_.cores_up + pace_.cores_down), near = number(pace_.near);
    const std::string known = measured_ ? "measured: " : "expected: ";
    share_note_ = {
        "share", share_ > 0 ? number(std::round(100 * share())) + " % of the targets" : std::string("near field alone"),
        refused_ ? "the device has no memory for expansions"
        : !best
            ? "as a measurement asks"
            : known + "the whole far field on the cores " + far + " s, the near field on the device " + near + " s"};
  }

  /// The report has what each half did; stages of the device run beside those of the cores.
  void book(const Report& took, const HalfSeconds& there) {
    for (const StageReport& stage : took.stages)
      clock_->add(stage.name == "p2p" ? "start" : stage.name.c_str(), stage.seconds);
    clock_->add("p2p", there.near);
    if (share_ > 0) clock_->add("share", there.up + there.down);
  }

  void learn(const Report& took, const HalfSeconds& there) {
    constexpr double most = 0.97;  // of little that is left to the cores nothing can be learnt
    pace_.near = there.near;
    pace_.cores_up = seconds_of(took, upward_stages);
    if (share() < most) pace_.cores_down = seconds_of(took, downward_stages) / (1 - share());
    if (share_ > 0) pace_.device_up = there.up, pace_.device_down = there.down / share();
    measured_ = true;
  }

  std::unique_ptr<HalfSums<Real>> half_;
  ClippedTree clipped_;
  std::int64_t share_ = 0;  ///< sorted targets whose far field the device sums
  int room_ = 0;            ///< densities that the half has room for
  bool refused_ = false;    ///< it had no memory for them
  Pace pace_;
  double pace_of_ = -1;    ///< targets that it is known for
  bool measured_ = false;  ///< not by the cost model alone
  Choice share_note_;      ///< for the report
};

std::unique_ptr<Evaluator> make_evaluator(const Decision& decision, int threads, std::unique_ptr<Half> half) {
  auto placed = std::make_shared<Placed>();
  placed->half = std::move(half);
  return make_sequenced<HybridSteps>(decision, threads, std::shared_ptr<cpu::Placed>(std::move(placed)));
}

}  // namespace farfield::hybrid

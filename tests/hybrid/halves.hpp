// Plans of backend hybrid whose device is a HostHalf, by the steps of src/plan, and the same sums by the cores alone.
#pragma once
#include <optional>

#include "backends/cpu/evaluator.hpp"
#include "backends/cpu/stages.hpp"
#include "backends/cpu/transfer/survey.hpp"
#include "backends/hybrid/evaluator.hpp"
#include "hybrid/host_half.hpp"
#include "kernels/traits.hpp"
#include "model/choose.hpp"
#include "plan/repeat.hpp"
#include "plan/report/describe.hpp"
#include "support/measure.hpp"

namespace farfield::testing {

/// The device of every plan takes that share while it lives.
class KeptShare {
 public:
  explicit KeptShare(double share) { hybrid::keep_share(share); }
  ~KeptShare() { hybrid::keep_share(std::nullopt); }
  KeptShare(const KeptShare&) = delete;
};

/// Options of method fmm as a plan completes them.
inline Options halved(Options o) {
  o.method = Method::fmm;
  o.gradient = o.gradient || o.hessian || traits(o.kernel).vector.always;
  return o;
}

class Halves {
 public:
  Halves(const Cloud& cloud, const Options& options, Told& told)
      : options_(halved(options)), evaluators_([&told](const Decision& d, int team) {
          return hybrid::make_evaluator(d, team, std::make_unique<HostHalf>(told));
        }) {
    build(cloud);
  }

  void build(const Cloud& cloud) {
    const Points sources = points(cloud.sources), apart = points(cloud.targets);
    const Points* const targets = cloud.apart() ? &apart : nullptr;
    const Geometry g = cpu::survey(sources, targets, threads);
    const Decision d =
        evaluators_.with_needs(choose(options_, g, {Backend::hybrid, cpu::resolve_simd(options_.simd)}), g);
    report = describe(options_, d, g, threads);
    evaluators_.first(d, threads).build(sources, targets, g, report);
    targets_ = cloud.where().size() / 3, sources_ = std::ssize(cloud.strengths);
  }
  bool follow(const Cloud& cloud) {
    const Points sources = points(cloud.sources), apart = points(cloud.targets);
    return evaluators_.follow(sources, cloud.apart() ? &apart : nullptr, nullptr, report);
  }

  /// Of several vectors, one after another.
  Result<double> evaluate(const std::vector<double>& q, const double* dipoles = nullptr) {
    const std::int64_t vectors = std::ssize(q) / sources_;
    Strengths given = strengths(q.data(), sources_, vectors);
    given.dipoles = dipoles, given.dipole_stride = 3;
    Result<double> r;
    Outputs outputs;
    const std::size_t all = targets_ * static_cast<std::size_t>(vectors);
    if (sums_potential(options_)) r.potential.resize(all), outputs.potential = r.potential.data();
    if (options_.gradient) r.gradient.resize(3 * all), outputs.gradient = r.gradient.data();
    if (options_.hessian) r.hessian.resize(6 * all), outputs.hessian = r.hessian.data();
    start_evaluation(report, vectors);
    const double scale = options_.scale * traits(options_.kernel).vector.constant;
    evaluators_.evaluate(given, {outputs, static_cast<std::int64_t>(targets_), scale, options_.check, options_.seed},
                         report);
    r.report = report;
    return r;
  }

  Report report;

 private:
  static constexpr int threads = 2;
  Options options_;
  Evaluators evaluators_;
  std::size_t targets_ = 0;
  std::int64_t sources_ = 0;
};

/// Why the report says that the device has the share that it has.
inline Choice share_of(const Report& r) {
  for (const Choice& choice : r.choices)
    if (choice.name == "share") return choice;
  return {};
}

}  // namespace farfield::testing

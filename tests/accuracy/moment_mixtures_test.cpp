// The promise for dipoles and Hessians on fresh inputs: the random problems of support/mixtures.hpp, whose sources
// carry charges, dipoles or both, for one more derivative from problem to problem, against sums in long double.
//   FARFIELD_TEST_SEED=first FARFIELD_TEST_PROBLEMS=count test_moment_mixtures
// FARFIELD_TEST_VERBOSE=1 prints every problem.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <farfield/farfield.hpp>

#include "support/measure.hpp"
#include "support/mixtures.hpp"
#include "support/moments.hpp"

namespace farfield::testing {
namespace {

constexpr double most_points = 2e4;
constexpr double least_warned_condition = 300;  ///< as in mixtures_test.cpp
constexpr std::int64_t judged_targets = 300, judged_pairs = 2'000'000;
constexpr int most_order = 3;

/// A problem whose sources carry moments: a third charges, a third dipoles, a third both.
struct MomentProblem {
  Problem problem;
  MomentSources sources;
  int order;
};

MomentProblem make_moment_problem(std::uint64_t seed) {
  MomentProblem p{make_problem(seed, most_points), {}, static_cast<int>(seed / 3 % most_order)};
  const Cloud& cloud = p.problem.cloud;
  Stream random(seed + 1);
  p.sources.positions = cloud.sources;
  const bool charges = seed % 3 != 1, dipoles = seed % 3 != 0;
  if (charges) p.sources.charges = cloud.strengths;
  const auto [low, high] = std::minmax_element(cloud.sources.begin(), cloud.sources.end());
  const double length = log_between(random, 1e-4, 1) * (*high - *low);
  for (std::size_t i = 0; dipoles && i < cloud.sources.size(); ++i)
    p.sources.dipoles.push_back(length * cloud.strengths[i / 3] * random.between(-1, 1));
  Options& o = p.problem.options;
  o.dipoles = dipoles, o.gradient = p.order == 1, o.hessian = p.order == 2;
  if (o.method == Method::treecode) o.method = Method::fmm;
  return p;
}

Result<double> evaluated(const MomentProblem& p, const Options& o) {
  const Cloud& cloud = p.problem.cloud;
  Strengths s = strengths(p.sources.charges.empty() ? nullptr : p.sources.charges.data(), cloud.count());
  if (o.dipoles) s = with_dipoles(s, p.sources.dipoles.data());
  return make_plan(cloud, o).evaluate<double>(s);
}

struct Verdict {
  double error[most_order] = {}, condition[most_order] = {};
  Report report;
  double worst() const { return *std::max_element(error, error + most_order); }
  double worst_condition() const { return *std::max_element(condition, condition + most_order); }
  bool warned() const { return !report.warnings.empty(); }
  bool missed(const MomentProblem& p) const { return !(worst() <= p.problem.options.tolerance) && !warned(); }
};

/// Value `part` of target i.
double part_of(const Result<double>& r, std::size_t part, std::size_t i) {
  return part == 0 ? r.potential[i] : part < 4 ? r.gradient[3 * i + part - 1] : r.hessian[6 * i + part - 4];
}

constexpr std::size_t first_of_order[] = {0, 1, 4, 10};

/// Errors at `targets`, relative to the sums there.
template <class Exact>
void compare(const MomentProblem& p, const Result<double>& r, const std::vector<std::int64_t>& targets, Verdict& v,
             const Exact& exact) {
  for (int order = 0; order <= p.order; ++order) {
    long double squares = 0, all = 0, magnitudes = 0;
    for (std::size_t k = 0; k < targets.size(); ++k) {
      const MomentSum sum = exact(k);
      magnitudes += sum.magnitude[order] * sum.magnitude[order];
      for (std::size_t part = first_of_order[order]; part < first_of_order[order + 1]; ++part) {
        const long double difference = part_of(r, part, static_cast<std::size_t>(targets[k])) - sum.part[part],
                          times = part > 6 ? 2 : 1;
        squares += times * difference * difference, all += times * sum.part[part] * sum.part[part];
      }
    }
    v.error[order] = squares == 0 ? 0 : static_cast<double>(std::sqrt(squares / all));
    v.condition[order] = all > 0 ? static_cast<double>(std::sqrt(magnitudes / all)) : 1;
  }
}

/// As in mixtures_test.cpp: a miss on a sample is looked at over all targets, against direct sums in double.
void judge_all_targets(const MomentProblem& p, const Result<double>& r, std::int64_t count, Verdict& v) {
  Options o = p.problem.options;
  o.method = Method::direct, o.precision = Precision::double_;
  const Result<double> truth = evaluated(p, o);
  std::vector<std::int64_t> all(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) all[static_cast<std::size_t>(i)] = i;
  Verdict over_all = v;
  compare(p, r, all, over_all, [&](std::size_t i) {
    MomentSum sum;
    for (std::size_t part = 0; part < first_of_order[p.order + 1]; ++part) sum.part[part] = part_of(truth, part, i);
    return sum;
  });
  std::copy(over_all.error, over_all.error + most_order, v.error);
}

Verdict judge(const MomentProblem& p) {
  const Cloud& cloud = p.problem.cloud;
  const auto count = static_cast<std::int64_t>(cloud.where().size() / 3);
  const std::vector<std::int64_t> targets =
      sample_of(count, cloud.count() * count < judged_pairs ? count : judged_targets);
  std::vector<MomentSum> exact(targets.size());
#pragma omp parallel for schedule(dynamic, 4)
  for (std::size_t k = 0; k < targets.size(); ++k)
    exact[k] = moments_at(p.sources, &cloud.where()[3 * static_cast<std::size_t>(targets[k])]);
  const Result<double> r = evaluated(p, p.problem.options);
  Verdict v;
  v.report = r.report;
  compare(p, r, targets, v, [&](std::size_t k) { return exact[k]; });
  if (v.missed(p) && std::ssize(targets) < count) judge_all_targets(p, r, count, v);
  return v;
}

void print(const char* what, const MomentProblem& p, const Verdict& v) {
  constexpr const char* carried[] = {"charges", "dipoles", "both"};
  std::printf(
      "%-8s seed %llu, %s: asked %.2e, errors %.2e %.2e %.2e, conditions %.1e %.1e %.1e | %lld -> %lld, %s, %s, "
      "degree %d | %s\n",
      what, static_cast<unsigned long long>(p.problem.seed), carried[p.problem.seed % 3], p.problem.options.tolerance,
      v.error[0], v.error[1], v.error[2], v.condition[0], v.condition[1], v.condition[2],
      static_cast<long long>(v.report.sources), static_cast<long long>(v.report.targets), v.report.method.c_str(),
      v.report.precision.c_str(), v.report.degree, p.problem.label.c_str());
  std::fflush(stdout);
}

TEST(MomentMixtures, KeepThePromise) {
  const std::uint64_t first = number_from("FARFIELD_TEST_SEED", std::random_device{}());
  const std::uint64_t count = number_from("FARFIELD_TEST_PROBLEMS", 60);
  std::printf("# FARFIELD_TEST_SEED=%llu FARFIELD_TEST_PROBLEMS=%llu\n", static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(count));
  int missed = 0, warned = 0, in_vain = 0, again = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const MomentProblem p = make_moment_problem(seed);
    try {
      const Verdict v = judge(p);
      const bool vain = v.warned() && v.worst_condition() < least_warned_condition;
      missed += v.missed(p), warned += v.warned(), in_vain += vain;
      again += std::any_of(v.report.choices.begin(), v.report.choices.end(),
                           [](const Choice& c) { return c.name == "evaluated again"; });
      if (v.missed(p)) print("MISSED", p, v);
      if (vain) print("IN VAIN", p, v);
      if (!environment("FARFIELD_TEST_VERBOSE").empty()) print("", p, v);
    } catch (const Error& error) {
      ADD_FAILURE() << "seed " << seed << ", " << p.problem.label << ": " << error.what();
    }
  }
  std::printf("# %llu problems: %d missed, %d warned, %d of them at a condition below %g, %d evaluated again\n",
              static_cast<unsigned long long>(count), missed, warned, in_vain, least_warned_condition, again);
  EXPECT_EQ(missed, 0);
  EXPECT_EQ(in_vain, 0);
}

}  // namespace
}  // namespace farfield::testing

// Targets apart from the sources, shared by ranks: the bits, decisions and estimates of one plan. Targets of other
// clouds than the sources, within them, beside them and far away, few and many; ranks without sources, without targets.
#include <gtest/gtest.h>

#include "distributed/clouds.hpp"
#include "distributed/reports.hpp"
#include "distributed/shares.hpp"
#include "support/mixtures.hpp"

namespace farfield::testing {
namespace {

struct Shared {
  Cuts sources, targets;
};

/// Results at the targets of one vector of strengths.
template <class T>
Sums<T> sums_of_ranks(const Cloud& cloud, const Shared& cuts, const Options& o, Report& report) {
  const auto ranks = static_cast<int>(cuts.sources.size()) - 1;
  const std::size_t count = cloud.targets.size() / 3;
  Sums<T> sums{std::vector<T>(count), std::vector<T>(o.gradient ? 3 * count : 0)};
  rethrow_any(run_ranks(ranks, [&](distributed::Communicator& communicator) {
    const auto r = static_cast<std::size_t>(communicator.rank());
    const auto own = [&](const Cuts& c) { return static_cast<std::int64_t>(c[r + 1] - c[r]); };
    distributed::Plan plan(communicator, points(cloud.sources.data() + 3 * cuts.sources[r], own(cuts.sources)),
                           points(cloud.targets.data() + 3 * cuts.targets[r], own(cuts.targets)), o);
    EXPECT_EQ(plan.source_count(), own(cuts.sources));
    EXPECT_EQ(plan.target_count(), own(cuts.targets));
    Outputs outputs;
    outputs.scalar = scalar_of<T>;
    outputs.potential = sums.potential.data() + cuts.targets[r];
    if (o.gradient) outputs.gradient = sums.gradient.data() + 3 * cuts.targets[r];
    const distributed::Report& made =
        plan.evaluate(strengths(cloud.strengths.data() + cuts.sources[r], own(cuts.sources)), outputs);
    if (r == 0) report = made.plan;
  }));
  return sums;
}

template <class T>
Report expect_as_one_plan(const Cloud& cloud, const Options& o, const std::vector<int>& ranks,
                          Sharing of_sources = Sharing::random, Sharing of_targets = Sharing::random) {
  Plan plan(points(cloud.sources), points(cloud.targets), o);
  const Result<T> one = plan.evaluate<T>(strengths(cloud.strengths));
  for (const int p : ranks) {
    SCOPED_TRACE(std::to_string(p) + " ranks, " + cloud.label);
    const std::uint64_t seed = fresh_seed() + static_cast<std::uint64_t>(p);
    const Shared cuts{make_cuts(cloud.sources.size() / 3, p, of_sources, seed),
                      make_cuts(cloud.targets.size() / 3, p, of_targets, seed + 100)};
    Report report;
    const Sums<T> all = sums_of_ranks<T>(cloud, cuts, o, report);
    EXPECT_TRUE(all.potential == one.potential);
    EXPECT_TRUE(all.gradient == one.gradient);
    expect_same_report(report, one.report);
  }
  return one.report;
}

Options options_of(double tolerance, Precision precision, int degree = -1) {
  Options o;
  o.method = Method::fmm, o.backend = Backend::cpu;
  o.precision = precision, o.tolerance = tolerance, o.degree = degree;
  o.gradient = true, o.threads = 1;
  return o;
}

class Targets : public ::testing::TestWithParam<Named> {};

TEST_P(Targets, FindWhatOnePlanFinds) {
  const std::vector<double> x = GetParam().make(3'000);
  const Cloud within = cloud_of(x, plummer(2'500)), of_others = cloud_of(sphere(2'500), x);
  expect_as_one_plan<double>(within, options_of(1e-5, Precision::double_), {1, 4, 7});
  expect_as_one_plan<double>(of_others, options_of(1e-8, Precision::double_), {3, 9}, Sharing::some_empty);
  expect_as_one_plan<float>(of_others, options_of(1e-4, Precision::single_), {5}, Sharing::random, Sharing::some_empty);
  expect_as_one_plan<double>(within, options_of(1e-5, Precision::double_, 5), {2, 8}, Sharing::first_alone,
                             Sharing::last_alone);
}

INSTANTIATE_TEST_SUITE_P(Clouds, Targets, ::testing::ValuesIn(clouds),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(TargetsOf, FewOrNoPoints) {
  for (const std::size_t sources : {0u, 1u, 50u, 3'000u})
    for (const std::size_t targets : {0u, 1u, 40u, 2'000u}) {
      const Cloud cloud = cloud_of(uniform(sources), sphere(targets));
      expect_as_one_plan<double>(cloud, options_of(1e-4, Precision::double_), {3});
      Options automatic = options_of(1e-4, Precision::automatic);
      automatic.method = Method::automatic;
      expect_as_one_plan<double>(cloud, automatic, {2});
    }
}

/// All targets in a box without sources: a box that several ranks share holds targets alone.
TEST(TargetsOf, FarFromAllSources) {
  Cloud cloud = cloud_of(plummer(3'000), uniform(6'000));
  for (double& x : cloud.targets) x += 40;
  expect_as_one_plan<double>(cloud, options_of(1e-6, Precision::double_), {4, 9});
}

TEST(TargetsOf, RandomProblems) {
  const std::uint64_t seed = fresh_seed();
  int done = 0, repeated = 0;
  for (std::uint64_t k = 0; done < 12; ++k) {
    Problem p = make_problem(seed + k, 5e3);
    if (p.where == Where::alike) continue;
    p.options.threads = 1, p.options.backend = Backend::cpu;
    p.options.tolerance = std::max(1e-10, p.options.tolerance);
    p.options.check = k % 2 ? 20 : 0;
    SCOPED_TRACE(p.label);
    repeated += was_repeated(expect_as_one_plan<double>(p.cloud, p.options, {2 + static_cast<int>((seed + k) % 8)}));
    ++done;
  }
  std::printf("%d of %d problems were evaluated again\n", repeated, done);
}

TEST(TargetsOf, ThePlanThatMoves) {
  const Cloud here = cloud_of(uniform(3'000), sphere(2'000)), there = cloud_of(sphere(4'000), plummer(5'000));
  const Options o = options_of(1e-5, Precision::double_);
  Plan one(points(here.sources), points(here.targets), o);
  one.evaluate(here.strengths);
  one.move(points(there.sources), points(there.targets));
  const Result<double> expected = one.evaluate(there.strengths);
  one.move(points(there.sources));
  const Result<double> alike = one.evaluate(there.strengths);
  const auto all = [](const Cloud& c, int ranks) {
    return Shared{make_cuts(c.sources.size() / 3, ranks, Sharing::random, fresh_seed()),
                  make_cuts(c.targets.size() / 3, ranks, Sharing::random, fresh_seed() + 1)};
  };
  const Shared first = all(here, 3), second = all(there, 3);
  std::vector<double> potential(5'000), of_sources(4'000);
  rethrow_any(run_ranks(3, [&](distributed::Communicator& communicator) {
    const auto r = static_cast<std::size_t>(communicator.rank());
    const auto part = [&](const std::vector<double>& x, const Cuts& c) {
      return points(x.data() + 3 * c[r], static_cast<std::int64_t>(c[r + 1] - c[r]));
    };
    const auto strengths_of = [&](const Cloud& c, const Cuts& cuts) {
      return strengths(c.strengths.data() + cuts[r], static_cast<std::int64_t>(cuts[r + 1] - cuts[r]));
    };
    distributed::Plan plan(communicator, part(here.sources, first.sources), part(here.targets, first.targets), o);
    std::vector<double> unused(first.targets[r + 1] - first.targets[r]);
    Outputs outputs;
    outputs.potential = unused.data();
    plan.evaluate(strengths_of(here, first.sources), outputs);
    plan.move(part(there.sources, second.sources), part(there.targets, second.targets));
    outputs.potential = potential.data() + second.targets[r];
    plan.evaluate(strengths_of(there, second.sources), outputs);
    plan.move(part(there.sources, second.sources));
    outputs.potential = of_sources.data() + second.sources[r];
    plan.evaluate(strengths_of(there, second.sources), outputs);
  }));
  EXPECT_EQ(potential, expected.potential);
  EXPECT_EQ(of_sources, alike.potential);
}

TEST(TargetsOf, WhatRanksDisagreeOnIsNamed) {
  const std::vector<double> x = uniform(100);
  const auto thrown = run_ranks(2, [&](distributed::Communicator& communicator) {
    if (communicator.rank() == 0)
      distributed::Plan(communicator, points(x), points(x), options_of(1e-4, Precision::double_));
    else
      distributed::Plan(communicator, points(x), options_of(1e-4, Precision::double_));
  });
  for (const std::exception_ptr& one : thrown)
    EXPECT_NE(sentence_of(one).find("some ranks pass targets and others none"), std::string::npos) << sentence_of(one);
}

}  // namespace
}  // namespace farfield::testing

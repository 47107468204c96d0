// Sums to a tolerance: what one plan over the points of all ranks decides, estimates, measures, warns of and sums
// again, for any number of ranks and any shares. Seven clouds; random problems; strengths that the first degree does
// not do for.
#include <gtest/gtest.h>

#include "distributed/clouds.hpp"
#include "distributed/repeated.hpp"
#include "distributed/shares.hpp"
#include "support/measure.hpp"
#include "support/mixtures.hpp"

namespace farfield::testing {
namespace {

Options options_of(double tolerance, Precision precision) {
  Options o;
  o.method = Method::fmm, o.backend = Backend::cpu;
  o.precision = precision, o.tolerance = tolerance;
  o.gradient = true, o.threads = 1;
  return o;
}

/// Compares sums over some numbers of ranks with those of one plan, which it returns the report of.
template <class T>
Report expect_as_one_plan(const std::vector<double>& x, const std::vector<double>& q, std::int64_t vectors,
                          const Options& o, const std::vector<int>& ranks, Sharing sharing = Sharing::random) {
  Report report;
  const Sums<T> one = single_sums<T>(x, q, vectors, o, &report);
  for (const int p : ranks) {
    SCOPED_TRACE(std::to_string(p) + " ranks, tolerance " + std::to_string(o.tolerance));
    std::vector<distributed::Report> found;
    const Cuts cuts = make_cuts(x.size() / 3, p, sharing, fresh_seed() + static_cast<std::uint64_t>(p));
    EXPECT_TRUE(distributed_sums<T>(x, q, vectors, p, cuts, o, &found) == one);
    expect_same_report(found.front().plan, report);
    for (const distributed::Report& other : found) EXPECT_EQ(other.plan.estimated_error, report.estimated_error);
  }
  return report;
}

class Tolerance : public ::testing::TestWithParam<Named> {};

TEST_P(Tolerance, IsKeptAsByOnePlan) {
  const std::vector<double> x = GetParam().make(3'000), q = strengths_for(3'000, fresh_seed());
  expect_as_one_plan<double>(x, q, 1, options_of(1e-3, Precision::double_), {1, 7});
  expect_as_one_plan<double>(x, q, 1, options_of(1e-6, Precision::double_), {2, 5, 9}, Sharing::some_empty);
  expect_as_one_plan<double>(x, q, 1, options_of(1e-10, Precision::double_), {4});
  expect_as_one_plan<float>(x, q, 1, options_of(1e-4, Precision::single_), {3, 8});
}

INSTANTIATE_TEST_SUITE_P(Clouds, Tolerance, ::testing::ValuesIn(clouds),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(ToleranceOf, OneToNineRanks) {
  const std::vector<double> x = sphere(4'000), q = strengths_for(4'000, fresh_seed());
  expect_as_one_plan<double>(x, q, 1, options_of(1e-5, Precision::double_), {1, 2, 3, 4, 5, 6, 7, 8, 9});
}

/// Against sums that share nothing with the library.
TEST(ToleranceOf, SumsOverRanksIsTrue) {
  for (const Kind kind : {Kind::plummer, Kind::sphere})
    for (const double tolerance : {1e-3, 1e-6, 1e-10}) {
      const Cloud cloud = make_cloud(kind, 3'000, Signs::mixed, fresh_seed() % 1'000'000);
      const Sums<double> sums = distributed_sums<double>(cloud.sources, cloud.strengths, 1, 4,
                                                         make_cuts(3'000, 4, Sharing::random, fresh_seed()),
                                                         options_of(tolerance, Precision::double_));
      const Exact& truth = exact(cloud);
      EXPECT_LE(relative_error(sums.potential, truth.potential, truth.targets, 1), slack * tolerance) << name(kind);
      EXPECT_LE(relative_error(sums.gradient, truth.gradient, truth.targets, 3), slack * tolerance) << name(kind);
    }
}

TEST(ToleranceOf, MeasuredErrors) {
  const std::vector<double> x = clusters(5'000), q = strengths_for(5'000, fresh_seed());
  Options o = options_of(1e-5, Precision::double_);
  for (const std::int64_t samples : {30, 1'000'000}) {
    o.check = samples;
    const Report one = expect_as_one_plan<double>(x, q, 1, o, {3, 6});
    ASSERT_TRUE(one.error);
    EXPECT_LE(one.error->potential, o.tolerance);
    o.precision = Precision::single_, o.tolerance = 1e-4;
  }
}

/// Vectors of one sign, neutral pairs, one source that outweighs all, and zeros: warnings, and other needs of each.
TEST(ToleranceOf, SeveralVectors) {
  constexpr std::size_t n = 5'000;
  const std::vector<double> x = plummer(n);
  std::vector<double> q = strengths_for(4 * n, fresh_seed());
  for (std::size_t i = 0; i < n; ++i) {
    q[n + i] = 1 + std::fabs(q[i]);
    q[2 * n + i] = i == n / 3 ? 1e6 : 1e-6 * q[i];
    q[3 * n + i] = 0;
  }
  for (const Precision precision : {Precision::double_, Precision::automatic})
    expect_as_one_plan<double>(x, q, 4, options_of(1e-4, precision), {3, 5});
}

TEST(ToleranceOf, IllConditionedSumsIsWarnedOf) {
  constexpr std::size_t n = 4'000;
  std::vector<double> x = uniform(n), q(n);
  for (std::size_t i = 0; i + 1 < n; i += 2) {  // pairs that cancel but for their distance of 1e-5
    for (std::size_t d = 0; d < 3; ++d) x[3 * (i + 1) + d] = x[3 * i + d] + 1e-5;
    q[i] = 1, q[i + 1] = -1;
  }
  const Report one = expect_as_one_plan<double>(x, q, 1, options_of(1e-6, Precision::automatic), {4, 7});
  EXPECT_GT(std::max(one.condition_potential, one.condition_gradient), 1);
}

/// Problems of all kinds, those of one set of points.
TEST(ToleranceOf, RandomProblems) {
  const std::uint64_t seed = fresh_seed();
  int done = 0, repeated = 0;
  for (std::uint64_t k = 0; done < 16; ++k) {
    Problem p = make_problem(seed + k, 5e3);
    if (p.where != Where::alike) continue;
    p.options.threads = 1, p.options.backend = Backend::cpu;
    p.options.tolerance = std::max(1e-10, p.options.tolerance);
    SCOPED_TRACE(p.label + " " + p.cloud.label);
    repeated += was_repeated(expect_as_one_plan<double>(p.cloud.sources, p.cloud.strengths, 1, p.options,
                                                        {2 + static_cast<int>((seed + k) % 8)}));
    ++done;
  }
  std::printf("%d of %d problems were evaluated again\n", repeated, done);
}

/// A plan that evaluates, moves and evaluates again, its points shared by ranks or not.
struct Step {
  std::vector<double> first, second;
  Report report;
};

Step step_of_one(const Cloud& cloud, const std::vector<double>& moved, const Options& o) {
  Plan plan(points(cloud.sources), o);
  Step step;
  step.first = plan.evaluate(cloud.strengths).potential;
  plan.move(points(moved));
  const Result<double> result = plan.evaluate(cloud.strengths);
  step.second = result.potential, step.report = result.report;
  return step;
}

Step step_of_ranks(const Cloud& cloud, const std::vector<double>& moved, const Options& o, int ranks) {
  const std::size_t n = cloud.strengths.size();
  const Cuts cuts = make_cuts(n, ranks, Sharing::random, fresh_seed());
  Step step{std::vector<double>(n), std::vector<double>(n), {}};
  rethrow_any(run_ranks(ranks, [&](distributed::Communicator& communicator) {
    const auto r = static_cast<std::size_t>(communicator.rank());
    const auto count = static_cast<std::int64_t>(cuts[r + 1] - cuts[r]);
    distributed::Plan plan(communicator, points(cloud.sources.data() + 3 * cuts[r], count), o);
    const Strengths own = strengths(cloud.strengths.data() + cuts[r], count);
    std::vector<double> gradient(3 * static_cast<std::size_t>(count));
    Outputs outputs;
    outputs.potential = step.first.data() + cuts[r], outputs.gradient = gradient.data();
    plan.evaluate(own, outputs);
    plan.move(points(moved.data() + 3 * cuts[r], count));
    outputs.potential = step.second.data() + cuts[r];
    const distributed::Report& report = plan.evaluate(own, outputs);
    if (r == 0) step.report = report.plan;
  }));
  return step;
}

void expect_same_steps(const Options& o, std::int64_t count, const std::string& method) {
  const Cloud cloud = ions_that_repeat(
      count, method, [&](Cloud& one) { return Plan(points(one.sources), o).evaluate(one.strengths).report; });
  ASSERT_FALSE(cloud.sources.empty()) << "the first decision did for all clouds";
  std::vector<double> moved = cloud.sources;
  for (double& x : moved) x += 1e-5 * std::sin(1e3 * x);
  const Step one = step_of_one(cloud, moved, o);
  for (const int ranks : {3, 7}) {
    const Step all = step_of_ranks(cloud, moved, o, ranks);
    EXPECT_EQ(all.first, one.first) << ranks;
    EXPECT_EQ(all.second, one.second) << ranks;
    expect_same_report(all.report, one.report);
  }
}

TEST(ToleranceOf, SumsThatNeedAHigherDegree) { expect_same_steps(options_of(1e-3, Precision::double_), 16'000, "fmm"); }

TEST(ToleranceOf, SumsThatNeedAllPairs) {
  Options o = options_of(1e-3, Precision::single_);
  o.leaf_size = 10;
  expect_same_steps(o, 800, "direct");
}

TEST(ToleranceOf, LatticesWhosePlanesAreFound) {
  std::vector<double> x;
  for (int i = 0; i < 4'096; ++i)
    for (const int d : {1, 16, 256}) x.push_back(i / d % 16);
  const Report one = expect_as_one_plan<double>(x, strengths_for(4'096, fresh_seed()), 1,
                                                options_of(1e-6, Precision::double_), {3, 8});
  EXPECT_TRUE(std::any_of(one.choices.begin(), one.choices.end(),
                          [](const Choice& c) { return c.reason.find("points in planes") != std::string::npos; }));
}

}  // namespace
}  // namespace farfield::testing

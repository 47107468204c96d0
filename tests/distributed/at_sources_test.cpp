// Results at targets apart from the sources and at the sources in one call, shared by ranks: the bits, decisions and
// estimates of one plan, in the given order and in the owned one.
#include "distributed/repeated.hpp"
#include "distributed/shares.hpp"
#include "support/mixtures.hpp"

namespace farfield::testing {
namespace {

using distributed::Order;
using distributed::Set;

Options options_of(int degree, double tolerance = 1e-5) {
  Options o = fmm_of_degree(degree, tolerance);
  o.at_sources = true;
  return o;
}

struct Found {
  std::vector<double> potential, gradient, source_potential, source_gradient;
  Report report;
  bool operator==(const Found& other) const {
    return potential == other.potential && gradient == other.gradient && source_potential == other.source_potential &&
           source_gradient == other.source_gradient;
  }
};

Found found_by_one(const Cloud& cloud, const Options& o) {
  const Result<double> r = Plan(points(cloud.sources), points(cloud.targets), o).evaluate(cloud.strengths);
  return {r.potential, r.gradient, r.source_potential, r.source_gradient, r.report};
}

/// One rank's part of an array of all points.
std::vector<double> part_of(const std::vector<double>& all, const Cuts& cuts, std::size_t rank, std::size_t width) {
  return {all.begin() + static_cast<std::ptrdiff_t>(width * cuts[rank]),
          all.begin() + static_cast<std::ptrdiff_t>(width * cuts[rank + 1])};
}
void put(const std::vector<double>& part, const Cuts& cuts, std::size_t rank, std::size_t width,
         std::vector<double>& all) {
  std::copy(part.begin(), part.end(), all.begin() + static_cast<std::ptrdiff_t>(width * cuts[rank]));
}

Found found_by_ranks(const Cloud& cloud, const Options& o, int ranks, Order order) {
  const std::size_t n = cloud.sources.size() / 3, m = cloud.targets.size() / 3;
  const std::uint64_t seed = fresh_seed() + static_cast<std::uint64_t>(ranks);
  const Cuts of_sources = make_cuts(n, ranks, Sharing::random, seed),
             of_targets = make_cuts(m, ranks, Sharing::some_empty, seed);
  Found all{std::vector<double>(m), std::vector<double>(3 * m), std::vector<double>(n), std::vector<double>(3 * n), {}};
  rethrow_any(run_ranks(ranks, [&](distributed::Communicator& communicator) {
    const auto r = static_cast<std::size_t>(communicator.rank());
    const std::vector<double> x = part_of(cloud.sources, of_sources, r, 3),
                              y = part_of(cloud.targets, of_targets, r, 3);
    std::vector<double> q = part_of(cloud.strengths, of_sources, r, 1);
    distributed::Plan plan(communicator, points(x), points(y), o);
    if (order == Order::owned) q = plan.to_owned(q);
    const std::size_t targets =
        order == Order::owned ? static_cast<std::size_t>(plan.owned_count(Set::targets)) : y.size() / 3;
    std::vector<double> u(targets), g(3 * targets), v(q.size()), h(3 * q.size());
    Outputs outputs;
    outputs.potential = u.data(), outputs.gradient = g.data();
    outputs.source_potential = v.data(), outputs.source_gradient = h.data();
    const distributed::Report& report = plan.evaluate(strengths(q), outputs, order);
    if (r == 0) all.report = report.plan;
    if (order == Order::owned) {
      u = plan.to_given(u, 1, Set::targets), g = plan.to_given(g, 3, Set::targets);
      v = plan.to_given(v), h = plan.to_given(h, 3);
    }
    put(u, of_targets, r, 1, all.potential), put(g, of_targets, r, 3, all.gradient);
    put(v, of_sources, r, 1, all.source_potential), put(h, of_sources, r, 3, all.source_gradient);
  }));
  return all;
}

void expect_as_one_plan(const Cloud& cloud, const Options& o, const std::vector<int>& ranks) {
  const Found one = found_by_one(cloud, o);
  for (const int p : ranks)
    for (const Order order : {Order::given, Order::owned}) {
      SCOPED_TRACE(std::to_string(p) + " ranks, " + (order == Order::owned ? "owned order" : "given order"));
      const Found all = found_by_ranks(cloud, o, p, order);
      EXPECT_TRUE(all == one);
      expect_same_report(all.report, one.report);
    }
}

class AtSources : public ::testing::TestWithParam<Named> {};

TEST_P(AtSources, FindsWhatOnePlanFinds) {
  const std::vector<double> x = GetParam().make(2'500);
  expect_as_one_plan(cloud_of(x, plummer(2'000)), options_of(5), {1, 4, 9});
  expect_as_one_plan(cloud_of(sphere(2'000), x), options_of(-1), {3, 6});
  expect_as_one_plan(cloud_of(x, x), options_of(-1, 1e-3), {5});
}

INSTANTIATE_TEST_SUITE_P(Clouds, AtSources, ::testing::ValuesIn(clouds),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(AtSourcesOf, FewOrNoPointsAndAllPairs) {
  for (const std::size_t sources : {0u, 1u, 50u, 2'000u})
    for (const std::size_t targets : {0u, 1u, 40u, 1'500u}) {
      const Cloud cloud = cloud_of(uniform(sources), sphere(targets));
      expect_as_one_plan(cloud, options_of(-1, 1e-4), {3});
      Options automatic = options_of(-1, 1e-4);
      automatic.method = Method::automatic;
      expect_as_one_plan(cloud, automatic, {2, 7});
      automatic.method = Method::direct, automatic.check = 20;
      expect_as_one_plan(cloud, automatic, {4});
    }
}

/// Among them sums that are repeated, with a higher degree or by all pairs.
TEST(AtSourcesOf, RandomProblems) {
  const std::uint64_t seed = fresh_seed();
  int done = 0, repeated = 0;
  for (std::uint64_t k = 0; done < 12; ++k) {
    Problem p = make_problem(seed + k, 4e3);
    if (p.where == Where::alike) continue;
    p.options.threads = 1, p.options.backend = Backend::cpu, p.options.gradient = true, p.options.at_sources = true;
    p.options.tolerance = std::max(1e-10, p.options.tolerance);
    p.options.check = k % 2 ? 20 : 0;
    SCOPED_TRACE(p.label);
    const Found one = found_by_one(p.cloud, p.options);
    repeated += was_repeated(one.report);
    expect_as_one_plan(p.cloud, p.options, {2 + static_cast<int>((seed + k) % 8)});
    ++done;
  }
  std::printf("%d of %d problems were evaluated again\n", repeated, done);
}

/// Targets among the sources, so that their sums are as hard; each set has half of the tolerance.
void expect_repeated_as_by_one_plan(const Options& o, std::int64_t count, const std::string& method) {
  const Cloud cloud = ions_that_repeat(count, method, [&](Cloud& one) {
    one.targets.assign(one.sources.begin(), one.sources.begin() + 3 * 40);
    return found_by_one(one, o).report;
  });
  ASSERT_FALSE(cloud.sources.empty()) << "the first decision did for all clouds";
  expect_as_one_plan(cloud, o, {3, 7});
}

TEST(AtSourcesOf, SumsThatNeedAHigherDegree) { expect_repeated_as_by_one_plan(options_of(-1, 2e-3), 16'000, "fmm"); }

TEST(AtSourcesOf, SumsThatNeedAllPairs) {
  Options o = options_of(-1, 2e-3);
  o.precision = Precision::single_, o.leaf_size = 10;
  expect_repeated_as_by_one_plan(o, 800, "direct");
}

/// The same plan with targets apart, then with the sources alone, whose results either array may take.
TEST(AtSourcesOf, ThePlanThatMoves) {
  const Cloud cloud = cloud_of(uniform(2'000), plummer(1'000));
  Options o = options_of(5);
  const std::vector<double> one = Plan(points(cloud.sources), o).evaluate(cloud.strengths).potential;
  const Cuts cuts = make_cuts(2'000, 4, Sharing::random, fresh_seed());
  std::vector<double> found(2'000);
  rethrow_any(run_ranks(4, [&](distributed::Communicator& communicator) {
    const auto r = static_cast<std::size_t>(communicator.rank());
    const std::vector<double> x = part_of(cloud.sources, cuts, r, 3), q = part_of(cloud.strengths, cuts, r, 1);
    distributed::Plan plan(communicator, points(x), points(r == 1 ? cloud.targets : std::vector<double>()), o);
    std::vector<double> u(q.size());
    Outputs outputs;
    outputs.source_potential = u.data();
    plan.evaluate(strengths(q), outputs);
    plan.move(points(x));
    plan.evaluate(strengths(q), outputs);
    put(u, cuts, r, 1, found);
  }));
  EXPECT_EQ(found, one);
}

TEST(AtSourcesOf, ArraysThatThePlanHasNothingForAreRefused) {
  const std::vector<double> x = uniform(100), q(100, 1.0);
  std::vector<double> u(100);
  const auto sentence = [&](const Options& o, bool apart, bool both) {
    const auto thrown = run_ranks(2, [&](distributed::Communicator& communicator) {
      distributed::Plan plan(communicator, points(x), o);
      if (apart) plan.move(points(x), points(x));
      Outputs outputs;
      outputs.source_potential = u.data();
      if (both) outputs.potential = u.data();
      plan.evaluate(strengths(q), outputs);
    });
    EXPECT_EQ(sentence_of(thrown[0]), sentence_of(thrown[1]));
    return sentence_of(thrown[0]);
  };
  Options without = options_of(3);
  without.at_sources = false;
  EXPECT_NE(sentence(without, true, false).find("need options.at_sources when targets are apart"), std::string::npos);
  EXPECT_NE(sentence(options_of(3), false, true).find("which are the same points"), std::string::npos);
}

}  // namespace
}  // namespace farfield::testing

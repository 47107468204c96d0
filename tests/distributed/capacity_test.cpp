// Ranks of different speeds, that take different numbers of points: the bits of one plan, and who owns how much.
#include <gtest/gtest.h>

#include <farfield/error.hpp>

#include "distributed/clouds.hpp"
#include "distributed/repeated.hpp"
#include "distributed/steps.hpp"

namespace farfield::testing {
namespace {

using distributed::Capacity;

double waves(double x, int step) { return x + 1e-3 * std::sin(50 * x + step); }

/// Room for twice all points and more, and for the third of them that one cloud has at one place; one rank without any.
std::vector<Capacity> random_capacities(int ranks, std::int64_t points, std::uint64_t seed) {
  Stream random(seed);
  std::vector<Capacity> capacities(static_cast<std::size_t>(ranks));
  const double room = static_cast<double>(points) * std::max(0.7, 3.0 / ranks);
  for (Capacity& one : capacities)
    one.speed = random.between(0.5, 2), one.most_points = static_cast<std::int64_t>(room * random.between(0.6, 1.2));
  if (ranks > 3) capacities[1].most_points = 0;
  return capacities;
}

class Capacities : public ::testing::TestWithParam<Named> {};

TEST_P(Capacities, AreKeptWithTheBitsOfOnePlan) {
  const std::vector<double> x = GetParam().make(3'000), q = strengths_for(3'000, fresh_seed());
  for (const int p : {1, 2, 3, 6, 9}) {
    SCOPED_TRACE(std::to_string(p) + " ranks");
    const std::vector<Capacity> capacities = random_capacities(p, 3'000, fresh_seed() + static_cast<std::uint64_t>(p));
    const Cuts cuts = make_cuts(3'000, p, Sharing::random, fresh_seed() + 7);
    const Steps steps = steps_of_ranks(x, q, 1, cuts, fmm_of_degree(4), 3, waves, capacities);
    expect_as_one_plan(steps, 1, fmm_of_degree(4));
    for (std::size_t k = 0; k < steps.size(); ++k)
      for (std::size_t r = 0; r < steps[k].size(); ++r)
        EXPECT_LE(std::ssize(steps[k][r].origins), capacity_in(capacities, r, static_cast<int>(k)).most_points);
  }
}

INSTANTIATE_TEST_SUITE_P(Clouds, Capacities, ::testing::ValuesIn(clouds),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Capacity, SharesPointsOutBySpeed) {
  const std::vector<Capacity> capacities{{1}, {3}, {2}};
  const std::vector<double> x = uniform(30'000), q = strengths_for(30'000, fresh_seed());
  const Steps steps =
      steps_of_ranks(x, q, 1, make_cuts(30'000, 3, Sharing::even, 1), fmm_of_degree(2), 2, waves, capacities);
  for (std::size_t k = 0; k < steps.size(); ++k)
    for (std::size_t r = 0; r < 3; ++r) {
      const double wanted = 5'000 * capacity_in(capacities, r, static_cast<int>(k)).speed;
      EXPECT_NEAR(static_cast<double>(steps[k][r].origins.size()), wanted, 0.1 * wanted)
          << "step " << k << ", rank " << r;
    }
}

/// Sources and targets count together.
TEST(Capacity, CountsTargetsToo) {
  const std::vector<double> x = uniform(2'000), y = sphere(3'000);
  rethrow_any(run_ranks(3, [&](distributed::Communicator& communicator) {
    const bool first = communicator.rank() == 0;
    const distributed::Plan plan(communicator, points(x.data(), first ? 2'000 : 0), points(y.data(), first ? 3'000 : 0),
                                 fmm_of_degree(3), Capacity{1, first ? 700 : 3'000});
    EXPECT_LE(plan.owned_count() + plan.owned_count(distributed::Set::targets), first ? 700 : 3'000);
  }));
}

/// What every rank gets to hear where each passes a tenth of the points and has a capacity.
std::string sentence(const std::vector<double>& x, const std::function<Capacity(int)>& of_rank) {
  const auto thrown = run_ranks(3, [&](distributed::Communicator& communicator) {
    distributed::Plan(communicator, points(x.data() + 3 * communicator.rank(), 300), fmm_of_degree(3),
                      of_rank(communicator.rank()));
  });
  for (const std::exception_ptr& one : thrown) EXPECT_EQ(sentence_of(one), sentence_of(thrown[0]));
  return sentence_of(thrown[0]);
}

TEST(Capacity, RefusesWhatDoesNotFit) {
  const std::vector<double> x = uniform(1'000), heap(3'000, 0.5);
  EXPECT_EQ(sentence(x,
                     [](int) {
                       return Capacity{1, 299};
                     }),
            "rank 0: all ranks together take 897 points, but there are 900; raise most_points, or use more ranks");
  EXPECT_EQ(
      sentence(heap,
               [](int) {
                 return Capacity{1, 300};
               }),
      "rank 0: boxes of up to 900 points are not divided, which is too much for most_points of the ranks; raise it");
  EXPECT_EQ(sentence(x, [](int rank) { return Capacity{rank == 1 ? 0.0 : 1.0}; }),
            "rank 1: a speed of 0.000000; give a positive number, in any unit that all ranks use");
  EXPECT_EQ(sentence(x,
                     [](int rank) {
                       return Capacity{1, rank == 2 ? -1 : 900};
                     }),
            "rank 2: most_points is -1; give 0 or more");
  EXPECT_EQ(sentence(x, [](int) { return Capacity{0.1, 400}; }), "");
}

}  // namespace
}  // namespace farfield::testing

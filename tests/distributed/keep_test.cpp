// Keep-order: ranks that pass strengths and get results where their points are owned, and send migrants alone when
// these move. The bits of one plan over what the ranks passed, in every step; what travels, counted.
#include <cmath>

#include "distributed/clouds.hpp"
#include "distributed/counting.hpp"
#include "distributed/repeated.hpp"
#include "distributed/steps.hpp"

namespace farfield::testing {
namespace {

using distributed::Order;
using distributed::Set;

double waves(double x, int step) { return x + 1e-3 * std::sin(50 * x + step); }
double nowhere(double x, int) { return x; }

void expect_kept(const std::vector<double>& x, const Options& o, const std::vector<int>& ranks, Sharing sharing,
                 std::size_t vectors = 1, int steps = 3) {
  const std::size_t n = x.size() / 3;
  const std::vector<double> q = strengths_for(n * vectors, fresh_seed());
  for (const int p : ranks) {
    SCOPED_TRACE(std::to_string(p) + " ranks");
    const Cuts cuts = make_cuts(n, p, sharing, fresh_seed() + static_cast<std::uint64_t>(p));
    expect_as_one_plan(steps_of_ranks(x, q, vectors, cuts, o, steps, waves), vectors, o);
  }
}

class Keep : public ::testing::TestWithParam<Named> {};

TEST_P(Keep, HasTheBitsOfOnePlan) {
  expect_kept(GetParam().make(2'500), fmm_of_degree(5), {1, 2, 3, 4, 5, 6, 7, 8, 9}, Sharing::random, 1, 2);
  Options single = fmm_of_degree(4);
  single.precision = Precision::single_;
  expect_kept(GetParam().make(4'000), single, {3, 8}, Sharing::some_empty, 3);
}
TEST_P(Keep, ToATolerance) { expect_kept(GetParam().make(3'000), fmm_of_degree(-1), {2, 7}, Sharing::random, 1, 3); }
TEST_P(Keep, WhereOneRankPassedAll) {
  expect_kept(GetParam().make(3'000), fmm_of_degree(4), {5}, Sharing::first_alone);
  expect_kept(GetParam().make(3'000), fmm_of_degree(4), {6}, Sharing::last_alone);
}

INSTANTIATE_TEST_SUITE_P(Clouds, Keep, ::testing::ValuesIn(clouds),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(KeepOf, FewPointsAndAllPairs) {
  for (const std::size_t n : {0u, 1u, 2u, 5u, 60u}) {
    expect_kept(uniform(n), fmm_of_degree(3), {1, 4, 9}, Sharing::random);
    Options automatic = fmm_of_degree(-1);
    automatic.method = Method::automatic;
    expect_kept(uniform(n), automatic, {1, 3, 9}, Sharing::random, 2);
  }
}

/// Sums that the first decision does not do for: what they need is found, and kept over moves, as by one plan.
void expect_needs_kept(const Options& o, std::int64_t count, const std::string& method) {
  const Cloud cloud = ions_that_repeat(
      count, method, [&](Cloud& one) { return Plan(points(one.sources), o).evaluate(one.strengths).report; });
  ASSERT_FALSE(cloud.sources.empty()) << "the first decision did for all clouds";
  const auto drift = [](double x, int step) { return x + 1e-5 * std::sin(1e3 * x + step); };
  const Cuts cuts = make_cuts(cloud.strengths.size(), 5, Sharing::random, fresh_seed());
  expect_as_one_plan(steps_of_ranks(cloud.sources, cloud.strengths, 1, cuts, o, 3, drift), 1, o);
}

TEST(KeepOf, SumsThatNeedAHigherDegree) { expect_needs_kept(fmm_of_degree(-1, 1e-3), 16'000, "fmm"); }

TEST(KeepOf, SumsThatNeedAllPairs) {
  Options o = fmm_of_degree(-1, 1e-3);
  o.precision = Precision::single_, o.leaf_size = 10;
  expect_needs_kept(o, 800, "direct");
}

/// Without motion the borders stay where they are and nobody sends a point, whatever a share of equal counts would be.
TEST(KeepOf, PointsThatRestStay) {
  for (const Named& cloud : clouds) {
    const std::vector<double> x = cloud.make(5'000), q = strengths_for(5'000, fresh_seed());
    const Steps steps =
        steps_of_ranks(x, q, 1, make_cuts(5'000, 6, Sharing::random, fresh_seed()), fmm_of_degree(3), 3, nowhere);
    for (std::size_t k = 1; k < steps.size(); ++k)
      for (const RankStep& rank : steps[k])
        for (const distributed::RankReport& one : rank.report.ranks) EXPECT_EQ(one.migrants, 0) << cloud.name;
  }
}

/// Few points change places, each with one of another rank: these alone are sent.
TEST(KeepOf, MigrantsAlone) {
  constexpr std::size_t n = 20'000;
  constexpr int ranks = 4;
  const std::vector<double> x = uniform(n), q = strengths_for(n, fresh_seed());
  const Cuts cuts = make_cuts(n, ranks, Sharing::random, fresh_seed());
  std::vector<std::int64_t> migrants(ranks), carried(ranks), at_rest(ranks), moved(ranks), at_first(ranks);
  rethrow_any(run_ranks(ranks, [&](distributed::Communicator& loopback) {
    const auto r = static_cast<std::size_t>(loopback.rank());
    Counting communicator(loopback);
    std::vector<double> own(x.begin() + static_cast<std::ptrdiff_t>(3 * cuts[r]),
                            x.begin() + static_cast<std::ptrdiff_t>(3 * cuts[r + 1]));
    distributed::Plan plan(communicator, points(own), fmm_of_degree(4));
    at_first[r] = communicator.take();
    own = plan.to_owned(own, 3);
    plan.move(points(own), Order::owned);
    communicator.take();
    plan.move(points(own), Order::owned);
    at_rest[r] = communicator.take();
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t d = 0; d < 3; ++d) own[3 * i + d] = 1 - own[3 * i + d];  // to the far side of the cube
    communicator.take();
    plan.move(points(own), Order::owned);
    moved[r] = communicator.take();
    const std::vector<double> before = own;
    own = plan.to_owned(own, 3);
    carried[r] = communicator.take();
    std::vector<double> q_own(own.size() / 3, 1.0), u(q_own.size());
    Outputs outputs;
    outputs.potential = u.data();
    migrants[r] = plan.evaluate(strengths(q_own), outputs, Order::owned).ranks[r].migrants;
  }));
  for (std::size_t r = 0; r < ranks; ++r) {
    EXPECT_LE(migrants[r], 5) << r;
    EXPECT_EQ(carried[r], 24 * migrants[r]) << r;
    EXPECT_LT(std::abs(moved[r] - at_rest[r]), 100 * 24) << "the five, and what they change of boxes and ghosts";
    std::printf("rank %zu: %lld bytes at first, %lld at rest, %lld with %lld migrants\n", r,
                static_cast<long long>(at_first[r]), static_cast<long long>(at_rest[r]),
                static_cast<long long>(moved[r]), static_cast<long long>(migrants[r]));
  }
  EXPECT_GT(migrants[0] + migrants[1] + migrants[2] + migrants[3], 0);
}

/// An evaluation in the owned order sends what one in the given order does, but for the strengths and results of points
/// that others own.
TEST(KeepOf, OnlyGhostsTravel) {
  constexpr std::size_t n = 12'000;
  constexpr int ranks = 5;
  const std::vector<double> x = plummer(n);
  const Cuts cuts = make_cuts(n, ranks, Sharing::random, fresh_seed());
  std::vector<std::int64_t> given(ranks), owned(ranks), travellers(ranks);
  rethrow_any(run_ranks(ranks, [&](distributed::Communicator& loopback) {
    const auto r = static_cast<std::size_t>(loopback.rank());
    const auto count = static_cast<std::int64_t>(cuts[r + 1] - cuts[r]);
    Counting communicator(loopback);
    distributed::Plan plan(communicator, points(x.data() + 3 * cuts[r], count), fmm_of_degree(4));
    const auto most = static_cast<std::size_t>(std::max(count, plan.owned_count()));
    const std::vector<double> q(most, 1.0);
    std::vector<double> potential(most), gradient(3 * most);
    Outputs outputs;
    outputs.potential = potential.data(), outputs.gradient = gradient.data();
    communicator.take();
    travellers[r] = plan.evaluate(strengths(q.data(), count), outputs).ranks[r].migrants;
    given[r] = communicator.take();
    plan.evaluate(strengths(q.data(), plan.owned_count()), outputs, Order::owned);
    owned[r] = communicator.take();
  }));
  const auto sum = [](const std::vector<std::int64_t>& all) {
    std::int64_t of_all = 0;
    for (const std::int64_t one : all) of_all += one;
    return of_all;
  };
  EXPECT_GT(sum(travellers), 0);
  EXPECT_EQ(sum(given), sum(owned) + sum(travellers) * 8 * (1 + 4));
}

/// Borders move as little as balance asks for: a cloud that contracts slowly sends few points a step, and no rank owns
/// a tenth more or less than its share.
TEST(KeepOf, SharesStayBalanced) {
  constexpr std::size_t n = 12'000;
  constexpr int ranks = 5;
  std::vector<double> x = uniform(n);
  for (std::size_t d = 0; d < 6; ++d) x[d] = d < 3 ? 0 : 1;  // so that the cube of all boxes stays
  const auto contract = [](double one, int) { return one + 0.02 * one * (1 - one) * (0.3 - one); };
  const Steps steps =
      steps_of_ranks(x, strengths_for(n, fresh_seed()), 1, make_cuts(n, ranks, Sharing::random, fresh_seed()),
                     fmm_of_degree(4), 25, contract);
  std::int64_t most = 0;
  for (std::size_t k = 1; k < steps.size(); ++k) {
    std::int64_t migrants = 0;
    for (const distributed::RankReport& rank : steps[k][0].report.ranks) {
      EXPECT_NEAR(static_cast<double>(rank.owned), n / ranks, 0.1 * n / ranks) << "step " << k;
      migrants += rank.migrants;
    }
    most = std::max(most, migrants);
  }
  std::printf("at most %lld of %zu points change ranks in a step\n", static_cast<long long>(most), n);
  EXPECT_LT(most, static_cast<std::int64_t>(n / 10));
  expect_as_one_plan({steps.back()}, 1, fmm_of_degree(4));
}

/// Targets apart from the sources: both are carried, by orders of their own.
TEST(KeepOf, TargetsApart) {
  const std::vector<double> x = plummer(4'000), y = sphere(3'000), q = strengths_for(4'000, fresh_seed());
  const Options o = fmm_of_degree(-1);
  const std::vector<double> one = Plan(points(x), points(y), o).evaluate(q).potential;
  for (const int p : {1, 3, 8}) {
    const Cuts of_x = make_cuts(4'000, p, Sharing::random, fresh_seed()),
               of_y = make_cuts(3'000, p, Sharing::some_empty, fresh_seed());
    std::vector<double> found(3'000);
    rethrow_any(run_ranks(p, [&](distributed::Communicator& communicator) {
      const auto r = static_cast<std::size_t>(communicator.rank());
      const auto part = [&](const std::vector<double>& all, const Cuts& cuts, std::size_t width) {
        return std::vector<double>(all.begin() + static_cast<std::ptrdiff_t>(width * cuts[r]),
                                   all.begin() + static_cast<std::ptrdiff_t>(width * cuts[r + 1]));
      };
      std::vector<double> sources = part(x, of_x, 3), targets = part(y, of_y, 3), own_q = part(q, of_x, 1);
      distributed::Plan plan(communicator, points(sources), points(targets), o);
      for (int step = 0; step < 2; ++step) {
        const std::vector<double> given = targets;
        sources = plan.to_owned(sources, 3), own_q = plan.to_owned(own_q);
        targets = plan.to_owned(targets, 3, Set::targets);
        ASSERT_EQ(3 * plan.owned_count(Set::targets), std::ssize(targets));
        EXPECT_EQ(plan.to_given(targets, 3, Set::targets), given);
        std::vector<double> potential(targets.size() / 3);
        Outputs outputs;
        outputs.potential = potential.data();
        plan.evaluate(strengths(own_q), outputs, Order::owned);
        if (step == 0) {
          const std::vector<double> back = plan.to_given(potential, 1, Set::targets);
          std::copy(back.begin(), back.end(), found.begin() + static_cast<std::ptrdiff_t>(of_y[r]));
        }
        plan.move(points(sources), points(targets), Order::owned);
      }
    }));
    EXPECT_EQ(found, one) << p << " ranks";
  }
}

std::vector<std::exception_ptr> thrown_by(const std::function<void(distributed::Plan&, int rank)>& call) {
  return run_ranks(3, [&](distributed::Communicator& communicator) {
    const std::vector<double> x = uniform(300);
    distributed::Plan plan(communicator, points(x), fmm_of_degree(3));
    call(plan, communicator.rank());
  });
}

void expect_sentence(const std::vector<std::exception_ptr>& thrown, const std::string& part) {
  for (const std::exception_ptr& one : thrown)
    EXPECT_NE(sentence_of(one).find(part), std::string::npos) << sentence_of(one);
}

TEST(KeepErrors, AreTheSameOnAllRanks) {
  const auto evaluate = [](distributed::Plan& plan, std::int64_t count, Order order) {
    const std::vector<double> q(1'000, 1.0);
    std::vector<double> u(1'000);
    Outputs outputs;
    outputs.potential = u.data();
    plan.evaluate(strengths(q.data(), count), outputs, order);
  };
  expect_sentence(thrown_by([&](distributed::Plan& plan, int rank) {
                    evaluate(plan, plan.owned_count() + (rank == 1), Order::owned);
                  }),
                  "pass one for each, as to_owned returns them");
  expect_sentence(thrown_by([&](distributed::Plan& plan, int rank) {
                    evaluate(plan, 300, rank == 2 ? Order::owned : Order::given);
                  }),
                  "ranks pass arrays in different orders");
  expect_sentence(thrown_by([](distributed::Plan& plan, int rank) {
                    const std::vector<double> x = uniform(300);
                    plan.move(points(x), rank == 0 ? Order::owned : Order::given);
                  }),
                  "ranks pass arrays in different orders");
  expect_sentence(
      thrown_by([](distributed::Plan& plan, int rank) { plan.to_owned(std::vector<double>(rank == 1 ? 299 : 300)); }),
      "rank 1: 2392 bytes were passed for 300 rows of 8; pass a row for each point that this rank was given");
  expect_sentence(thrown_by([](distributed::Plan& plan, int rank) {
                    plan.to_given(std::vector<double>(static_cast<std::size_t>(plan.owned_count() + (rank == 2))));
                  }),
                  "pass a row for each point that this rank owns");
  expect_sentence(thrown_by([](distributed::Plan& plan, int rank) {
                    const std::size_t width = rank == 0 ? 2 : 1;
                    plan.to_owned(std::vector<double>(300 * width), width);
                  }),
                  "rows have other sizes on some ranks");
  expect_sentence(thrown_by([](distributed::Plan& plan, int) { plan.to_owned(std::vector<double>(), 0); }),
                  "rows of 0 bytes cannot be carried");
  expect_sentence(
      thrown_by([](distributed::Plan& plan, int rank) { plan.origins(rank == 0 ? Set::targets : Set::sources); }),
      "some ranks name the sources and others the targets");
  expect_sentence(thrown_by([](distributed::Plan& plan, int rank) {
                    const std::vector<double> given(300), owned(static_cast<std::size_t>(plan.owned_count()));
                    rank == 0 ? plan.to_owned(given) : plan.to_given(owned);
                  }),
                  "ranks pass arrays in different orders");
}

TEST(KeepErrors, LeaveThePlanAsItWas) {
  rethrow_any(run_ranks(3, [](distributed::Communicator& communicator) {
    std::vector<double> x = uniform(300);
    distributed::Plan plan(communicator, points(x), fmm_of_degree(3));
    x = plan.to_owned(x, 3);
    const std::vector<double> q(x.size() / 3, 1.0);
    std::vector<double> u(q.size());
    Outputs outputs;
    outputs.potential = u.data();
    plan.evaluate(strengths(q), outputs, Order::owned);
    const std::vector<double> before = u;
    if (communicator.rank() == 2) x[4] = NAN;
    EXPECT_THROW(plan.move(points(x), Order::owned), Error);
    plan.evaluate(strengths(q), outputs, Order::owned);
    EXPECT_EQ(u, before);
  }));
}

}  // namespace
}  // namespace farfield::testing

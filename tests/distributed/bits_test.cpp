// The same bits as those of one plan over the points of all ranks, for any number of ranks and any shares.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "distributed/clouds.hpp"
#include "distributed/shares.hpp"

namespace farfield::testing {
namespace {

Options options_of(Precision precision, int degree) {
  Options o;
  o.method = Method::fmm;
  o.backend = Backend::cpu;
  o.precision = precision;
  o.degree = degree;
  o.gradient = true;
  o.threads = 1;
  return o;
}

template <class T>
void expect_same(const std::vector<double>& x, std::int64_t vectors, const Options& o, const std::vector<int>& ranks,
                 Sharing sharing) {
  const std::size_t n = x.size() / 3;
  const std::vector<double> q = strengths_for(n * static_cast<std::size_t>(vectors), fresh_seed());
  const Sums<T> one = single_sums<T>(x, q, vectors, o);
  for (const int p : ranks) {
    const Sums<T> all = distributed_sums<T>(x, q, vectors, p,
                                            make_cuts(n, p, sharing, fresh_seed() + static_cast<std::uint64_t>(p)), o);
    std::size_t differing = 0;
    for (std::size_t i = 0; i < one.potential.size(); ++i) differing += all.potential[i] != one.potential[i];
    EXPECT_EQ(differing, 0u) << p << " ranks: potentials that differ, of " << one.potential.size();
    EXPECT_TRUE(all == one) << p << " ranks";
  }
}

const std::vector<int> one_to_nine{1, 2, 3, 4, 5, 6, 7, 8, 9};

class Bits : public ::testing::TestWithParam<Named> {};

TEST_P(Bits, InDouble) {
  expect_same<double>(GetParam().make(12'000), 1, options_of(Precision::double_, 7), one_to_nine, Sharing::random);
}
TEST_P(Bits, InSingle) {
  expect_same<float>(GetParam().make(12'000), 1, options_of(Precision::single_, 4), one_to_nine, Sharing::random);
}
TEST_P(Bits, OfSeveralVectors) {
  expect_same<double>(GetParam().make(6'000), 4, options_of(Precision::double_, 6), {2, 5, 9}, Sharing::some_empty);
  expect_same<double>(GetParam().make(6'000), 3, options_of(Precision::single_, 5), {3, 8}, Sharing::random);
}
TEST_P(Bits, WhenOneRankPassesAll) {
  expect_same<double>(GetParam().make(6'000), 1, options_of(Precision::double_, 5), {4}, Sharing::first_alone);
  expect_same<double>(GetParam().make(6'000), 1, options_of(Precision::double_, 5), {7}, Sharing::last_alone);
}
TEST_P(Bits, InSmallLeaves) {
  Options o = options_of(Precision::double_, 3);
  o.leaf_size = 5;
  expect_same<double>(GetParam().make(10'000), 1, o, {2, 6, 9}, Sharing::random);
}

INSTANTIATE_TEST_SUITE_P(Clouds, Bits, ::testing::ValuesIn(clouds),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(BitsOf, UniformTreesReducedStencilsAndBothSchemes) {
  for (const M2l m2l : {M2l::dense, M2l::rotation})
    for (const Stencil stencil : {Stencil::full, Stencil::reduced}) {
      Options o = options_of(Precision::double_, 6);
      o.m2l = m2l, o.stencil = stencil;
      expect_same<double>(plummer(5'000), 1, o, {3, 8}, Sharing::random);
      o.depth = 3;
      expect_same<double>(uniform(5'000), 1, o, {2, 7}, Sharing::random);
    }
}

TEST(BitsOf, FewPoints) {
  for (const std::size_t n : {0u, 1u, 2u, 3u, 5u, 40u}) {
    Options o = options_of(Precision::double_, 4);
    expect_same<double>(uniform(n), 1, o, {1, 2, 5, 9}, Sharing::random);
    o.leaf_size = 1;
    expect_same<double>(uniform(n), 1, o, {4, 9}, Sharing::random);
    Options automatic;  // all pairs, to the tolerance
    automatic.backend = Backend::cpu, automatic.gradient = true, automatic.threads = 1;
    expect_same<double>(uniform(n), 2, automatic, {1, 3, 9}, Sharing::random);
  }
}

TEST(BitsOf, PointsThatAllCoincide) {
  expect_same<double>(std::vector<double>(3 * 2'000, 0.25), 1, options_of(Precision::double_, 4), {1, 2, 9},
                      Sharing::random);
}

/// Heaps of coincident points are too near for the short way of pair sums. How many of them the vectors of a leaf's
/// targets meet, with those that reach beyond its end, decides how other pairs are summed.
TEST(BitsOf, HeapsOnBothSidesOfABorder) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const std::vector<double> places = make_cloud(Kind::uniform, 300, Signs::mixed, seed).sources;
    std::vector<double> x = make_cloud(Kind::uniform, 3'000, Signs::mixed, seed + 10).sources;
    for (int copy = 0; copy < 30; ++copy) x.insert(x.end(), places.begin(), places.end());
    for (const Precision precision : {Precision::single_, Precision::double_}) {
      Options o = options_of(precision, 3);
      o.leaf_size = 35;
      expect_same<double>(x, 1, o, {4, 7, 9}, Sharing::random);
    }
  }
}

/// Near lists of more sources than p2p takes at a time: where it begins anew depends on which boxes follow one another.
TEST(BitsOf, LongNearLists) {
  Options o = options_of(Precision::single_, 3);
  o.leaf_size = 500;
  expect_same<float>(uniform(40'000), 1, o, {3, 8}, Sharing::random);
  o.precision = Precision::double_;
  expect_same<double>(sphere(30'000), 1, o, {6}, Sharing::random);
}

TEST(BitsOf, LevelsAndThreads) {
  Options o = options_of(Precision::single_, 5);
  for (const Simd simd : {Simd::baseline, Simd::automatic}) {
    o.simd = simd;
    o.threads = 2;
    expect_same<float>(plummer(8'000), 1, o, {3}, Sharing::random);
  }
}

/// Strengths of 1e30 overflow single's results: the plan repeats them in double, on all ranks.
TEST(BitsOf, SumsThatNeedDouble) {
  std::vector<double> x = uniform(4'000), q(4'000, 1.0);
  x[3] = x[0] + 1e-30, x[4] = x[1], x[5] = x[2];
  q[7] = 1e-45;
  const Options o = options_of(Precision::single_, 4);
  Report report;
  const Sums<double> one = single_sums<double>(x, q, 1, o, &report);
  ASSERT_EQ(report.precision, "double") << "this test wants a sum that is repeated in double";
  EXPECT_TRUE(distributed_sums<double>(x, q, 1, 5, make_cuts(4'000, 5, Sharing::random, fresh_seed()), o) == one);
}

/// Every target finds all sources but itself, however they are shared: no pair is lost or summed twice.
TEST(BitsOf, TheCountingKernel) {
  for (const Named& cloud : clouds) {
    const std::vector<double> x = cloud.make(7'000);
    Options o = options_of(Precision::double_, -1);
    o.kernel = Kernel::count, o.gradient = false, o.leaf_size = 20;
    for (const int p : {2, 5, 9}) {
      const Sums<double> sums = distributed_sums<double>(x, std::vector<double>(7'000, 1.0), 1, p,
                                                         make_cuts(7'000, p, Sharing::random, fresh_seed()), o);
      for (const double found : sums.potential) ASSERT_EQ(found, 7'000) << cloud.name << ", " << p << " ranks";
    }
  }
}

TEST(BitsOf, KernelsOfThePlane) {
  std::vector<double> x = sphere(6'000);
  for (std::size_t i = 2; i < x.size(); i += 3) x[i] = 0;
  Options o = options_of(Precision::double_, 9);
  o.kernel = Kernel::laplace2d;
  expect_same<double>(x, 1, o, {2, 7}, Sharing::random);
  o.kernel = Kernel::vortex, o.stream_function = true;
  expect_same<double>(x, 1, o, {5}, Sharing::random);
}

TEST(BitsOf, ThePlanThatMoves) {
  const std::vector<double> here = uniform(5'000), there = plummer(6'000);
  const std::vector<double> q = strengths_for(6'000, fresh_seed());
  const Options o = options_of(Precision::double_, 5);
  const Sums<double> one = single_sums<double>(there, q, 1, o);
  const Cuts first = make_cuts(5'000, 3, Sharing::random, fresh_seed()),
             second = make_cuts(6'000, 3, Sharing::random, fresh_seed() + 9);
  std::vector<double> potential(6'000);
  rethrow_any(run_ranks(3, [&](distributed::Communicator& communicator) {
    const auto r = static_cast<std::size_t>(communicator.rank());
    distributed::Plan plan(communicator,
                           points(here.data() + 3 * first[r], static_cast<std::int64_t>(first[r + 1] - first[r])), o);
    const auto own = static_cast<std::int64_t>(second[r + 1] - second[r]);
    plan.move(points(there.data() + 3 * second[r], own));
    EXPECT_EQ(plan.source_count(), own);
    Outputs outputs;
    outputs.potential = potential.data() + second[r];
    plan.evaluate(strengths(q.data() + second[r], own), outputs);
  }));
  EXPECT_EQ(potential, one.potential);
}

TEST(Shares, AreBalancedAndReported) {
  const std::vector<double> x = plummer(20'000), q(20'000, 1.0);
  std::vector<distributed::Report> reports;
  distributed_sums<double>(x, q, 1, 4, make_cuts(20'000, 4, Sharing::first_alone, 1), options_of(Precision::double_, 5),
                           &reports);
  const distributed::Report& report = reports.front();
  ASSERT_EQ(report.ranks.size(), 4u);
  std::int64_t owned = 0;
  constexpr double cut = 0.05;  // of a share: pieces are a twentieth of one, and each end misses by half a piece
  for (const distributed::RankReport& rank : report.ranks) {
    owned += rank.owned;
    EXPECT_NEAR(static_cast<double>(rank.owned), 5'000, cut * 5'000 + 1);
    EXPECT_GT(rank.ghosts, 0);
    EXPECT_GT(rank.sent, 0);
  }
  for (std::size_t r = 0; r < 4; ++r) {
    const std::vector<std::int64_t>& to = reports[r].sent;
    ASSERT_EQ(to.size(), 4u);
    EXPECT_EQ(to[r], 0);
    EXPECT_EQ(std::accumulate(to.begin(), to.end(), std::int64_t(0)), report.ranks[r].sent);
    EXPECT_TRUE(std::all_of(to.begin(), to.end(), [&](const std::int64_t& one) { return one > 0 || &one == &to[r]; }));
  }
  EXPECT_EQ(owned, 20'000);
  EXPECT_EQ(report.ranks[0].given, 20'000);
  EXPECT_EQ(report.plan.sources, 20'000);
  Report one;
  single_sums<double>(x, q, 1, options_of(Precision::double_, 5), &one);
  EXPECT_EQ(report.plan.near_pairs, one.near_pairs);
}

}  // namespace
}  // namespace farfield::testing

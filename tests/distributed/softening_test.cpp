// Softened sums over ranks: the bits and reports of one plan.
#include "distributed/repeated.hpp"
#include "distributed/sums.hpp"

namespace farfield::testing {
namespace {

constexpr SofteningKind kinds[] = {SofteningKind::plummer, SofteningKind::spline, SofteningKind::algebraic,
                                   SofteningKind::gauss};

Options softened(SofteningKind kind, double length, int degree = -1, double tolerance = 1e-4) {
  Options o = fmm_of_degree(degree, tolerance);
  o.softening_kind = kind, o.softening = length;
  return o;
}

class Softened : public ::testing::TestWithParam<Named> {};

TEST_P(Softened, HasTheBitsOfOnePlan) {
  const std::vector<double> x = GetParam().make(2'500);
  for (const SofteningKind kind : kinds) {
    expect_as_one_plan<double>({Sum::of(x, softened(kind, 1e-4))}, {5});
    Options o = softened(kind, 0.01, -1, 1e-3);
    o.precision = Precision::single_;
    expect_as_one_plan<float>({Sum::of(x, o, 2)}, {8}, Sharing::some_empty);
  }
}
TEST_P(Softened, AtTargetsApartAndAtSources) {
  const std::vector<double> x = GetParam().make(1'500), y = plummer(1'000);
  for (const SofteningKind kind : kinds) {
    Options o = softened(kind, 1e-3, 4);
    o.at_sources = true;
    expect_as_one_plan<double>({Sum::of(x, o).to(y)}, {7});
    o.at_sources = false, o.precision = Precision::single_;
    expect_as_one_plan<float>({Sum::of(x, o).to(x)}, {3});
  }
}

INSTANTIATE_TEST_SUITE_P(Clouds, Softened, ::testing::ValuesIn(clouds),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(SoftenedSums, OneToNineRanksAndThreads) {
  Options o = softened(SofteningKind::plummer, 1e-3);
  o.check = 40;
  expect_as_one_plan<double>({Sum::of(plummer(4'000), o)}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  o.threads = 2, o.softening_kind = SofteningKind::spline;
  expect_as_one_plan<double>({Sum::of(sphere(4'000), o)}, {3});
}

/// The measured targets are sources of any rank, at both ends of its share, too.
TEST(SoftenedSums, MeasuredAtManyTargets) {
  for (const SofteningKind kind : kinds) {
    Options o = softened(kind, 1e-3, 6);
    o.check = 700;
    EXPECT_TRUE(expect_as_one_plan<double>({Sum::of(clusters(2'600), o)}, {2, 6, 9}).error);
    o.at_sources = true;
    expect_as_one_plan<double>({Sum::of(clusters(1'500), o).to(uniform(900))}, {5});
  }
}

/// Softenings so long that leaves are wide, or that nothing is left to expansions.
TEST(SoftenedSums, OfLongSoftenings) {
  for (const SofteningKind kind : kinds)
    for (const double length : {0.03, 0.2, 5.0}) {
      expect_as_one_plan<double>({Sum::of(uniform(2'000), softened(kind, length))}, {4});
      Options automatic = softened(kind, length);
      automatic.method = Method::automatic;
      expect_as_one_plan<double>({Sum::of(plummer(2'000), automatic, 2)}, {3, 6});
    }
}

TEST(SoftenedSums, ByAllPairs) {
  for (const SofteningKind kind : kinds) {
    Options o = softened(kind, 0.05);
    o.method = Method::direct, o.check = 30;
    expect_as_one_plan<double>({Sum::of(coincident(700), o, 2)}, {1, 4});
    o.at_sources = true, o.precision = Precision::single_;
    expect_as_one_plan<float>({Sum::of(coincident(300), o).to(coincident(200))}, {5});
  }
}

/// A tolerance that the first decision misses: repeated by all pairs of the tree's points, of which the targets apart
/// are sources, too, or not.
TEST(SoftenedSums, ThatNeedAllPairs) {
  for (const SofteningKind kind : kinds) {
    Options o = softened(kind, 1e-7, -1, 2e-3);
    o.precision = Precision::single_, o.leaf_size = 10, o.at_sources = true;
    const Cloud cloud = ions_that_repeat(800, "direct", [&](Cloud& one) {
      one.targets.assign(one.sources.begin(), one.sources.begin() + 3 * 40);
      return Plan(points(one.sources), points(one.targets), o).evaluate(one.strengths).report;
    });
    ASSERT_FALSE(cloud.sources.empty()) << "the first decision did for all clouds";
    Sum sum = Sum::of(cloud.sources, o);
    sum.q = cloud.strengths;
    EXPECT_EQ(expect_as_one_plan<double>({sum.to(cloud.targets)}, {3, 7}).method, "direct");
    expect_as_one_plan<double>({sum}, {4});
  }
}

TEST(SoftenedSums, ThePlanThatMoves) {
  const Options o = softened(SofteningKind::plummer, 1e-3);
  expect_as_one_plan<double>({Sum::of(uniform(3'000), o), Sum::of(plummer(3'500), o), Sum::of(line(2'000), o)}, {2, 5});
}

TEST(SoftenedSums, UniformTreesWhoseBoxesAreTooNarrow) {
  Options o = softened(SofteningKind::plummer, 0.05);
  o.depth = 6;
  const Sum sum = Sum::of(uniform(2'000), o);
  std::string one;
  try {
    plan_of(sum);
  } catch (const Error& error) {
    one = error.what();
  }
  EXPECT_NE(one.find("narrower than softening"), std::string::npos);
  for (const std::exception_ptr& thrown : run_ranks(
           3, [&](distributed::Communicator& communicator) { distributed::Plan(communicator, points(sum.x), o); }))
    EXPECT_NE(sentence_of(thrown).find(one), std::string::npos);
  o = softened(SofteningKind::spline, 0.01, 4);
  o.depth = 2;
  expect_as_one_plan<double>({Sum::of(uniform(2'000), o)}, {5});
}

}  // namespace
}  // namespace farfield::testing

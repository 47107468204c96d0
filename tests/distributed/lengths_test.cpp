// Points that have softening lengths of their own, over ranks: the bits and reports of one plan.
#include "distributed/repeated.hpp"
#include "distributed/sums.hpp"

namespace farfield::testing {
namespace {

Options options_of(SofteningKind kind, int degree = -1, double tolerance = 1e-4) {
  Options o = fmm_of_degree(degree, tolerance);
  o.softening_kind = kind;
  return o;
}
constexpr SofteningKind kinds[] = {SofteningKind::plummer, SofteningKind::spline};

/// Some are 0, and most differ.
std::vector<double> lengths_for(std::size_t count, double longest) {
  std::vector<double> lengths = strengths_for(count, fresh_seed() + count);
  for (double& one : lengths) one = one < -0.8 ? 0 : longest * std::fabs(one);
  return lengths;
}
Sum with_lengths_of(Sum sum, double longest) {
  sum.lengths = lengths_for(sum.x.size() / 3, longest);
  if (sum.apart) sum.target_lengths = lengths_for(sum.y.size() / 3, longest);
  return sum;
}

class Lengths : public ::testing::TestWithParam<Named> {};

TEST_P(Lengths, HaveTheBitsOfOnePlan) {
  const std::vector<double> x = GetParam().make(2'500);
  for (const SofteningKind kind : kinds) {
    expect_as_one_plan<double>({with_lengths_of(Sum::of(x, options_of(kind)), 1e-3)}, {2, 7});
    Options o = options_of(kind, 4);
    o.precision = Precision::single_, o.at_sources = true;
    expect_as_one_plan<float>({with_lengths_of(Sum::of(x, o, 2).to(plummer(1'200)), 0.01)}, {5}, Sharing::some_empty);
  }
}

INSTANTIATE_TEST_SUITE_P(Clouds, Lengths, ::testing::ValuesIn(clouds),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(LengthsOf, OneToNineRanksAndCheckedTargets) {
  for (const SofteningKind kind : kinds) {
    Options o = options_of(kind);
    o.check = 300;
    expect_as_one_plan<double>({with_lengths_of(Sum::of(clusters(2'000), o), 1e-3)}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  }
}

/// Sets without lengths have that of the options; lengths that are all the same count as one for all.
TEST(LengthsOf, OneSetAloneOrAllAlike) {
  Options o = options_of(SofteningKind::plummer, 5);
  o.softening = 2e-3;
  Sum sum = Sum::of(uniform(1'500), o).to(sphere(900));
  sum.lengths = lengths_for(1'500, 1e-3);
  expect_as_one_plan<double>({sum}, {4});
  std::swap(sum.lengths, sum.target_lengths);
  sum.target_lengths.resize(900);
  expect_as_one_plan<double>({sum}, {3});
  sum.lengths.assign(1'500, 2e-3), sum.target_lengths.clear();
  expect_as_one_plan<double>({sum}, {6});
}

TEST(LengthsOf, AllPairs) {
  for (const SofteningKind kind : kinds) {
    Options o = options_of(kind);
    o.method = Method::direct, o.check = 30;
    expect_as_one_plan<double>({with_lengths_of(Sum::of(coincident(500), o, 2), 0.1)}, {4});
    o.at_sources = true, o.hessian = o.dipoles = false;
    expect_as_one_plan<double>({with_lengths_of(Sum::of(coincident(400), o).to(coincident(300)), 0.1)}, {5});
  }
}

TEST(LengthsOf, SumsThatNeedAllPairs) {
  for (const SofteningKind kind : kinds) {
    Options o = options_of(kind, -1, 2e-3);
    o.precision = Precision::single_, o.leaf_size = 10, o.at_sources = true;
    const std::vector<double> lengths = lengths_for(800, 1e-7), target_lengths = lengths_for(40, 1e-7);
    const Cloud cloud = ions_that_repeat(800, "direct", [&](Cloud& one) {
      one.targets.assign(one.sources.begin(), one.sources.begin() + 3 * 40);
      const Points x = with_lengths(points(one.sources), lengths),
                   y = with_lengths(points(one.targets), target_lengths);
      return Plan(x, y, o).evaluate(one.strengths).report;
    });
    ASSERT_FALSE(cloud.sources.empty()) << "the first decision did for all clouds";
    Sum sum = Sum::of(cloud.sources, o).to(cloud.targets);
    sum.q = cloud.strengths, sum.lengths = lengths, sum.target_lengths = target_lengths;
    EXPECT_EQ(expect_as_one_plan<double>({sum}, {3, 6}).method, "direct");
  }
}

TEST(LengthsOf, PointsThatMove) {
  const Options o = options_of(SofteningKind::spline);
  expect_as_one_plan<double>({with_lengths_of(Sum::of(uniform(2'000), o), 1e-3), Sum::of(sphere(1'500), o),
                              with_lengths_of(Sum::of(plummer(2'500), o), 1e-2)},
                             {3, 8});
}

TEST(LengthsOf, NoLengthIsRefusedWithItsIndex) {
  const std::vector<double> x = uniform(100);
  std::vector<double> lengths(100, 0.1);
  lengths[17] = -1;
  const auto thrown = run_ranks(3, [&](distributed::Communicator& communicator) {
    Points own = points(x);
    if (communicator.rank() == 1) own.softening = lengths.data();
    distributed::Plan(communicator, own, options_of(SofteningKind::plummer));
  });
  for (const std::exception_ptr& one : thrown)
    EXPECT_NE(sentence_of(one).find("rank 1: source 17: softening -1 is not a length"), std::string::npos)
        << sentence_of(one);
}

}  // namespace
}  // namespace farfield::testing

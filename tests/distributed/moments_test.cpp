// Dipoles and Hessians over ranks: the bits and reports of one plan.
#include "distributed/repeated.hpp"
#include "distributed/sums.hpp"

namespace farfield::testing {
namespace {

Options options_of(bool dipoles, bool hessian, int degree = -1, double tolerance = 1e-4) {
  Options o = fmm_of_degree(degree, tolerance);
  o.dipoles = dipoles, o.hessian = hessian;
  return o;
}

class MomentsOver : public ::testing::TestWithParam<Named> {};

TEST_P(MomentsOver, RanksHaveTheBitsOfOnePlan) {
  const std::vector<double> x = GetParam().make(2'000);
  for (const auto& [dipoles, hessian] : {std::pair(true, false), std::pair(false, true), std::pair(true, true)}) {
    expect_as_one_plan<double>({Sum::of(x, options_of(dipoles, hessian))}, {5});
    Options o = options_of(dipoles, hessian, 4);
    o.precision = Precision::single_, o.at_sources = true;
    expect_as_one_plan<float>({Sum::of(x, o, 2).to(plummer(900))}, {8}, Sharing::some_empty);
  }
}

INSTANTIATE_TEST_SUITE_P(Clouds, MomentsOver, ::testing::ValuesIn(clouds),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(MomentsOf, OneToNineRanksAndCheckedTargets) {
  Options o = options_of(true, true);
  o.check = 50;
  expect_as_one_plan<double>({Sum::of(plummer(2'000), o)}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST(MomentsOf, ChargesDipolesOrBoth) {
  Sum sum = Sum::of(sphere(1'500), options_of(true, false, 5), 2);
  expect_as_one_plan<double>({sum}, {4});
  std::fill(sum.q.begin(), sum.q.end(), 0.0);
  expect_as_one_plan<double>({sum}, {3});
  sum.p.clear();  // a plan that may have dipoles
  sum.q = strengths_for(3'000, fresh_seed());
  expect_as_one_plan<double>({sum}, {5});
}

TEST(MomentsOf, SoftenedSums) {
  for (const SofteningKind kind :
       {SofteningKind::plummer, SofteningKind::spline, SofteningKind::algebraic, SofteningKind::gauss}) {
    Options o = options_of(true, true, -1, 1e-3);
    o.softening = 1e-3, o.softening_kind = kind, o.check = 20;
    expect_as_one_plan<double>({Sum::of(uniform(1'500), o)}, {4});
    o.precision = Precision::single_, o.hessian = false;
    expect_as_one_plan<float>({Sum::of(coincident(1'500), o).to(uniform(700))}, {3});
  }
}

TEST(MomentsOf, AllPairs) {
  Options o = options_of(true, true);
  o.method = Method::direct, o.check = 20;
  expect_as_one_plan<double>({Sum::of(coincident(400), o, 2)}, {5});
  o.at_sources = true;
  expect_as_one_plan<double>({Sum::of(uniform(300), o).to(coincident(200))}, {4});
  o.softening = 0.1;
  Sum sum = Sum::of(uniform(300), o).to(coincident(200));
  sum.lengths = strengths_for(300, fresh_seed());
  for (double& one : sum.lengths) one = std::fabs(one);
  expect_as_one_plan<double>({sum}, {4});
}

TEST(MomentsOf, SumsThatAreRepeated) {
  Options o = options_of(true, true, -1, 1e-3);
  o.precision = Precision::single_, o.leaf_size = 10;
  const Cloud cloud = ions_that_repeat(
      800, "direct", [&](Cloud& one) { return Plan(points(one.sources), o).evaluate(one.strengths).report; });
  ASSERT_FALSE(cloud.sources.empty()) << "the first decision did for all clouds";
  Sum sum = Sum::of(cloud.sources, o);
  sum.q = cloud.strengths, sum.p.clear();
  EXPECT_EQ(expect_as_one_plan<double>({sum}, {3, 7}).method, "direct");
}

TEST(MomentsOf, PointsThatMove) {
  const Options o = options_of(true, false);
  expect_as_one_plan<double>({Sum::of(uniform(1'500), o), Sum::of(plummer(2'000), o)}, {2, 6});
}

TEST(MomentsOf, RanksWithoutDipolesAreRefused) {
  const std::vector<double> x = uniform(100), q(100, 1.0), p(300, 1.0);
  std::vector<double> u(100);
  const auto thrown = run_ranks(3, [&](distributed::Communicator& communicator) {
    distributed::Plan plan(communicator, points(x), options_of(true, false));
    Outputs outputs;
    outputs.potential = u.data();
    Strengths own = strengths(q);
    if (communicator.rank() != 2) own = with_dipoles(own, p);
    std::vector<double> apart(100);
    outputs.potential = apart.data();
    plan.evaluate(own, outputs);
  });
  for (const std::exception_ptr& one : thrown)
    EXPECT_NE(sentence_of(one).find("rank 2: other ranks pass dipoles and this one none"), std::string::npos)
        << sentence_of(one);
}

}  // namespace
}  // namespace farfield::testing

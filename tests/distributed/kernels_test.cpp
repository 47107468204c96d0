// Kernels whose tables depend on the level, and cores of vortices, over ranks: the bits and reports of one plan.
#include "distributed/sums.hpp"

namespace farfield::testing {
namespace {

Options screened(double kappa, int degree = -1, double tolerance = 1e-5) {
  Options o = fmm_of_degree(degree, tolerance);
  o.kernel = Kernel::yukawa3d, o.kappa = kappa;
  return o;
}

Options cored(Core core, double radius, int degree = -1, double tolerance = 1e-5) {
  Options o = fmm_of_degree(degree, tolerance);
  o.kernel = Kernel::vortex, o.core = core, o.core_radius = radius, o.gradient = false;
  return o;
}

std::vector<double> in_plane(std::vector<double> x) {
  for (std::size_t i = 2; i < x.size(); i += 3) x[i] = 0.5;
  return x;
}

class KernelsOver : public ::testing::TestWithParam<Named> {};

TEST_P(KernelsOver, RanksWithALengthHaveTheBitsOfOnePlan) {
  const std::vector<double> x = GetParam().make(3'000);
  for (const double kappa : {0.3, 8.0, 400.0}) {
    expect_as_one_plan<double>({Sum::of(x, screened(kappa), 2)}, {2, 7});
    Options o = screened(kappa, 4);
    o.precision = Precision::single_, o.at_sources = true;
    expect_as_one_plan<float>({Sum::of(x, o).to(sphere(1'000))}, {5}, Sharing::some_empty);
  }
}

TEST_P(KernelsOver, RanksWithCoresHaveTheBitsOfOnePlan) {
  const std::vector<double> x = in_plane(GetParam().make(3'000));
  for (const Core core : {Core::gauss, Core::rankine})
    for (const double radius : {1e-3, 0.03}) {
      Options o = cored(core, radius);
      o.check = 20;
      expect_as_one_plan<double>({Sum::of(x, o)}, {6});
      o.stream_function = true, o.precision = Precision::single_, o.tolerance = 1e-3;
      expect_as_one_plan<float>({Sum::of(x, o, 2).to(in_plane(sphere(900)))}, {3}, Sharing::some_empty);
    }
}

INSTANTIATE_TEST_SUITE_P(Clouds, KernelsOver, ::testing::ValuesIn(clouds),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(KernelsWithALength, OneToNineRanksCheckedAndRepeated) {
  Options o = screened(3);
  o.check = 60;
  expect_as_one_plan<double>({Sum::of(plummer(3'000), o)}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  o.precision = Precision::automatic;
  Sum sum = Sum::of(uniform(3'000), o);
  for (std::size_t i = 0; i < 3'000; i += 2) sum.q[i] *= 1e4;
  expect_as_one_plan<double>({sum}, {4});
}

TEST(KernelsWithALength, ByAnyMethodAndAllPairs) {
  for (const double kappa : {0.0, 5.0, 1e4}) {
    Options o = screened(kappa);
    o.method = Method::direct;
    expect_as_one_plan<double>({Sum::of(coincident(600), o)}, {4});
    o.method = Method::fmm, o.m2l = M2l::rotation;
    expect_as_one_plan<double>({Sum::of(sphere(3'000), o)}, {3});
    o.stencil = Stencil::reduced, o.m2l = M2l::dense;
    expect_as_one_plan<double>({Sum::of(uniform(3'000), o)}, {5});
  }
}

TEST(KernelsWithALength, PlansThatMove) {
  const Options o = screened(5);
  expect_as_one_plan<double>({Sum::of(uniform(2'000), o), Sum::of(line(2'500), o), Sum::of(plummer(3'000), o)}, {3, 8});
}

TEST(Cores, InPlansThatMoveAndByAllPairs) {
  Options o = cored(Core::gauss, 0.01);
  const std::vector<double> x = in_plane(uniform(2'000)), y = in_plane(plummer(2'500));
  expect_as_one_plan<double>({Sum::of(x, o), Sum::of(y, o)}, {4});
  o.method = Method::direct, o.stream_function = true;
  expect_as_one_plan<double>({Sum::of(in_plane(coincident(500)), o)}, {5});
}

TEST(KernelsOfThePlane, HaveTheBitsOfOnePlan) {
  for (const Kernel kernel : {Kernel::laplace2d, Kernel::cauchy, Kernel::vortex}) {
    Options o = fmm_of_degree(-1);
    o.kernel = kernel, o.gradient = kernel == Kernel::laplace2d;
    expect_as_one_plan<double>({Sum::of(in_plane(clusters(3'000)), o, 2)}, {2, 7});
  }
}

}  // namespace
}  // namespace farfield::testing

// Not wasteful: what is delivered is of the order of what was asked and paid for.
#include "support/measure.hpp"

namespace farfield::testing {
namespace {

class Waste : public ::testing::TestWithParam<Kind> {};

TEST_P(Waste, IsSmallOverNineDecades) {
  const Cloud cloud = make_cloud(GetParam(), 100'000, Signs::mixed);
  const std::vector<double> tolerances = decades(first_waste_decade, last_waste_decade);
  print_header("waste");
  double logarithms = 0;
  for (const double t : tolerances) logarithms += std::log(t / expect_promise(cloud, fmm_options(t)).worst());
  const double mean = std::exp(logarithms / static_cast<double>(tolerances.size()));
  std::printf("# geometric mean of tolerance / error: %.2f, at most %.1f\n", mean, waste_limit);
  EXPECT_LE(mean, waste_limit);
}

/// FARFIELD_TEST_FULL=1: all clouds, a geometric mean per decade. Over all targets, since at high degrees a few carry
/// the error: 2,000 random ones of 1e5 saw a third of it.
TEST(WasteOfAllClouds, IsBelowTenAtEveryDecade) {
  if (environment("FARFIELD_TEST_FULL").empty()) GTEST_SKIP() << "six minutes; FARFIELD_TEST_FULL=1 runs it";
  for (const double t : decades(first_decade, last_decade)) {
    double logarithms = 0, worst = 0, least = 1e300;
    for (const Kind kind : all_kinds) {
      const Cloud cloud = make_cloud(kind, 100'000, Signs::mixed);
      Options o = fmm_options(t);
      o.check = cloud.count();
      const Report r = make_plan(cloud, o).evaluate(cloud.strengths).report;
      const double waste = t / std::max(r.error->potential, r.error->gradient);
      EXPECT_GE(waste, 1) << cloud.label;
      logarithms += std::log(waste), worst = std::max(worst, waste), least = std::min(least, waste);
    }
    const double mean = std::exp(logarithms / static_cast<double>(all_kinds.size()));
    std::printf("# asked %.0e: over reached %.1f in the geometric mean of %zu clouds, %.1f to %.0f\n", t, mean,
                all_kinds.size(), least, worst);
    EXPECT_LE(mean, waste_limit_of_all);
  }
}

INSTANTIATE_TEST_SUITE_P(Clouds, Waste, ::testing::Values(Kind::uniform, Kind::plummer),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace
}  // namespace farfield::testing

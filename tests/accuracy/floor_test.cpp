// What a precision cannot reach is refused with a sentence that names what it can, and that is then met.
#include "support/measure.hpp"

namespace farfield::testing {
namespace {

class Floor : public ::testing::TestWithParam<Kind> {};

void expect_named_tolerance_is_met(Kind kind, Precision precision) {
  for (const Signs signs : {Signs::mixed, Signs::positive}) {
    const Cloud cloud = make_cloud(kind, 10'000, signs);
    const double last = reachable(cloud, precision);
    EXPECT_GT(last, 0);
    EXPECT_LT(last, 1);
    expect_promise(cloud, fmm_options(last, precision));
  }
}

TEST_P(Floor, OfSingleIsNamedAndMet) {
  print_header("floor of single");
  expect_named_tolerance_is_met(GetParam(), Precision::single_);
}

TEST_P(Floor, OfDoubleIsNamedAndMet) {
  print_header("floor of double");
  expect_named_tolerance_is_met(GetParam(), Precision::double_);
}

TEST_P(Floor, OfDoubleAllowsTheWholeSweep) {
  const Cloud cloud = make_cloud(GetParam(), 10'000, Signs::mixed);
  EXPECT_LE(reachable(cloud, Precision::double_), decades(last_decade, last_decade).front());
}

/// Automatic precision takes single where it reaches the tolerance, and only there; on both sides it keeps the promise.
TEST_P(Floor, AutomaticPrecisionKeepsThePromiseAroundIt) {
  print_header("automatic precision");
  const Cloud cloud = make_cloud(GetParam(), 10'000, Signs::mixed);
  const double last = reachable(cloud, Precision::single_);
  const Options above = fmm_options(1.01 * last), below = fmm_options(0.9 * last);
  EXPECT_EQ(make_plan(cloud, above).report().precision, "single");  // an evaluation may repeat in double
  EXPECT_EQ(make_plan(cloud, below).report().precision, "double");
  expect_promise(cloud, above);
  EXPECT_EQ(expect_promise(cloud, below).report.precision, "double");
}

INSTANTIATE_TEST_SUITE_P(Clouds, Floor, ::testing::ValuesIn(all_kinds),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace
}  // namespace farfield::testing

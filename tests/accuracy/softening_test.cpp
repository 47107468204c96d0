// Softening in the direct sum on the CPU; tests/cuda/direct_test.cpp runs the same bodies on a device.
#include <tuple>

#include "support/softened.hpp"

namespace farfield::testing {
namespace {

constexpr Backend cpu = Backend::cpu;

class Softening : public ::testing::TestWithParam<SofteningKind> {
 protected:
  const How how{cpu, GetParam()};
};
std::string kind_name(const ::testing::TestParamInfo<SofteningKind>& info) { return word_of(info.param); }
INSTANTIATE_TEST_SUITE_P(Kinds, Softening, ::testing::ValuesIn(all_softenings), kind_name);

TEST_P(Softening, OddSizes) { soften_odd_sizes(how, {1, 2, 31, 33, 257}); }
TEST_P(Softening, EveryCloud) { soften_kinds(how); }
TEST_P(Softening, CoincidentPoints) { soften_coincident_points(how); }
TEST_P(Softening, UnitsFarFromOne) { soften_far_units(how); }
TEST_P(Softening, LengthsWhoseSquareIsOutOfRange) { soften_beyond_squares(how); }
TEST_P(Softening, ResultsAtSourcesAndTargets) { soften_at_sources(how); }
TEST_P(Softening, OneParticle) { soften_one_particle(how); }
TEST_P(Softening, IsThatOfTheCheck) { check_softened(how); }

class SofteningOf : public ::testing::TestWithParam<std::tuple<Simd, SofteningKind>> {
 protected:
  static Options options(Precision precision) {
    Options o = softened_options(0.01, precision, How(cpu, std::get<1>(GetParam())));
    o.simd = std::get<0>(GetParam());
    return o;
  }
  /// Skips where this machine or build lacks the instruction set; none lacks the baseline.
  void SetUp() override {
    try {
      const Plan plan(points(std::vector<double>{0, 0, 0}), options(Precision::double_));
    } catch (const Error& error) {
      const std::string why = error.what();
      if (std::get<0>(GetParam()) == Simd::baseline || why.find("does not offer") == std::string::npos) FAIL() << why;
      GTEST_SKIP() << why;
    }
  }
};

std::string name_of(const ::testing::TestParamInfo<SofteningOf::ParamType>& info) {
  return std::string(word_of(std::get<0>(info.param))) + "_" + word_of(std::get<1>(info.param));
}

TEST_P(SofteningOf, AnInstructionSetHolds) {
  for (const Kind kind : {Kind::uniform, Kind::apart}) {
    const Cloud cloud = with_coincident_points(make_cloud(kind, 257, Signs::positive));
    for (const Precision precision : both_precisions)
      EXPECT_EQ(expect_softened(cloud, options(precision)).simd, word_of(std::get<0>(GetParam())));
  }
}
INSTANTIATE_TEST_SUITE_P(Levels, SofteningOf,
                         ::testing::Combine(::testing::Values(Simd::baseline, Simd::avx2, Simd::avx512),
                                            ::testing::ValuesIn(all_softenings)),
                         name_of);

TEST(SoftenedDirect, ChangesNothingFarAwayAndVanishesAtZero) {
  const Cloud cloud = make_cloud(Kind::outside, 300, Signs::positive);
  const auto potential = [&](double softening) {
    return make_plan(cloud, softened_options(softening, Precision::double_, cpu)).evaluate(cloud.strengths).potential;
  };
  EXPECT_EQ(potential(0), potential(1e-30));
  EXPECT_EQ(potential(0), potential(-0.0));
  EXPECT_NE(potential(0), potential(1e-3));
}

/// 1e-45 extents cannot be inverted in single, so `automatic` computes in double.
TEST(SoftenedDirect, AutomaticPrecisionKeepsCoincidentPointsFinite) {
  const std::vector<double> pair{0, 0, 0, 0, 0, 0, 1, 0, 0}, q{1, -2, 1};
  Options o = softened_options(1e-45, Precision::automatic, cpu);
  o.tolerance = 1e-3;
  const Result<double> r = Plan(points(pair), o).evaluate(q);
  EXPECT_EQ(r.report.precision, "double");
  EXPECT_DOUBLE_EQ(r.potential[0], -2e45);
  EXPECT_DOUBLE_EQ(r.potential[2], -1);
}

TEST(SoftenedDirect, DirectSumOfTheSourcesOwnViewLeavesSelvesOut) {
  const Cloud cloud = make_cloud(Kind::uniform, 100, Signs::positive);
  const Options o = softened_options(0.1, Precision::double_, cpu);
  const std::vector<double> copy = cloud.sources;
  const std::span<const double> q(cloud.strengths);
  const auto own = direct_sum<double>(points(cloud.sources), q, points(cloud.sources), o);
  const auto apart = direct_sum<double>(points(cloud.sources), q, points(copy), o);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_NEAR(apart.potential[i] - own.potential[i], q[i] / 0.1, 1e-10);
}

}  // namespace
}  // namespace farfield::testing

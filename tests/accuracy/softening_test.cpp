// Plummer softening in the direct sum on the CPU; tests/cuda/direct_test.cpp runs the same bodies on a device.
#include "support/softened.hpp"

namespace farfield::testing {
namespace {

constexpr Backend cpu = Backend::cpu;

TEST(Softening, OddSizes) { soften_odd_sizes(cpu, {1, 2, 31, 33, 257}); }
TEST(Softening, EveryCloud) { soften_kinds(cpu); }
TEST(Softening, CoincidentPoints) { soften_coincident_points(cpu); }
TEST(Softening, UnitsFarFromOne) { soften_far_units(cpu); }
TEST(Softening, LengthsWhoseSquareIsOutOfRange) { soften_beyond_squares(cpu); }
TEST(Softening, ResultsAtSourcesAndTargets) { soften_at_sources(cpu); }
TEST(Softening, OneParticle) { soften_one_particle(cpu); }
TEST(Softening, IsThatOfTheCheck) { check_softened(cpu); }

class SofteningOf : public ::testing::TestWithParam<Simd> {
 protected:
  static Options options(Precision precision) {
    Options o = softened_options(0.01, precision, cpu);
    o.simd = GetParam();
    return o;
  }
  /// Skips where this machine or build lacks the instruction set; none lacks the baseline.
  void SetUp() override {
    try {
      const Plan plan(points(std::vector<double>{0, 0, 0}), options(Precision::double_));
    } catch (const Error& error) {
      const std::string why = error.what();
      if (GetParam() == Simd::baseline || why.find("does not offer") == std::string::npos) FAIL() << why;
      GTEST_SKIP() << why;
    }
  }
};

std::string name_of(const ::testing::TestParamInfo<Simd>& info) {
  return info.param == Simd::avx512 ? "avx512" : info.param == Simd::avx2 ? "avx2" : "baseline";
}

TEST_P(SofteningOf, AnInstructionSetHolds) {
  for (const Kind kind : {Kind::uniform, Kind::apart}) {
    const Cloud cloud = with_coincident_points(make_cloud(kind, 257, Signs::positive));
    for (const Precision precision : both_precisions)
      EXPECT_EQ(expect_softened(cloud, options(precision)).simd, name_of({GetParam(), 0}));
  }
}
INSTANTIATE_TEST_SUITE_P(Levels, SofteningOf, ::testing::Values(Simd::baseline, Simd::avx2, Simd::avx512), name_of);

TEST(Softening, ChangesNothingFarAwayAndVanishesAtZero) {
  const Cloud cloud = make_cloud(Kind::outside, 300, Signs::positive);
  const auto potential = [&](double softening) {
    return make_plan(cloud, softened_options(softening, Precision::double_, cpu)).evaluate(cloud.strengths).potential;
  };
  EXPECT_EQ(potential(0), potential(1e-30));
  EXPECT_EQ(potential(0), potential(-0.0));
  EXPECT_NE(potential(0), potential(1e-3));
}

TEST(Softening, AutomaticTakesDirectAndSaysWhy) {
  const Cloud cloud = make_cloud(Kind::uniform, 20'000, Signs::mixed);
  Options o;
  o.backend = cpu;
  EXPECT_EQ(Plan(points(cloud.sources), o).report().method, "fmm");
  o.softening = 0.01;
  const Plan plan(points(cloud.sources), o);
  EXPECT_EQ(plan.report().method, "direct");
  EXPECT_GE(Plan::memory_bound(cloud.count(), 0, o), plan.report().memory_bytes);
  for (const Choice& choice : plan.report().choices)
    if (choice.name == "method") {
      EXPECT_NE(choice.reason.find("unsoftened"), std::string::npos) << choice.reason;
    }
}

/// 1e-45 extents cannot be inverted in single, so `automatic` computes in double.
TEST(Softening, AutomaticPrecisionKeepsCoincidentPointsFinite) {
  const std::vector<double> pair{0, 0, 0, 0, 0, 0, 1, 0, 0}, q{1, -2, 1};
  Options o = softened_options(1e-45, Precision::automatic, cpu);
  o.tolerance = 1e-3;
  const Result<double> r = Plan(points(pair), o).evaluate(q);
  EXPECT_EQ(r.report.precision, "double");
  EXPECT_DOUBLE_EQ(r.potential[0], -2e45);
  EXPECT_DOUBLE_EQ(r.potential[2], -1);
}

TEST(Softening, DirectSumOfTheSourcesOwnViewLeavesSelvesOut) {
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

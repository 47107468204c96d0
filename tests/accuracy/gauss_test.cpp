// Kernel gauss: the promise relative to the sum of |strengths|, identities, and what is refused.
#include "support/gauss.hpp"

namespace farfield::testing {
namespace {

constexpr double rounding = 2e-15;  // of direct sums in double, relative to the sum of |strengths|

TEST(Gauss, DirectSumsKeepThePromiseInBothPrecisions) {
  for (const Kind kind : all_kinds)
    for (const double bandwidth : {1e-3, 0.05, 1.0, 30.0}) {
      const Cloud cloud = make_cloud(kind, 700, Signs::mixed);
      const Outcome exact = measure_gauss(cloud, gauss_options(bandwidth, 1e-12, Method::direct, Precision::double_)),
                    single = measure_gauss(cloud, gauss_options(bandwidth, 1e-6, Method::direct, Precision::single_));
      EXPECT_LE(exact.worst(), rounding) << cloud.label << ", " << bandwidth;
      EXPECT_LE(single.worst(), 2e-7) << cloud.label << ", " << bandwidth;
    }
}

/// Relative accuracy far out, where only direct sums have it.
TEST(Gauss, DirectSumsKeepDigitsInTails) {
  const std::vector<double> sources{0, 0, 0}, q{1};
  std::vector<double> targets;
  for (int k = 0; k < 37; ++k) targets.insert(targets.end(), {static_cast<double>(k), 0, 0});
  const Result<double> r =
      Plan(points(sources), points(targets), gauss_options(1, 1e-6, Method::direct, Precision::double_)).evaluate(q);
  for (std::size_t k = 0; k < r.potential.size(); ++k) {
    const auto x = static_cast<double>(k);
    EXPECT_NEAR(r.potential[k] / std::exp(-x * x / 2), 1, 4e-14) << k;
  }
}

/// A point with itself counts, and so does every copy of it.
TEST(Gauss, CoincidentPointsCount) {
  const std::vector<double> xyz(3 * 50, 0.25), q(50, 2);
  for (const Precision precision : {Precision::single_, Precision::double_}) {
    const Result<double> r = Plan(points(xyz), gauss_options(0.1, 1e-6, Method::automatic, precision)).evaluate(q);
    for (const double u : r.potential) EXPECT_NEAR(u, 100, 1e-4);
    for (const double g : r.gradient) EXPECT_EQ(g, 0);
  }
}

TEST(Gauss, TakesPointsOfOneAndTwoCoordinates) {
  const Cloud cloud = make_cloud(Kind::uniform, 300, Signs::mixed);
  for (const int axes : {1, 2}) {
    std::vector<double> whole = cloud.sources, flat;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      if (static_cast<int>(i % 3) >= axes) whole[i] = 0;
      if (static_cast<int>(i % 3) < axes) flat.push_back(whole[i]);
    }
    Points few;
    few.count = cloud.count(), few.stride = axes;
    for (int a = 0; a < axes; ++a) few.axis[static_cast<std::size_t>(a)] = flat.data() + a;
    const Options o = gauss_options(0.1, 1e-9);
    const Result<double> two = Plan(few, o).evaluate(cloud.strengths),
                         three = Plan(points(whole), o).evaluate(cloud.strengths);
    EXPECT_EQ(two.potential, three.potential);
    EXPECT_EQ(two.gradient, three.gradient);
  }
}

TEST(Gauss, ChecksInTheNormOfItsPromise) {
  Cloud cloud = make_cloud(Kind::uniform, 400, Signs::mixed);
  Options o = gauss_options(0.01, 1e-6, Method::direct, Precision::single_);
  o.check = 400;
  const Result<double> r = make_plan(cloud, o).evaluate(cloud.strengths);
  const Outcome own = judge_gauss(cloud, r, o.bandwidth);
  ASSERT_TRUE(r.report.error);
  EXPECT_EQ(r.report.relative_to, "strengths");
  EXPECT_EQ(r.report.condition_potential, 1);
  EXPECT_GT(r.report.error->potential, 0);
  EXPECT_LE(r.report.error->potential, r.report.error->potential_max);
  EXPECT_GE(r.report.error->potential_max, own.potential * 0.99);
  EXPECT_LE(r.report.error->potential_max, 1e-7);
}

TEST(Gauss, BandwidthsOfAnySize) {
  const Cloud cloud = make_cloud(Kind::plummer, 300, Signs::positive);
  double all = 0;
  for (const double q : cloud.strengths) all += q;
  for (const double bandwidth : {1e-100, 1e-20, 1e20, 1e200}) {
    const Result<double> r = make_plan(cloud, gauss_options(bandwidth, 1e-9)).evaluate(cloud.strengths);
    for (std::size_t i = 0; i < r.potential.size(); ++i)
      EXPECT_NEAR(r.potential[i], bandwidth < 1 ? cloud.strengths[i] : all, 1e-9 * all);
    EXPECT_TRUE(r.report.warnings.empty()) << r.report.warnings[0];
  }
}

/// Units of length change nothing.
TEST(Gauss, ScalesWithItsBandwidth) {
  const Cloud cloud = make_cloud(Kind::uniform, 300, Signs::mixed);
  const Result<double> here = make_plan(cloud, gauss_options(0.1, 1e-9)).evaluate(cloud.strengths);
  for (const double unit : {0x1p-900, 0x1p-30, 0x1p30, 0x1p900}) {
    Cloud other = cloud;
    for (double& x : other.sources) x *= unit;
    const Result<double> there = make_plan(other, gauss_options(0.1 * unit, 1e-9)).evaluate(cloud.strengths);
    EXPECT_EQ(here.potential, there.potential) << unit;
    for (std::size_t i = 0; i < here.gradient.size(); ++i)
      ASSERT_EQ(here.gradient[i], there.gradient[i] * unit) << unit;
  }
}

TEST(Gauss, RefusesBandwidthsThatAreNone) {
  const Cloud cloud = make_cloud(Kind::uniform, 100, Signs::mixed);
  const auto sentence = [&](double bandwidth, Precision precision = Precision::automatic) {
    const Options o = gauss_options(bandwidth, 1e-6, Method::automatic, precision);
    return refusal(ErrorCode::usage, [&] { make_plan(cloud, o); });
  };
  for (const double bad : {0.0, -1.0, static_cast<double>(NAN), static_cast<double>(INFINITY)})
    EXPECT_NE(sentence(bad).find("is no length above 0"), std::string::npos) << sentence(bad);
  EXPECT_NE(sentence(1e-300).find("below 1e-150"), std::string::npos);
  EXPECT_NE(sentence(1e-14, Precision::single_).find("precision double"), std::string::npos);
  Options o = gauss_options(0.1, 1e-6, Method::fmm);
  EXPECT_NE(refusal(ErrorCode::usage, [&] { make_plan(cloud, o); }).find("no multipole expansions"), std::string::npos);
  o = gauss_options(0.1, 1e-6);
  o.softening = 0.1;
  EXPECT_NE(refusal(ErrorCode::usage, [&] { make_plan(cloud, o); }).find("not softened"), std::string::npos);
  o = gauss_options(0.1, 1e-6);
  o.kernel = Kernel::laplace3d;
  EXPECT_NE(refusal(ErrorCode::usage, [&] { make_plan(cloud, o); }).find("has none"), std::string::npos);
  o = gauss_options(0.1, 1e-6);
  o.backend = Backend::cuda;
  EXPECT_NE(refusal(ErrorCode::device, [&] { make_plan(cloud, o); }).find("not offered by backend cuda"),
            std::string::npos);
}

TEST(Gauss, NoPointsAndOnePoint) {
  const std::vector<double> none, one{1, 2, 3}, q{2};
  EXPECT_TRUE(Plan(points(none), gauss_options(1, 1e-6)).evaluate(none).potential.empty());
  EXPECT_EQ(Plan(points(one), gauss_options(1, 1e-6)).evaluate(q).potential.at(0), 2);
  EXPECT_EQ(Plan(points(none), points(one), gauss_options(1, 1e-6)).evaluate(none).potential.at(0), 0);
  EXPECT_GT(Plan::memory_bound(1000, 0, gauss_options(1, 1e-6)), 0);
}

}  // namespace
}  // namespace farfield::testing

// Method hermite of kernel gauss: the promise relative to the sum of |strengths| in one, two and three dimensions,
// whichever of its four interactions a pair of boxes takes; the same bits on any number of threads; refusals. The same
// on a device: ctest's cuda.hermite_method.
#include "support/gauss.hpp"

namespace farfield::testing {
namespace {

/// A cloud whose last coordinates are one constant.
Cloud flat_cloud(Kind kind, std::int64_t count, int axes) {
  Cloud cloud = make_cloud(kind, count, Signs::mixed);
  for (auto* xyz : {&cloud.sources, &cloud.targets})
    for (std::size_t i = 0; i < xyz->size(); ++i)
      if (static_cast<int>(i % 3) >= axes) (*xyz)[i] = 0.25;
  cloud.label += ", axes " + std::to_string(axes);
  return cloud;
}

TEST(HermiteMethod, KeepsThePromise) {
  for (const Kind kind : all_kinds)
    for (const int axes : {1, 2, 3})
      for (const double bandwidth : {0.01, 0.07, 0.5, 20.0})
        for (const double tolerance : {1e-3, 1e-6, 1e-10}) {
          const Cloud cloud = flat_cloud(kind, axes == 3 ? 1500 : 3000, axes);
          const Outcome o = measure_gauss(cloud, gauss_options(bandwidth, tolerance, Method::hermite));
          EXPECT_LE(o.worst(), tolerance) << cloud.label << ", " << bandwidth;
          EXPECT_EQ(o.report.method, "hermite");
        }
}

TEST(HermiteMethod, KeepsThePromiseInSingle) {
  for (const int axes : {1, 2, 3}) {
    const Cloud cloud = flat_cloud(Kind::uniform, 3000, axes);
    EXPECT_LE(measure_gauss(cloud, gauss_options(0.1, 1e-6, Method::hermite, Precision::single_)).worst(), 1e-6);
  }
}

/// Dense boxes, where Hermite series are translated, and few targets or few sources.
TEST(HermiteMethod, TakesEveryInteraction) {
  for (const auto& [sources, targets] : {std::pair{20000, 20000}, {20000, 20}, {20, 20000}}) {
    Cloud cloud = make_cloud(Kind::uniform, sources, Signs::mixed);
    const Cloud other = make_cloud(Kind::uniform, targets + 1, Signs::mixed);
    cloud.targets = other.sources;
    for (std::size_t i = 2; i < cloud.sources.size(); i += 3) cloud.sources[i] = 0;
    for (std::size_t i = 2; i < cloud.targets.size(); i += 3) cloud.targets[i] = 0;
    cloud.label = std::to_string(sources) + " and " + std::to_string(targets);
    EXPECT_LE(measure_gauss(cloud, gauss_options(0.1, 1e-9, Method::hermite)).worst(), 1e-9) << cloud.label;
  }
}

TEST(HermiteMethod, GivesTheSameBitsOnAnyNumberOfThreads) {
  const Cloud cloud = flat_cloud(Kind::plummer, 5000, 2);
  Options o = gauss_options(0.1, 1e-8, Method::hermite);
  o.threads = 1;
  const Result<double> one = make_plan(cloud, o).evaluate(cloud.strengths);
  o.threads = 3;
  const Result<double> three = make_plan(cloud, o).evaluate(cloud.strengths);
  EXPECT_EQ(one.potential, three.potential);
  EXPECT_EQ(one.gradient, three.gradient);
}

TEST(HermiteMethod, BandwidthsOfAnySizeAndPointsInOnePlace) {
  const Cloud cloud = make_cloud(Kind::plummer, 300, Signs::positive);
  double all = 0;
  for (const double q : cloud.strengths) all += q;
  for (const double bandwidth : {1e-100, 1e-20, 1e20, 1e200}) {
    const Result<double> r =
        make_plan(cloud, gauss_options(bandwidth, 1e-9, Method::hermite)).evaluate(cloud.strengths);
    for (std::size_t i = 0; i < r.potential.size(); ++i)
      EXPECT_NEAR(r.potential[i], bandwidth < 1 ? cloud.strengths[i] : all, 1e-9 * all) << bandwidth;
  }
  const std::vector<double> xyz(3 * 500, 0.25), q(500, 2);
  const Result<double> r = Plan(points(xyz), gauss_options(0.1, 1e-9, Method::hermite)).evaluate(q);
  for (const double u : r.potential) EXPECT_NEAR(u, 1000, 1e-6);
}

TEST(HermiteMethod, HoldsNoMoreThanItsBound) {
  const Cloud cloud = flat_cloud(Kind::uniform, 20000, 2);
  const Options o = gauss_options(0.05, 1e-9, Method::hermite);
  const Report r = make_plan(cloud, o).evaluate(cloud.strengths).report;
  EXPECT_GT(r.memory_bytes, 0);
  EXPECT_LE(r.memory_bytes, Plan::memory_bound(20000, 0, o));
}

TEST(HermiteMethod, IsForTheGaussianAlone) {
  const Cloud cloud = make_cloud(Kind::uniform, 100, Signs::mixed);
  Options o;
  o.method = Method::hermite;
  EXPECT_NE(refusal(ErrorCode::usage, [&] { make_plan(cloud, o); }).find("method hermite"), std::string::npos);
}

}  // namespace
}  // namespace farfield::testing

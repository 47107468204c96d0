// Method exponentials of kernel gauss: the promise relative to the sum of |strengths| on lines of any density, at every
// tolerance; the bound of the sum of waves against the Gaussian in long double; the same bits on any number of threads;
// gaps, heaps, few points; when auto takes it; refusals. FARFIELD_TEST_BACKEND=cuda runs the same on a device.
#include "expansions/exponentials/sum.hpp"
#include "support/gauss.hpp"
#include "support/random.hpp"

namespace farfield::testing {
namespace {

/// Points of a line along an axis, unsorted, `density` of them a bandwidth (of 1e-3), every tenth one where another is.
Cloud line(std::int64_t sources, std::int64_t targets, double density, int axis, const std::string& name = "line") {
  Cloud cloud;
  cloud.label = name + " " + std::to_string(sources) + " " + std::to_string(targets) + " " + std::to_string(density) +
                " " + std::to_string(axis);
  Stream random(static_cast<std::uint64_t>(sources + 7 * targets + axis));
  const double length = 1e-3 * static_cast<double>(sources) / density;
  const auto fill = [&](std::vector<double>& xyz, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
      for (int a = 0; a < 3; ++a) {
        const auto before = static_cast<std::size_t>(3 * (i / 2) + a);
        const double x = i % 10 == 9 ? xyz[before] : random.between(-0.3 * length, 0.7 * length);
        xyz.push_back(a == axis ? x : 0.25);
      }
  };
  fill(cloud.sources, sources), fill(cloud.targets, targets);
  for (std::int64_t i = 0; i < sources; ++i) cloud.strengths.push_back(random.between(-1, 1));
  return cloud;
}

Options sweeps(double tolerance, Precision precision = Precision::automatic) {
  return gauss_options(1e-3, tolerance, Method::exponentials, precision);
}

TEST(Exponentials, ErrByNoMoreThanTheirBound) {
  for (const bool slopes : {false, true})
    for (double tolerance = 0.1; tolerance > 1e-14; tolerance /= 4) {
      const exponentials::Sum s = exponentials::make_sum(tolerance, slopes);
      EXPECT_LE(s.error, tolerance);
      long double worst = 0;
      for (long double t = 0; t < 40; t += t < 15 ? 0.01L : 0.1L) {
        long double value = 0, slope = 0;
        for (int k = 0; k < s.terms; ++k) {
          const long double size = std::exp(-s.decay * t), angle = -s.step * (k + 0.5L) * t;
          const long double c = size * std::cos(angle), i = size * std::sin(angle);
          value += s.real[k] * c - s.imag[k] * i, slope += s.slope_real[k] * c - s.slope_imag[k] * i;
        }
        const long double exact = std::exp(-t * t / 2);
        worst = std::max(worst, std::fabs(value - exact));
        if (slopes) worst = std::max(worst, std::fabs(slope + t * exact));
      }
      EXPECT_LE(worst, s.error + 2e-14) << s.terms;
      EXPECT_GE(worst, 0.02 * s.error - 2e-14) << s.terms;  // no waves to spare
    }
}

TEST(Exponentials, KeepThePromise) {
  for (const double density : {0.001, 0.1, 1.0, 20.0, 1000.0})
    for (const std::int64_t targets : {0, 1700})
      for (const double tolerance : {1e-3, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12}) {
        const Cloud cloud = line(3000, targets, density, targets > 0 ? 2 : 0);
        const Outcome o = measure_gauss(cloud, sweeps(tolerance));
        EXPECT_LE(o.worst(), tolerance) << cloud.label;
        EXPECT_EQ(o.report.method, "exponentials");
        if (tolerance == 1e-6) {
          // single precision does not resolve a bandwidth below 1e-6 of the extent
          const Precision least = density > 0.01 ? Precision::single_ : Precision::double_;
          EXPECT_LE(measure_gauss(cloud, sweeps(1e-6, least)).worst(), 1e-6) << cloud.label;
          Options potential = sweeps(1e-6);
          potential.gradient = false;
          EXPECT_LE(measure_gauss(cloud, potential).worst(), 1e-6) << cloud.label;
        }
      }
}

/// 2e5 points in a bandwidth: rounding errors do not add up from gap to gap.
TEST(Exponentials, KeepThePromiseInAHeap) {
  const Cloud cloud = line(200000, 0, 2e5, 1);
  EXPECT_LE(measure_gauss(cloud, sweeps(1e-12)).worst(), 1e-12);
}

/// Stretches of targets alone behind a few sources, where heads would become subnormal numbers; gaps of thousands of
/// bandwidths.
TEST(Exponentials, GapsAndTails) {
  Cloud cloud = line(40, 20000, 0.002, 0, "gaps");
  for (std::size_t i = 0; i < 20; ++i) cloud.sources[3 * i] *= 1e-3;
  const Outcome o = measure_gauss(cloud, sweeps(1e-9));
  EXPECT_LE(o.worst(), 1e-9);
  const Result<double> r = make_plan(cloud, sweeps(1e-9)).evaluate(cloud.strengths);
  for (const double u : r.potential) EXPECT_TRUE(std::isfinite(u));
  for (const double g : r.gradient) EXPECT_TRUE(std::isfinite(g));
}

TEST(Exponentials, GiveTheSameBitsOnAnyNumberOfThreads) {
  const Cloud cloud = line(9000, 3000, 0.5, 0);
  Options o = sweeps(1e-8);
  o.threads = 1;
  const Result<double> one = make_plan(cloud, o).evaluate(cloud.strengths);
  for (const int threads : {2, 3, 7}) {
    o.threads = threads;
    const Result<double> many = make_plan(cloud, o).evaluate(cloud.strengths);
    EXPECT_EQ(one.potential, many.potential);
    EXPECT_EQ(one.gradient, many.gradient);
  }
}

TEST(Exponentials, FewPointsAndHeaps) {
  const Result<double> alone = Plan(points(std::vector<double>{1, 2, 3}), sweeps(1e-9)).evaluate(std::vector{2.0});
  EXPECT_EQ(alone.potential[0], 2);
  EXPECT_NEAR(alone.gradient[0], 0, 1e-9);
  const std::vector<double> none, three{0, 0, 0, 1, 0, 0, 2, 0, 0};
  Plan empty(points(none), points(three), sweeps(1e-9));
  EXPECT_EQ(empty.evaluate(none).potential, std::vector<double>(3, 0.0));
  const std::vector<double> xyz(3 * 500, 0.25), q(500, 2);
  for (const double u : Plan(points(xyz), sweeps(1e-9)).evaluate(q).potential) EXPECT_NEAR(u, 1000, 1e-6);
  for (const double scale : {5e-320, 1e-300, 1e300}) {  // coordinates that are subnormal, tiny, huge
    std::vector<double> x(3 * 100, 0);
    for (std::size_t i = 0; i < 100; ++i) x[3 * i] = static_cast<double>(i * 37 % 100) / 100 * scale;
    const Options o = gauss_options(1e3 * scale, 1e-9, Method::exponentials);
    for (const double u : Plan(points(x), o).evaluate(std::vector<double>(100, 1)).potential)
      EXPECT_NEAR(u, 100, 1e-4) << scale;
  }
}

TEST(Exponentials, BandwidthsOfAnySize) {
  const Cloud cloud = line(300, 0, 1, 0);
  double all = 0, sizes = 0;
  for (const double q : cloud.strengths) all += q, sizes += std::fabs(q);
  for (const double bandwidth : {1e20, 1e200}) {
    const Result<double> r =
        make_plan(cloud, gauss_options(bandwidth, 1e-9, Method::exponentials)).evaluate(cloud.strengths);
    for (const double u : r.potential) EXPECT_NEAR(u, all, 1e-9 * sizes) << bandwidth;
  }
  std::vector<double> xyz, q;
  for (int i = 0; i < 300; ++i) xyz.insert(xyz.end(), {i * 7 % 300 * 0.1, 0, 0}), q.push_back(i - 100.5);
  for (const double bandwidth : {1e-100, 1e-20}) {
    const Result<double> r = Plan(points(xyz), gauss_options(bandwidth, 1e-9, Method::exponentials)).evaluate(q);
    EXPECT_EQ(r.potential, q) << bandwidth;
  }
}

TEST(Exponentials, SeveralVectorsAreSummedAsOneByOne) {
  const Cloud cloud = line(1000, 300, 0.7, 0);
  std::vector<double> both = cloud.strengths, second(cloud.strengths.rbegin(), cloud.strengths.rend());
  both.insert(both.end(), second.begin(), second.end());
  Plan plan = make_plan(cloud, sweeps(1e-8));
  const std::vector<double> together = plan.evaluate(both).potential;
  std::vector<double> apart = plan.evaluate(cloud.strengths).potential;
  const std::vector<double> last = plan.evaluate(second).potential;
  apart.insert(apart.end(), last.begin(), last.end());
  EXPECT_EQ(together, apart);
}

TEST(Exponentials, AutoTakesThemOnSparseLines) {
  for (const double tolerance : {1e-3, 1e-6, 1e-10}) {
    const Cloud sparse = line(100000, 0, 0.05, 0);
    const Outcome o = measure_gauss(sparse, gauss_options(1e-3, tolerance));
    EXPECT_LE(o.worst(), tolerance);
    // with narrower vectors cells may win, and on a device they are not priced
    if (tolerance <= 1e-6 && o.report.simd == "avx512" && !tested_on_device()) {
      EXPECT_EQ(o.report.method, "exponentials");
    }
    EXPECT_NE(measure_gauss(line(100000, 0, 1000, 0), gauss_options(1e-3, tolerance)).report.method, "exponentials");
  }
}

TEST(Exponentials, HoldNoMoreThanTheirBound) {
  for (const std::int64_t count : {1, 100, 20000}) {
    const Cloud cloud = line(count, 0, 0.1, 0);
    const Report r = make_plan(cloud, sweeps(1e-12)).evaluate(cloud.strengths).report;
    EXPECT_GT(r.memory_bytes, 0);
    EXPECT_LE(r.memory_bytes, Plan::memory_bound(count, 0, sweeps(1e-12)));
  }
}

TEST(Exponentials, AreForGaussiansOnALine) {
  const Cloud cloud = make_cloud(Kind::uniform, 100, Signs::mixed);
  Options o;
  o.method = Method::exponentials;
  EXPECT_NE(refusal(ErrorCode::usage, [&] { make_plan(cloud, o); }).find("method exponentials"), std::string::npos);
  EXPECT_NE(refusal(ErrorCode::usage, [&] { make_plan(cloud, sweeps(1e-6)); }).find("on a line"), std::string::npos);
}

}  // namespace
}  // namespace farfield::testing

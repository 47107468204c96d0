// The stream function of vortices with cores: log r gives way to log r + E1(r^2/R^2)/2, of a Gaussian core,
// and to log R - (1 - r^2/R^2)/2 within one of Rankine.
#include "support/vortices.hpp"

namespace farfield::testing {
namespace {

constexpr Precision both[] = {Precision::single_, Precision::double_};
constexpr Core cores[] = {Core::gauss, Core::rankine};

Options stream_options(double tolerance, Core core, double radius, Precision precision = Precision::automatic) {
  Options o = cored(vortex_options(tolerance, precision), core, radius);
  o.stream_function = true;
  return o;
}

TEST(StreamFunction, OfCoresKeepsThePromise) {
  print_header("kernel vortex with cores and stream function");
  for (const Core core : cores)
    for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::sphere, Kind::outside})
      for (const double radius : {1e-9, 1e-3, 1e-2, 0.1, 2.0}) {
        const Cloud cloud = flat_cloud(kind, 800, radius < 1 ? Signs::mixed : Signs::positive);
        const Exact truth = vortex_exact(cloud, stream_options(1e-3, core, radius));
        for (const Precision precision : both)
          for (const double tolerance : {1e-2, 1e-5, 1e-10}) {
            if (precision == Precision::single_ && tolerance < 1e-6) continue;
            Options asked = stream_options(tolerance, core, radius, precision);
            if (tolerance == 1e-2) asked.method = Method::treecode;
            const Outcome o = measure_vortices(cloud, asked, truth);
            print_row(cloud, o);
            EXPECT_LE(o.worst(), slack * tolerance) << cloud.label << ", " << word_of(core) << " " << radius;
          }
      }
}

/// One vortex, at distances from nothing to where its core does not show: the formula, to the last digits.
TEST(StreamFunction, OfOneVortex) {
  const double digits = tested_on_device() ? 3e-15 : 1e-15;  // the logarithm is right to 2.5 units in the last place
  for (const Core core : cores)
    for (const double radius : {1e-150, 1e-3, 1.0, 1e40}) {
      Cloud cloud;
      cloud.sources = {0, 0, 0}, cloud.strengths = {2 * std::numbers::pi}, cloud.targets = {0, 0, 0};
      for (const double over : {1e-160, 1e-100, 1e-30, 1e-9, 1e-3})
        cloud.targets.insert(cloud.targets.end(), {over * radius, 0, 0});
      for (double over = 0.01; over < 10; over += 0.013)
        cloud.targets.insert(cloud.targets.end(), {0.6 * over * radius, 0.8 * over * radius, 0});
      Options o = stream_options(1e-12, core, radius, Precision::double_);
      o.method = Method::direct;
      const Exact truth = vortex_exact(cloud, o);
      const Result<double> r = make_plan(cloud, o).evaluate(cloud.strengths);
      for (std::size_t k = 0; k < truth.targets.size(); ++k) {
        const auto i = static_cast<std::size_t>(truth.targets[k]);
        const double scale = 1 + std::fabs(std::log(radius));
        EXPECT_NEAR(r.potential[i], static_cast<double>(truth.potential[k]), digits * scale)
            << radius << ", target " << i;
      }
      EXPECT_EQ(r.gradient[0], 0);
    }
}

/// Its derivative is the velocity: (u, v) = (d psi/dy, -d psi/dx), through the radius of the core.
TEST(StreamFunction, ItsDerivativeIsTheVelocity) {
  constexpr double step = 1e-5;
  for (const Core core : cores)
    for (double x = 0.02; x < 3; x += 0.07) {
      const std::vector<double> source{0, 0, 0}, targets{x, 0.1, 0, x + step, 0.1, 0, x - step, 0.1, 0}, q{1};
      const Result<double> r = Plan(points(source), points(targets), stream_options(1e-12, core, 1)).evaluate(q);
      EXPECT_NEAR(r.gradient[1], -(r.potential[1] - r.potential[2]) / (2 * step), 1e-9) << x;
    }
}

/// Every pair counts, a vortex and itself, too: results at the sources are those at targets in the same places.
TEST(StreamFunction, CountsPointsThatCoincide) {
  Cloud cloud = flat_cloud(Kind::uniform, 800, Signs::mixed);
  for (std::size_t i = 0; i < 200; ++i) {
    cloud.sources[3 * i] = cloud.sources[3 * (i + 200)];
    const double y = cloud.sources[3 * (i + 200) + 1];
    cloud.sources[3 * i + 1] = i % 3 ? y : std::nextafter(y, 2);
  }
  for (std::size_t i = 500; i < 700; ++i)  // a heap
    for (std::size_t axis = 0; axis < 2; ++axis) cloud.sources[3 * i + axis] = 0.3;
  for (const double radius : {1e-17, 1e-3, 0.1})
    for (const Core core : cores) {
      const Exact truth = vortex_exact(cloud, stream_options(1e-5, core, radius));
      for (const Precision precision : both)
        for (const Method method : {Method::fmm, Method::direct}) {
          Options o = stream_options(1e-5, core, radius, precision);
          o.method = method;
          EXPECT_LE(measure_vortices(cloud, o, truth).worst(), slack * o.tolerance) << radius;
          const Result<double> apart = Plan(points(cloud.sources), points(cloud.sources), o).evaluate(cloud.strengths);
          EXPECT_LE(relative_error(apart.potential, truth.potential, truth.targets, 1), slack * o.tolerance) << radius;
        }
    }
}

/// Far pairs are those of point vortices, and what they lack of the logarithm is measured as well.
TEST(StreamFunction, LeavesFarPairsFar) {
  const Cloud cloud = flat_cloud(Kind::uniform, 15'000, Signs::mixed);
  for (const Core core : cores) {
    const Options o = stream_options(1e-6, core, 1e-2);
    const Exact truth = vortex_exact(cloud, o);
    const Outcome found = measure_vortices(cloud, o, truth);
    EXPECT_LE(found.worst(), slack * o.tolerance);
    EXPECT_GT(found.report.far_fraction, 0.5);
    Options none = o;
    none.core = Core::none, none.core_radius = 0;
    EXPECT_GT(measure_vortices(cloud, none, truth).potential, 10 * o.tolerance);
  }
}

TEST(StreamFunction, AnyUnitOfLength) {
  for (const double unit : {1e-100, 1e-30, 1e30, 1e100})
    for (const Core core : cores) {
      Cloud cloud = flat_cloud(Kind::uniform, 2'000, Signs::mixed);
      for (double& x : cloud.sources) x *= unit;
      EXPECT_LE(measure_vortices(cloud, stream_options(1e-6, core, 0.01 * unit)).worst(), slack * 1e-6) << unit;
    }
}

TEST(StreamFunction, SameBitsForAnyNumberOfThreadsAndAChecksError) {
  const Cloud cloud = flat_cloud(Kind::plummer, 20'000, Signs::mixed);
  for (const Precision precision : both) {
    Options o = stream_options(1e-5, Core::gauss, 0.02, precision);
    o.threads = 1, o.check = 100;
    const Result<double> one = make_plan(cloud, o).evaluate(cloud.strengths);
    ASSERT_TRUE(one.report.error);
    EXPECT_LE(one.report.error->potential, o.tolerance);
    EXPECT_GT(one.report.error->potential, 0);
    for (const int threads : {2, 5}) {
      o.threads = threads;
      EXPECT_EQ(hash_of(make_plan(cloud, o).evaluate(cloud.strengths).potential), hash_of(one.potential)) << threads;
    }
  }
}

TEST(StreamFunction, OfNoPointsAndOnePoint) {
  const std::vector<double> none, one{1, 2, 3}, q{2};
  const Options o = stream_options(1e-6, Core::rankine, 2);
  EXPECT_TRUE(Plan(points(none), o).evaluate(none).potential.empty());
  const Result<double> r = Plan(points(one), o).evaluate(q);
  EXPECT_NEAR(r.potential[0], -(std::log(2.0) - 0.5) / std::numbers::pi, 1e-7);
  EXPECT_EQ(r.gradient, (std::vector<double>{0, 0, 0}));
}

}  // namespace
}  // namespace farfield::testing

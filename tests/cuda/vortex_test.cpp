// Kernels vortex and cauchy on the device: every path of their near and far fields, with and without the stream
// function and cores. What tests/accuracy/vortex_test.cpp and rows_test.cpp hold the CPU to runs on a device as well
// (FARFIELD_TEST_BACKEND=cuda).
#include "support/gpu.hpp"
#include "support/vortices.hpp"

namespace farfield::testing {
namespace {

constexpr Precision both[] = {Precision::single_, Precision::double_};

Options device_options(Kernel kernel, double tolerance, Precision precision) {
  Options o = vortex_options(tolerance, precision);
  o.backend = Backend::cuda, o.kernel = kernel;
  return o;
}

/// Kernels with what may be asked of them: velocities, with their stream function, with cores; Cauchy sums.
std::vector<Options> all_options(double tolerance, Precision precision, double radius) {
  const Options plain = device_options(Kernel::vortex, tolerance, precision);
  Options stream = plain;
  stream.stream_function = true;
  return {plain, stream, cored(plain, Core::gauss, radius), cored(plain, Core::rankine, radius),
          device_options(Kernel::cauchy, tolerance, precision)};
}

class CudaVortex : public GpuTest {};

/// One far source at a time, from 1e-6 of the extent to the extent, with and without cores.
TEST_F(CudaVortex, PairsAreExact) {
  const std::vector<double> source{0, 0, 2}, q{-3};
  Cloud cloud;
  cloud.sources = source, cloud.strengths = q;
  for (int i = 0; i < 4'000; ++i) {
    const double r = std::exp2(-20 + 0.005 * i), angle = 0.1 * i;
    cloud.targets.insert(cloud.targets.end(), {r * std::cos(angle), r * std::sin(angle), 2});
  }
  for (const Precision precision : both)
    for (Options o : all_options(1e-6, precision, 0x1p-8)) {
      o.method = Method::direct;
      const Result<double> r = make_plan(cloud, o).evaluate(q);
      // coordinates in single are rounded to 2^-24 of the tile
      const double eps = precision == Precision::single_ ? 4e-6 : 1e-14;
      for (std::size_t i = 0; i < cloud.targets.size(); i += 3) {
        const PointSum exact = vortex_sum_at(cloud, &cloud.targets[i], o);
        for (std::size_t a = 0; a < 3; ++a)
          EXPECT_NEAR(r.gradient[i + a], double(exact.g[a]), eps * double(exact.abs_g)) << word_of(o.core) << ' ' << i;
        if (o.stream_function) {
          EXPECT_NEAR(r.potential[i / 3], double(exact.u), eps * (1 + std::fabs(double(exact.u))));
        }
      }
    }
}

TEST_F(CudaVortex, KeepsThePromise) {
  print_header("cuda, kernels vortex and cauchy");
  for (const Kind kind : all_kinds) {
    const Cloud cloud = flat_cloud(kind, 5'000, Signs::mixed);
    const auto single = all_options(1e-5, Precision::single_, 1e-3),
               twice = all_options(1e-9, Precision::double_, 1e-3);
    for (std::size_t k = 0; k < single.size(); ++k) {
      const Exact truth = vortex_exact(cloud, single[k]);
      for (const Options& o : {single[k], twice[k]}) {
        const Outcome found = measure_vortices(cloud, o, truth);
        print_row(cloud, found);
        EXPECT_EQ(found.report.backend, "cuda");
        EXPECT_LE(found.worst(), slack * o.tolerance) << cloud.label << ' ' << found.report.kernel << ' ' << k;
      }
    }
  }
}

/// On trees small enough for a sanitizer: all lists, families and tiles, m2l of constant sizes and of any.
TEST_F(CudaVortex, TakesEveryPathOnSmallTrees) {
  std::int64_t m2p = 0, p2l = 0;
  for (const Kind kind : {Kind::plummer, Kind::apart, Kind::two_clusters})
    for (const Precision precision : both)
      for (Options o : all_options(1e-3, precision, 1e-4))
        for (const int degree : {3, 13, 33}) {
          o.leaf_size = degree == 3 ? 60 : 13, o.degree = degree;
          const Cloud cloud = flat_cloud(kind, 801, Signs::mixed);
          const Outcome found = measure_vortices(cloud, o);
          EXPECT_LE(found.worst(), degree == 3 ? 0.3 : 1e-3) << cloud.label << ", degree " << degree;
          EXPECT_GT(found.report.far_fraction, 0) << cloud.label;
          m2p += found.report.m2p_boxes, p2l += found.report.p2l_boxes;
        }
  EXPECT_GT(m2p, 0);
  EXPECT_GT(p2l, 0);
}

/// The stream function's plan sums the same velocities, with and without the logarithm. Its lists may differ, so that
/// truncation has to be small as well.
TEST_F(CudaVortex, VelocitiesAloneAreThoseOfBoth) {
  for (const Kind kind : {Kind::plummer, Kind::apart})
    for (const Precision precision : both) {
      const Cloud cloud = flat_cloud(kind, 8'000, Signs::mixed);
      Options o = device_options(Kernel::vortex, 1e-5, precision);
      o.degree = precision == Precision::single_ ? 13 : 42, o.leaf_size = 20;
      const Result<double> alone = make_plan(cloud, o).evaluate(cloud.strengths);
      o.stream_function = true;
      const Result<double> two = make_plan(cloud, o).evaluate(cloud.strengths);
      EXPECT_TRUE(alone.potential.empty());
      double difference = 0, size = 0;
      for (std::size_t i = 0; i < two.gradient.size(); ++i)
        difference += std::pow(alone.gradient[i] - two.gradient[i], 2), size += std::pow(two.gradient[i], 2);
      EXPECT_LE(std::sqrt(difference / size), precision == Precision::single_ ? 1e-6 : 1e-12) << cloud.label;
    }
}

TEST_F(CudaVortex, GivesTheSameBitsFiveTimes) {
  const Cloud cloud = flat_cloud(Kind::plummer, 20'003, Signs::mixed);
  for (const Precision precision : both)
    for (const Options& o : all_options(1e-5, precision, 1e-3)) expect_same_bits(cloud, o, 5);
}

/// Cores as wide as many leaves: boxes stay wide, and what far pairs lack is half of the tolerance.
TEST_F(CudaVortex, WideCores) {
  const Cloud cloud = flat_cloud(Kind::uniform, 15'000, Signs::mixed);
  for (const Core core : {Core::gauss, Core::rankine})
    for (const double radius : {1e-3, 5e-3, 2e-2}) {
      const Exact truth = vortex_exact(cloud, cored(device_options(Kernel::vortex, 1e-5, both[0]), core, radius));
      for (const Precision precision : both) {
        const Options o = cored(
            device_options(Kernel::vortex, precision == Precision::single_ ? 1e-5 : 1e-9, precision), core, radius);
        const Outcome found = measure_vortices(cloud, o, truth);
        print_row(cloud, found);
        EXPECT_LE(found.worst(), slack * o.tolerance) << word_of(core) << ' ' << radius;
        EXPECT_EQ(found.report.warnings.size(), 0u);
        if (radius < 0.01) {
          EXPECT_GT(found.report.far_fraction, 0.5);
        }
      }
    }
}

TEST_F(CudaVortex, ResultsAtSourcesMovedAndOfSeveralVectors) {
  const Cloud cloud = flat_cloud(Kind::apart, 6'000, Signs::mixed);
  std::vector<double> two = cloud.strengths;
  for (const double q : cloud.strengths) two.push_back(2 * q);
  for (const Kernel kernel : {Kernel::vortex, Kernel::cauchy})
    for (const Precision precision : both) {
      const double tolerance = precision == Precision::single_ ? 1e-5 : 1e-10;
      Options o = device_options(kernel, tolerance, precision);
      o.at_sources = true;
      Plan plan(points(cloud.targets), points(cloud.sources), o);
      plan.move(points(cloud.sources), points(cloud.targets));
      const Result<double> r = plan.evaluate(two);
      const Exact truth = vortex_exact(cloud, o);
      Cloud alone = cloud;
      alone.targets.clear();
      const Exact own = vortex_exact(alone, o);
      const std::size_t m = cloud.targets.size(), n = cloud.sources.size();
      ASSERT_EQ(r.gradient.size(), 2 * m);
      ASSERT_EQ(r.source_gradient.size(), 2 * n);
      const std::vector<double> first(r.gradient.begin(), r.gradient.begin() + std::ptrdiff_t(m)),
          at_sources(r.source_gradient.begin(), r.source_gradient.begin() + std::ptrdiff_t(n));
      EXPECT_LE(relative_error(first, truth.gradient, truth.targets, 3), slack * tolerance);
      EXPECT_LE(relative_error(at_sources, own.gradient, own.targets, 3), slack * tolerance);
      for (std::size_t i = 0; i < m; ++i) EXPECT_EQ(r.gradient[m + i], 2 * r.gradient[i]);
      for (std::size_t i = 2; i < m; i += 3) EXPECT_EQ(r.gradient[i], 0);
    }
}

/// Without asking for it: the same decision as a kernel that was always there.
TEST_F(CudaVortex, IsChosenWhereItIsFaster) {
  const Cloud cloud = flat_cloud(Kind::uniform, 400'000, Signs::mixed);
  Options o = device_options(Kernel::vortex, 1e-5, Precision::single_);
  o.backend = Backend::automatic;
  EXPECT_EQ(make_plan(cloud, o).report().backend, "cuda");
}

TEST_F(CudaVortex, NoPointsAndOnePoint) {
  for (const Precision precision : both)
    for (const Options& o : all_options(1e-5, precision, 2)) {
      const std::vector<double> none, one{1, 2, 3}, q{2};
      EXPECT_TRUE(Plan(points(none), o).evaluate(none).gradient.empty());
      EXPECT_EQ(Plan(points(one), o).evaluate(q).gradient, (std::vector<double>{0, 0, 0}));
    }
}

}  // namespace
}  // namespace farfield::testing

// Kernel yukawa3d on the device: against direct sums in long double, laplace3d and the CPU, every path of its far
// field.
#include "support/screened.hpp"

#include <tuple>

#include "support/gpu.hpp"

namespace farfield::testing {
namespace {

constexpr double screenings[] = {0, 1, 10, 1000};  ///< kappa times the extent

Options device_options(double kappa, double tolerance, Precision precision) {
  Options o = screened_options(kappa, tolerance, precision);
  o.backend = Backend::cuda;
  return o;
}

Outcome expect_kept(const Cloud& cloud, double screening, Options o) {
  const Outcome found = measure_screened(cloud, o);
  if (found.worst() > slack * o.tolerance) print_row(cloud, found);
  EXPECT_EQ(found.report.backend, "cuda");
  EXPECT_LE(found.worst(), slack * o.tolerance)
      << cloud.label << ", kappa times extent " << screening << ", " << found.report.method << ", degree "
      << found.report.degree << ", " << found.report.precision;
  return found;
}

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double error = 0, all = 0;
  for (std::size_t i = 0; i < a.size(); ++i) error += std::pow(a[i] - b[i], 2), all += std::pow(b[i], 2);
  return std::sqrt(error / all);
}

class CudaScreened : public GpuTest {};

/// One far source at a time: the exponential of the device.
TEST_F(CudaScreened, PairsAreExact) {
  const std::vector<double> source{0, 0, 2}, q{-3};
  std::vector<double> targets;
  for (int i = 0; i < 4'000; ++i) {
    const double r = std::exp2(-20 + 0.005 * i), angle = 0.1 * i;
    targets.insert(targets.end(), {r * std::cos(angle), r * std::sin(angle), 2});
  }
  for (const Precision precision : {Precision::single_, Precision::double_})
    for (const double kappa : {0.0, 0.01, 1.0, 40.0}) {
      Options o = device_options(kappa, 1e-6, precision);
      o.method = Method::direct;
      const Result<double> r = Plan(points(source), points(targets), o).evaluate(q);
      for (std::size_t i = 0; i < r.potential.size(); ++i) {
        const long double x = targets[3 * i], y = targets[3 * i + 1], d = std::sqrt(x * x + y * y);
        const long double u = -3 * std::exp(-kappa * d) / d, fall = u * (1 + kappa * d) / (d * d);
        const double at = static_cast<double>(kappa * d);
        // coordinates in single are rounded to 2^-24 of the tile; kappa r errs as r does
        const double eps = (precision == Precision::single_ ? 2e-6 : 4e-15) * (1 + at);
        const double smallest = precision == Precision::single_ ? 1e-37 : 1e-300;
        EXPECT_NEAR(r.potential[i], double(u), eps * std::fabs(double(u)) + smallest) << "kappa r = " << at;
        EXPECT_NEAR(r.gradient[3 * i], double(-fall * x), eps * std::fabs(double(fall * d)) + smallest);
        EXPECT_NEAR(r.gradient[3 * i + 1], double(-fall * y), eps * std::fabs(double(fall * d)) + smallest);
      }
    }
}

TEST_F(CudaScreened, KeepsThePromise) {
  print_header("cuda, kernel yukawa3d");
  const auto keep = [](const Cloud& cloud, double screening, double tolerance, Precision precision, Method method) {
    Options o = device_options(screening / extent_of(cloud), tolerance, precision);
    o.method = method;
    expect_kept(cloud, screening, o);
  };
  for (const Kind kind : {Kind::uniform, Kind::sphere, Kind::plummer, Kind::apart})
    for (const double screening : screenings) {
      const Cloud cloud = make_cloud(kind, 4'000, screening < 5 ? Signs::mixed : Signs::positive);
      for (const double t : {1e-3, 1e-5}) keep(cloud, screening, t, Precision::automatic, Method::fmm);
      for (const double t : {1e-3, 1e-9, 1e-12}) keep(cloud, screening, t, Precision::double_, Method::fmm);
      for (const double t : {1e-3, 1e-12}) keep(cloud, screening, t, Precision::automatic, Method::direct);
    }
}

TEST_F(CudaScreened, KeepsThePromiseInSingleWithExpansions) {
  for (const Kind kind : {Kind::uniform, Kind::apart})
    for (const double screening : {0.0, 1.0, 10.0, 60.0}) {
      const Cloud cloud = make_cloud(kind, 12'000, Signs::mixed);
      const double kappa = screening / extent_of(cloud);
      for (const double t : {1e-4, 3e-6}) {
        Options o = device_options(kappa, t, Precision::single_);
        o.leaf_size = 60;  // most pairs are far
        const Outcome found = expect_kept(cloud, screening, o);
        if (kind == Kind::uniform) {
          EXPECT_GT(found.report.far_fraction, 0.4);
        }
      }
    }
}

class CudaScreenedScheme : public CudaScreened,
                           public ::testing::WithParamInterface<std::tuple<Precision, int, Stencil>> {};

/// Every path on trees small enough for a sanitizer: all lists, both stencils, levels whose expansions are left out.
TEST_P(CudaScreenedScheme, TakesEveryPathOnSmallTrees) {
  const auto [precision, degree, stencil] = GetParam();
  std::int64_t m2p = 0, p2l = 0;
  for (const Kind kind : {Kind::plummer, Kind::apart}) {
    const Cloud cloud = make_cloud(kind, few_points(801), Signs::mixed);
    for (const double screening : {5.0, 3000.0}) {
      Options o = device_options(screening / extent_of(cloud), 1e-3, precision);
      o.stencil = stencil, o.leaf_size = 13, o.degree = degree;
      const Outcome found = measure_screened(cloud, o);
      if (screening < 100) {
        EXPECT_LE(found.worst(), degree == 3 ? 0.3 : 2e-2) << cloud.label << ", degree " << degree;
      }
      EXPECT_GE(found.report.levels, few_points(100) == 100 ? 4 : 3) << cloud.label;
      m2p += found.report.m2p_boxes, p2l += found.report.p2l_boxes;
    }
  }
  EXPECT_GT(m2p, 0);
  EXPECT_GT(p2l, 0);
}
INSTANTIATE_TEST_SUITE_P(Schemes, CudaScreenedScheme,
                         ::testing::Combine(::testing::Values(Precision::single_, Precision::double_),
                                            ::testing::Values(3, 8),
                                            ::testing::Values(Stencil::full, Stencil::reduced)));

TEST_F(CudaScreened, EveryDegreeErrsAsOnTheCpu) {
  const Cloud cloud = make_cloud(Kind::plummer, 5'000, Signs::mixed);
  for (const double screening : {1.0, 30.0})
    for (const int degree : {0, 1, 2, 3, 5, 8, 12, 17, 24})
      for (const Precision precision : {Precision::single_, Precision::double_}) {
        Options o = device_options(screening / extent_of(cloud), 1e-3, precision);
        o.degree = degree, o.leaf_size = 20;
        const Outcome gpu = measure_screened(cloud, o);
        o.backend = Backend::cpu;
        const Outcome cpu = measure_screened(cloud, o);
        const double floor = precision == Precision::single_ ? 1e-6 : 1e-13;
        EXPECT_LE(gpu.potential, 2 * cpu.potential + floor) << "degree " << degree;
        EXPECT_LE(gpu.gradient, 2 * cpu.gradient + floor) << "degree " << degree;
      }
}

TEST_F(CudaScreened, IsLaplaceWithoutScreening) {
  for (const Kind kind : {Kind::uniform, Kind::apart})
    for (const M2l m2l : {M2l::dense, M2l::rotation})
      for (const Precision precision : {Precision::single_, Precision::double_}) {
        const Cloud cloud = make_cloud(kind, 4'000, Signs::mixed);
        Options o = device_options(0, 1e-5, precision);
        o.degree = 8, o.depth = 3, o.m2l = m2l;  // the same lists for both
        const Result<double> screened = make_plan(cloud, o).evaluate(cloud.strengths);
        o.kernel = Kernel::laplace3d;
        const Result<double> laplace = make_plan(cloud, o).evaluate(cloud.strengths);
        const double rounding = precision == Precision::single_ ? 2e-6 : 1e-14;
        EXPECT_LE(difference(screened.potential, laplace.potential), rounding);
        EXPECT_LE(difference(screened.gradient, laplace.gradient), rounding);
      }
}

/// Points that coincide contribute nothing to one another; others a hair apart count.
TEST_F(CudaScreened, CoincidentPoints) {
  for (const double screening : {0.0, 10.0, 1e9})
    for (const Method method : {Method::fmm, Method::direct}) {
      Cloud cloud = make_cloud(Kind::uniform, few_points(3'000), Signs::positive);
      cloud.label += "/pairs";
      const auto some = static_cast<std::size_t>(3 * few_points(300));
      for (std::size_t i = 0; i < some; ++i) cloud.sources[i + some] = cloud.sources[i];
      for (std::size_t i = 0; i < some / 3; i += 3) cloud.sources[i + some] += 0x1p-40;
      Options o = device_options(screening / extent_of(cloud), 1e-6, Precision::automatic);
      o.method = method;
      expect_kept(cloud, screening, o);
    }
}

TEST_F(CudaScreened, IsRightForAnyScreening) {
  const Cloud cloud = make_cloud(Kind::uniform, 500, Signs::positive);
  for (const double kappa : {1e300, 1e19, 1e30, 1e8, 1e6}) {
    const Result<double> nothing =
        make_plan(cloud, device_options(kappa, 1e-6, Precision::automatic)).evaluate(cloud.strengths);
    for (const double u : nothing.potential) EXPECT_EQ(u, 0) << kappa;
  }
}

TEST_F(CudaScreened, GivesTheSameBitsFiveTimes) {
  for (const Kind kind : {Kind::plummer, Kind::apart})
    for (const Precision precision : {Precision::single_, Precision::double_}) {
      const Cloud cloud = make_cloud(kind, 20'003, Signs::mixed);
      expect_same_bits(cloud, device_options(10 / extent_of(cloud), 1e-5, precision), 5);
    }
}

/// A plan that is moved makes the tables of its new tree.
TEST_F(CudaScreened, MovedPointsHaveTheirOwnTables) {
  const Cloud cloud = make_cloud(Kind::uniform, 8'000, Signs::mixed);
  Cloud larger = cloud;
  larger.label += "/larger";
  for (double& x : larger.sources) x *= 3;
  const Options o = device_options(5, 1e-6, Precision::double_);
  Plan plan = make_plan(cloud, o);
  plan.evaluate(cloud.strengths);
  plan.move(points(larger.sources));
  const Result<double> moved = plan.evaluate(larger.strengths), fresh = make_plan(larger, o).evaluate(larger.strengths);
  EXPECT_EQ(moved.potential, fresh.potential);
  EXPECT_EQ(moved.gradient, fresh.gradient);
}

}  // namespace
}  // namespace farfield::testing

// Kernel yukawa3d: the promise from no screening to where all is near, exact sums, and what is refused.
#include <numbers>

#include "support/screened.hpp"

namespace farfield::testing {
namespace {

constexpr double screenings[] = {0, 1e-6, 0.1, 1, 10, 100, 1e4, 1e8};  ///< kappa times the extent

TEST(Yukawa, KeepsThePromise) {
  print_header("kernel yukawa3d, kappa times extent 0 to 1e8");
  for (const Kind kind : {Kind::uniform, Kind::sphere, Kind::plummer, Kind::two_clusters, Kind::lattice, Kind::apart})
    for (const Signs signs : {Signs::mixed, Signs::positive})
      for (const double screening : screenings) {
        const Cloud cloud = make_cloud(kind, 800, signs);
        const double kappa = screening / extent_of(cloud);
        for (const double tolerance : {1e-3, 1e-5, 1e-9}) {
          const Outcome o = measure_screened(cloud, screened_options(kappa, tolerance));
          if (o.worst() > slack * tolerance) print_row(cloud, o);
          EXPECT_LE(o.worst(), slack * tolerance) << cloud.label << ", kappa times extent " << screening << ", degree "
                                                  << o.report.degree << ", " << o.report.precision;
        }
      }
}

TEST(Yukawa, KeepsThePromiseInBothPrecisionsWithExpansions) {
  print_header("kernel yukawa3d, more points, precisions");
  for (const Kind kind : {Kind::uniform, Kind::apart})
    for (const double screening : {1.0, 10.0, 60.0}) {
      const Cloud cloud = make_cloud(kind, 12'000, Signs::mixed);
      const double kappa = screening / extent_of(cloud);
      const struct {
        Precision precision;
        double tolerance;
      } asked[] = {{Precision::single_, 1e-4}, {Precision::single_, 3e-6}, {Precision::double_, 1e-7}};
      for (const auto& [precision, tolerance] : asked) {
        Options options = screened_options(kappa, tolerance, precision);
        options.leaf_size = 60;  // most pairs are far
        const Outcome o = measure_screened(cloud, options);
        if (o.worst() > slack * tolerance) print_row(cloud, o);
        EXPECT_LE(o.worst(), slack * tolerance) << cloud.label << ", kappa times extent " << screening;
        if (kind == Kind::uniform && screening < 2) {
          EXPECT_GT(o.report.far_fraction, 0.4);
        }
      }
    }
}

TEST(Yukawa, IsLaplaceWithoutScreening) {
  const Cloud cloud = make_cloud(Kind::uniform, 4'000, Signs::mixed);
  for (const M2l m2l : {M2l::dense, M2l::rotation}) {
    Options o = screened_options(0, 1e-6, Precision::double_);
    o.degree = 8, o.depth = 3, o.m2l = m2l;  // the same lists for both
    const Result<double> screened = make_plan(cloud, o).evaluate(cloud.strengths);
    o.kernel = Kernel::laplace3d;
    const Result<double> laplace = make_plan(cloud, o).evaluate(cloud.strengths);
    ASSERT_GT(laplace.report.far_fraction, 0.5);
    double error = 0, all = 0;
    for (std::size_t i = 0; i < laplace.potential.size(); ++i) {
      error += std::pow(screened.potential[i] - laplace.potential[i], 2);
      all += std::pow(laplace.potential[i], 2);
    }
    EXPECT_LE(std::sqrt(error / all), 1e-14);
  }
}

TEST(Yukawa, KeepsThePromiseByAnyScheme) {
  const Cloud cloud = make_cloud(Kind::plummer, 4'000, Signs::mixed);
  const double kappa = 5 / extent_of(cloud);
  for (const M2l m2l : {M2l::dense, M2l::rotation})
    for (const Stencil stencil : {Stencil::full, Stencil::reduced})
      for (const Method method : {Method::fmm, Method::direct}) {
        Options o = screened_options(kappa, 1e-5);
        o.m2l = m2l, o.stencil = stencil, o.method = method, o.leaf_size = 30;
        EXPECT_LE(measure_screened(cloud, o).worst(), slack * o.tolerance);
      }
}

/// Outside a uniformly charged sphere of radius a the potential is sinh(kappa a)/(kappa a) times that of a charge at
/// its centre; points of Fibonacci's spiral stand for the surface, to about 1/count.
TEST(Yukawa, FieldOfAChargedSphere) {
  const std::int64_t count = 20'000;
  std::vector<double> sources, targets;
  for (std::int64_t k = 0; k < count; ++k) {
    const double z = 1 - (2 * static_cast<double>(k) + 1) / static_cast<double>(count), s = std::sqrt(1 - z * z),
                 angle = std::numbers::pi * (3 - std::sqrt(5.0)) * static_cast<double>(k);
    sources.insert(sources.end(), {s * std::cos(angle), s * std::sin(angle), z});
  }
  for (int k = 0; k < 2'000; ++k) {
    const double r = 1.3 + 0.001 * k, angle = 0.7 * k, z = std::sin(1.3 * k), s = std::sqrt(1 - z * z);
    targets.insert(targets.end(), {r * s * std::cos(angle), r * s * std::sin(angle), r * z});
  }
  const std::vector<double> strengths(static_cast<std::size_t>(count), 1 / static_cast<double>(count));
  for (const double kappa : {0.3, 3.0}) {
    const Result<double> r = Plan(points(sources), points(targets), screened_options(kappa, 1e-9)).evaluate(strengths);
    EXPECT_GT(r.report.far_fraction, 0.5);
    for (std::size_t k = 0; k < r.potential.size(); ++k) {
      const double* x = &targets[3 * k];
      const double distance = std::hypot(x[0], x[1], x[2]);
      const double exact = std::sinh(kappa) / kappa * std::exp(-kappa * distance) / distance;
      EXPECT_NEAR(r.potential[k] / exact, 1, 1e-5);
      const double slope = -exact * (kappa + 1 / distance);
      for (std::size_t a = 0; a < 3; ++a)
        EXPECT_NEAR(r.gradient[3 * k + a], slope * x[a] / distance, 1e-4 * std::fabs(slope));
    }
  }
}

TEST(Yukawa, HasTheSameBitsWithAnyNumberOfThreads) {
  const Cloud cloud = make_cloud(Kind::plummer, 6'000, Signs::mixed);
  Options o = screened_options(20 / extent_of(cloud), 1e-6);
  o.leaf_size = 40, o.threads = 1;
  const Result<double> one = make_plan(cloud, o).evaluate(cloud.strengths);
  o.threads = 3;
  const Result<double> three = make_plan(cloud, o).evaluate(cloud.strengths);
  EXPECT_EQ(one.potential, three.potential);
  EXPECT_EQ(one.gradient, three.gradient);
}

/// Lengths times s and kappa over s: potentials over s.
TEST(Yukawa, HasNoUnitOfLength) {
  const Cloud cloud = make_cloud(Kind::uniform, 3'000, Signs::mixed);
  for (const double unit : {0x1p-300, 0x1p200}) {
    Cloud other = cloud;
    for (double& x : other.sources) x *= unit;
    const Result<double> here = make_plan(cloud, screened_options(3, 1e-6)).evaluate(cloud.strengths);
    const Result<double> there = make_plan(other, screened_options(3 / unit, 1e-6)).evaluate(cloud.strengths);
    for (std::size_t i = 0; i < here.potential.size(); ++i) EXPECT_EQ(there.potential[i] * unit, here.potential[i]);
  }
}

std::string refusal(Kernel kernel, double kappa) {
  Options o;
  o.kernel = kernel, o.kappa = kappa;
  const std::vector<double> two = {0, 0, 0, 1, 0, 0};
  try {
    Plan(points(two), o);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::usage);
    return e.what();
  }
  return "";
}

TEST(Yukawa, RefusesWhatIsNoScreening) {
  EXPECT_NE(refusal(Kernel::yukawa3d, -1).find("kappa -1 is not"), std::string::npos);
  EXPECT_NE(refusal(Kernel::yukawa3d, NAN).find("kappa nan is not"), std::string::npos);
  EXPECT_NE(refusal(Kernel::yukawa3d, INFINITY).find("kappa inf is not"), std::string::npos);
  EXPECT_NE(refusal(Kernel::laplace3d, 1).find("is not screened"), std::string::npos);
  EXPECT_EQ(refusal(Kernel::yukawa3d, 1e300), "");
  EXPECT_EQ(refusal(Kernel::yukawa3d, 1e-300), "");
}

/// Where the screening length is below the smallest distances, nothing but 0 is left; a pair as near as that counts.
TEST(Yukawa, IsRightForAnyScreening) {
  Cloud cloud = make_cloud(Kind::uniform, 500, Signs::positive);
  cloud.label += "/pair";
  for (int a = 0; a < 3; ++a)
    cloud.sources[3 + static_cast<std::size_t>(a)] = cloud.sources[static_cast<std::size_t>(a)];
  cloud.sources[3] += 0x1p-40;
  for (const double kappa : {1e9, 1e12, 1e13})
    EXPECT_LE(measure_screened(cloud, screened_options(kappa, 1e-6)).worst(), 1e-6) << kappa;
  const Result<double> nothing = make_plan(cloud, screened_options(1e300, 1e-6)).evaluate(cloud.strengths);
  for (const double u : nothing.potential) EXPECT_EQ(u, 0);
}

}  // namespace
}  // namespace farfield::testing

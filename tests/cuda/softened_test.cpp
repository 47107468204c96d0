// Softening on a device: direct sums by the spline and with cores, and all kinds in the fast method, against sums in
// long double. tests/accuracy/softened_fmm_test.cpp and softened_derivatives_test.cpp run on a device as well
// (FARFIELD_TEST_BACKEND=cuda), and Plummer's kernel in direct_test.cpp.
#include "support/softened.hpp"

#include "support/gpu.hpp"

namespace farfield::testing {
namespace {

class CudaSoftening : public GpuTest, public ::testing::WithParamInterface<SofteningKind> {
 protected:
  const How how{Backend::cuda, GetParam()};
};
class CudaGaussianCore : public GpuTest {};
std::string kind_name(const ::testing::TestParamInfo<SofteningKind>& info) { return word_of(info.param); }
INSTANTIATE_TEST_SUITE_P(Kinds, CudaSoftening,
                         ::testing::Values(SofteningKind::spline, SofteningKind::algebraic, SofteningKind::gauss),
                         kind_name);

TEST_P(CudaSoftening, OddSizes) { soften_odd_sizes(how, {1, 2, 33, 127, 513, 1'025}); }
TEST_P(CudaSoftening, EveryCloud) { soften_kinds(how); }
TEST_P(CudaSoftening, CoincidentPoints) { soften_coincident_points(how); }
TEST_P(CudaSoftening, UnitsFarFromOne) { soften_far_units(how); }
TEST_P(CudaSoftening, LengthsWhoseSquareIsOutOfRange) { soften_beyond_squares(how); }
TEST_P(CudaSoftening, ResultsAtSourcesAndTargets) { soften_at_sources(how); }
TEST_P(CudaSoftening, OneParticle) { soften_one_particle(how); }
TEST_P(CudaSoftening, IsThatOfTheCheck) { check_softened(how); }

/// One source with a Gaussian core, at distances around its reach of 10 lengths and far from it, alone and with targets
/// on both sides of the reach in one thread: erf(rho/sqrt 2)/r and its derivative.
TEST_F(CudaGaussianCore, IsExactAtAnyDistance) {
  constexpr double length = 0.01;
  const std::vector<double> source{0, 0, 3}, q{-2};
  for (const bool mixed : {false, true}) {
    std::vector<double> targets;
    for (int i = 0; i < 3'000; ++i) {
      const double rho = mixed ? (i % 2 ? 9.9 + 1e-4 * i : 0.05 * (1 + i % 400)) : std::exp2(-4 + 0.004 * i);
      targets.insert(targets.end(), {rho * length * std::cos(0.3 * i), rho * length * std::sin(0.3 * i), 3});
    }
    for (const Precision precision : both_precisions) {
      Options o = softened_options(length, precision, How(Backend::cuda, SofteningKind::gauss));
      o.method = Method::direct;
      const Result<double> r = Plan(points(source), points(targets), o).evaluate(q);
      // single: coordinates are rounded to 2^-24 of the tile's extent, of which the nearest pairs are a 60th
      const double eps = precision == Precision::single_ ? 4e-5 : 1e-13;
      for (std::size_t i = 0; i < r.potential.size(); ++i) {
        const double x = targets[3 * i], y = targets[3 * i + 1], d = std::hypot(x, y), rho = d / length;
        const double whole = std::erf(rho / std::sqrt(2.0)),
                     fall = std::sqrt(2 / 3.14159265358979324) * std::exp(-rho * rho / 2);
        const double u = -2 * whole / d, slope = 2 * (whole - rho * fall) / (d * d);
        const double size = 2 / std::max(d, length);
        EXPECT_NEAR(r.potential[i], u, eps * size) << "rho " << rho;
        EXPECT_NEAR(r.gradient[3 * i], slope * x / d, eps * size / std::max(d, length)) << "rho " << rho;
        EXPECT_NEAR(r.gradient[3 * i + 1], slope * y / d, eps * size / std::max(d, length)) << "rho " << rho;
      }
    }
  }
}

class CudaSoftenedFmm : public GpuTest, public ::testing::WithParamInterface<SofteningKind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, CudaSoftenedFmm, ::testing::ValuesIn(all_softenings), kind_name);

Options fast(double softening, SofteningKind kind, double tolerance, Precision precision) {
  Options o = softened_options(softening, precision, How(Backend::cuda, kind));
  o.method = Method::fmm;
  o.tolerance = tolerance;
  return o;
}

/// Errors relative to the sums of absolute values, which the promise bounds for strengths of one sign.
Report expect_fast(const Cloud& cloud, const Options& o) {
  const Result<double> r = make_plan(cloud, o).evaluate(cloud.strengths);
  const SoftenedErrors e = softened_errors(cloud, o, cloud.where(), cloud.apart(), r.potential, r.gradient);
  const std::string what = cloud.label + ", " + word_of(o.softening_kind) + " " + std::to_string(o.softening) + ", " +
                           r.report.precision + ", leaves of " + std::to_string(o.leaf_size);
  EXPECT_LE(e.potential, o.tolerance) << what;
  EXPECT_LE(e.gradient, o.tolerance) << what;
  EXPECT_EQ(r.report.backend, "cuda");
  return r.report;
}

/// Families of small leaves, narrow tiles and wide ones, with coincident points in each: small enough for a sanitizer.
TEST_P(CudaSoftenedFmm, TakesEveryPathOnSmallTrees) {
  const SofteningKind kind = GetParam();
  for (const Precision precision : both_precisions)
    for (const std::int64_t leaf_size : {13, 60, 200})
      for (const Kind points : {Kind::uniform, Kind::plummer, Kind::apart}) {
        const double extent = points == Kind::plummer ? 100 : 1;
        Options o = fast(2e-4 * extent, kind, 1e-3, precision);
        o.leaf_size = leaf_size;
        const Report r = expect_fast(with_coincident_points(make_cloud(points, few_points(1'201), Signs::positive)), o);
        EXPECT_EQ(r.method, "fmm");
        EXPECT_GE(r.levels, points == Kind::plummer && few_points(100) == 100 ? 3 : 2);
      }
}

/// Leaves about as wide as the reach, so that most near pairs are within it, and reaches far below the leaves.
TEST_P(CudaSoftenedFmm, KeepsThePromiseAtAllLengths) {
  const SofteningKind kind = GetParam();
  for (const Kind points : {Kind::uniform, Kind::two_clusters, Kind::outside})
    for (const double softening : {1e-12, 1e-6, 1e-3, 0.02, 0.3, 1e5}) {
      // sums of Gaussian cores in long double are series: 5,000 points take minutes
      const Cloud cloud = make_cloud(points, kind == SofteningKind::gauss ? 1'200 : 5'000, Signs::positive);
      expect_fast(cloud, fast(softening, kind, 1e-4, Precision::single_));
      expect_fast(cloud, fast(softening, kind, 1e-8, Precision::double_));
    }
}

TEST_P(CudaSoftenedFmm, AgreesWithTheCpu) {
  const SofteningKind kind = GetParam();
  const Cloud cloud = with_coincident_points(make_cloud(Kind::uniform, 20'003, Signs::positive));
  const double length = kind == SofteningKind::plummer ? 1e-6 : kind == SofteningKind::algebraic ? 1e-4 : 0.01;
  Options o = fast(length, kind, 1e-9, Precision::double_);
  o.degree = 16, o.leaf_size = 70;
  const Result<double> gpu = make_plan(cloud, o).evaluate(cloud.strengths);
  o.backend = Backend::cpu;
  const Result<double> cpu = Plan(points(cloud.sources), o).evaluate(cloud.strengths);
  EXPECT_EQ(gpu.report.near_pairs, cpu.report.near_pairs);
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < cpu.gradient.size(); ++i) {
    difference += std::pow(gpu.gradient[i] - cpu.gradient[i], 2);
    size += std::pow(cpu.gradient[i], 2);
  }
  EXPECT_LE(std::sqrt(difference / size), 1e-12) << word_of(kind);  // two orders of the same terms
}

/// Only at the sources does a particle leave itself out, though the tree has reordered both sets.
TEST_P(CudaSoftenedFmm, ResultsAtSourcesAndTargets) {
  const Cloud cloud = with_coincident_points(make_cloud(Kind::apart, few_points(3'000), Signs::positive));
  for (const Precision precision : both_precisions) expect_kept_at_both(cloud, fast(1e-5, GetParam(), 1e-5, precision));
}

TEST_P(CudaSoftenedFmm, GivesTheSameBitsTenTimes) {
  const Cloud cloud = with_coincident_points(make_cloud(Kind::plummer, 5'003, Signs::mixed));
  for (const Precision precision : both_precisions)
    for (const std::int64_t leaf_size : {13, 200}) {
      Options o = fast(0.01, GetParam(), 1e-4, precision);
      o.leaf_size = leaf_size;
      expect_same_bits(cloud, o, 10);
    }
}

}  // namespace
}  // namespace farfield::testing

// Softening on a device: direct sums by the spline, and both kinds in the fast method, against sums in long double.
// tests/accuracy/softened_fmm_test.cpp runs on a device as well (FARFIELD_TEST_BACKEND=cuda).
#include "support/softened.hpp"

#include "support/gpu.hpp"

namespace farfield::testing {
namespace {

constexpr SofteningKind both_kinds[] = {SofteningKind::plummer, SofteningKind::spline};
const How spline(Backend::cuda, SofteningKind::spline);

class CudaSpline : public GpuTest {};

TEST_F(CudaSpline, OddSizes) { soften_odd_sizes(spline, {1, 2, 33, 127, 513, 1'025}); }
TEST_F(CudaSpline, EveryCloud) { soften_kinds(spline); }
TEST_F(CudaSpline, CoincidentPoints) { soften_coincident_points(spline); }
TEST_F(CudaSpline, UnitsFarFromOne) { soften_far_units(spline); }
TEST_F(CudaSpline, LengthsWhoseSquareIsOutOfRange) { soften_beyond_squares(spline); }
TEST_F(CudaSpline, ResultsAtSourcesAndTargets) { soften_at_sources(spline); }
TEST_F(CudaSpline, OneParticle) { soften_one_particle(spline); }
TEST_F(CudaSpline, IsThatOfTheCheck) { check_softened(spline); }

class CudaSoftenedFmm : public GpuTest {};

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
TEST_F(CudaSoftenedFmm, TakesEveryPathOnSmallTrees) {
  for (const SofteningKind kind : both_kinds)
    for (const Precision precision : both_precisions)
      for (const std::int64_t leaf_size : {13, 60, 200})
        for (const Kind points : {Kind::uniform, Kind::plummer, Kind::apart}) {
          const double extent = points == Kind::plummer ? 100 : 1;
          Options o = fast(2e-4 * extent, kind, 1e-3, precision);
          o.leaf_size = leaf_size;
          const Report r = expect_fast(with_coincident_points(make_cloud(points, 1'201, Signs::positive)), o);
          EXPECT_EQ(r.method, "fmm");
          EXPECT_GE(r.levels, points == Kind::plummer ? 3 : 2);
        }
}

/// Leaves about as wide as the reach, so that most near pairs are within it, and reaches far below the leaves.
TEST_F(CudaSoftenedFmm, KeepsThePromiseAtAllLengths) {
  for (const Kind points : {Kind::uniform, Kind::two_clusters, Kind::outside})
    for (const SofteningKind kind : both_kinds)
      for (const double softening : {1e-12, 1e-6, 1e-3, 0.02, 0.3, 1e5}) {
        const Cloud cloud = make_cloud(points, 5'000, Signs::positive);
        expect_fast(cloud, fast(softening, kind, 1e-4, Precision::single_));
        expect_fast(cloud, fast(softening, kind, 1e-8, Precision::double_));
      }
}

TEST_F(CudaSoftenedFmm, AgreesWithTheCpu) {
  for (const SofteningKind kind : both_kinds) {
    const Cloud cloud = with_coincident_points(make_cloud(Kind::uniform, 20'003, Signs::positive));
    Options o = fast(kind == SofteningKind::plummer ? 1e-6 : 0.01, kind, 1e-9, Precision::double_);
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
}

/// Only at the sources does a particle leave itself out, though the tree has reordered both sets.
TEST_F(CudaSoftenedFmm, ResultsAtSourcesAndTargets) {
  const Cloud cloud = with_coincident_points(make_cloud(Kind::apart, 3'000, Signs::positive));
  for (const SofteningKind kind : both_kinds)
    for (const Precision precision : both_precisions) expect_kept_at_both(cloud, fast(1e-5, kind, 1e-5, precision));
}

TEST_F(CudaSoftenedFmm, GivesTheSameBitsTenTimes) {
  const Cloud cloud = with_coincident_points(make_cloud(Kind::plummer, 5'003, Signs::mixed));
  for (const SofteningKind kind : both_kinds)
    for (const Precision precision : both_precisions)
      for (const std::int64_t leaf_size : {13, 200}) {
        Options o = fast(0.01, kind, 1e-4, precision);
        o.leaf_size = leaf_size;
        expect_same_bits(cloud, o, 10);
      }
}

}  // namespace
}  // namespace farfield::testing

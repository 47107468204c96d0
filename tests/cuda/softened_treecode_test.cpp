// Method treecode of softened sums on a device, one length and lengths of the points, against sums in long double.
#include <algorithm>
#include <cmath>

#include "support/gpu.hpp"
#include "support/lengths.hpp"

namespace farfield::testing {
namespace {

constexpr SofteningKind both_kinds[] = {SofteningKind::plummer, SofteningKind::spline};

Options treecode(double softening, SofteningKind kind, double tolerance, Precision precision) {
  Options o = softened_options(softening, precision, How(Backend::cuda, kind));
  o.method = Method::treecode;
  o.tolerance = tolerance;
  return o;
}
Options treecode(const Softly& c, double tolerance, Precision precision) {
  return treecode(0, c.kind, tolerance, precision);
}
/// A sum that its judge does not trust is repeated, as a direct one where that is cheap.
bool ran(const Report& r) { return r.method == "treecode" || r.method == "direct"; }
double extent_of(Kind kind) { return kind == Kind::plummer ? 100 : 1; }

/// Errors relative to the sums of absolute values, which the promise bounds for strengths of one sign.
Report expect_kept(const Cloud& cloud, const Options& o) {
  const Result<double> r = make_plan(cloud, o).evaluate(cloud.strengths);
  const SoftenedErrors e = softened_errors(cloud, o, cloud.where(), cloud.apart(), r.potential, r.gradient);
  const std::string what = cloud.label + ", " + word_of(o.softening_kind) + " " + std::to_string(o.softening) + ", " +
                           r.report.precision + ", leaves of " + std::to_string(o.leaf_size);
  EXPECT_LE(e.potential, o.tolerance) << what;
  EXPECT_LE(e.gradient, o.tolerance) << what;
  EXPECT_EQ(r.report.backend, "cuda");
  EXPECT_TRUE(ran(r.report)) << what;
  return r.report;
}
Report expect_kept(const Softly& c, const Options& o, std::size_t step) {
  const Result<double> r = c.plan(o).evaluate(c.cloud.strengths);
  const Missed m = missed(c, false, r.potential, r.gradient, step);
  const std::string what =
      c.cloud.label + ", " + word_of(c.kind) + ", " + r.report.precision + ", " + std::to_string(r.report.softening);
  EXPECT_LE(m.potential, o.tolerance) << what;
  EXPECT_LE(m.gradient, o.tolerance) << what;
  EXPECT_EQ(r.report.backend, "cuda");
  EXPECT_TRUE(ran(r.report)) << what;
  return r.report;
}

class CudaSoftenedTreecode : public GpuTest {};

/// Softened and accepted boxes, coincident points, targets apart: small enough for a sanitizer.
TEST_F(CudaSoftenedTreecode, TakesEveryPathOnSmallTrees) {
  for (const SofteningKind kind : both_kinds)
    for (const Precision precision : both_precisions)
      for (const Kind cloud : {Kind::uniform, Kind::plummer, Kind::apart}) {
        const Cloud c = with_coincident_points(make_cloud(cloud, 701, Signs::positive));
        const double softening = (kind == SofteningKind::plummer ? 1e-3 : 0.02) * extent_of(cloud);
        Options o = treecode(softening, kind, 1e-3, precision);
        o.leaf_size = 7;
        EXPECT_GT(expect_kept(c, o).m2p_boxes, 0) << c.label;
        Options own = treecode(0, kind, 1e-3, precision);
        own.leaf_size = 7;
        EXPECT_GT(expect_kept(Softly(c, Lengths::some_without, softening, kind), own, 1).m2p_boxes, 0) << c.label;
      }
}

/// Lengths from those that no pair notices to those beside which all pairs look the same.
TEST_F(CudaSoftenedTreecode, KeepsThePromiseAtAllLengths) {
  for (const Kind cloud : {Kind::uniform, Kind::two_clusters, Kind::outside, Kind::apart})
    for (const SofteningKind kind : both_kinds)
      for (const double softening : {1e-12, 1e-6, 1e-3, 0.02, 0.3, 1e5, 1e20})
        for (const std::int64_t leaf_size : {0, 12}) {
          const Cloud c = make_cloud(cloud, 2'500, Signs::positive);
          Options single = treecode(softening, kind, 1e-4, Precision::single_),
                  twice = treecode(softening, kind, 1e-8, Precision::double_);
          single.leaf_size = twice.leaf_size = leaf_size;
          expect_kept(c, single);
          expect_kept(c, twice);
        }
}

TEST_F(CudaSoftenedTreecode, KeepsThePromiseWithOwnLengths) {
  for (const Kind cloud : {Kind::uniform, Kind::plummer, Kind::two_clusters, Kind::apart, Kind::outside})
    for (const SofteningKind kind : both_kinds)
      for (const Lengths how : {Lengths::two_kinds, Lengths::some_without})
        for (const double scale : {1e-5, 1e-3, 0.05})
          for (const double tolerance : {1e-3, 1e-5, 1e-9}) {
            const Softly c(make_cloud(cloud, 2'000, Signs::positive), how, scale * extent_of(cloud), kind);
            Options o = treecode(c, tolerance, Precision::automatic);
            o.leaf_size = 20;
            expect_kept(c, o, 2);
          }
}

/// No source that is softened at a target may be expanded, whatever accepts boxes: the angle alone, the angle about
/// centres of mass, or the error.
TEST_F(CudaSoftenedTreecode, ExpandsNoBoxWithinTheReach) {
  for (const SofteningKind kind : both_kinds)
    for (const double theta : {0.0, 1.0})
      for (const int degree : {0, 2, 3}) {
        const Cloud cloud = make_cloud(Kind::uniform, 3'000, Signs::positive);
        Options o = treecode(1.0, kind, 1e-3, Precision::single_);
        o.degree = degree, o.theta = theta, o.leaf_size = 5;
        const Result<double> r = make_plan(cloud, o).evaluate(cloud.strengths);
        const SoftenedErrors e = softened_errors(cloud, o, cloud.where(), false, r.potential, r.gradient);
        EXPECT_EQ(r.report.m2p_boxes, 0) << word_of(kind) << " " << degree << " " << theta;
        EXPECT_LE(std::max(e.potential, e.gradient), softened_bound<float>(3'000)) << word_of(kind) << " " << degree;
        o.softening = 0.02, o.softening_kind = SofteningKind::spline;
        if (degree > 0) {  // whose angle a tolerance may choose
          EXPECT_GT(make_plan(cloud, o).report().m2p_boxes, 0) << degree << " " << theta;
        }
      }
}

/// Boxes accepted by their error beside the softened acceleration: 99 of 100 targets err by about the tolerance.
TEST_F(CudaSoftenedTreecode, AcceptsByErrorWhereStrengthsHaveOneSign) {
  for (const SofteningKind kind : both_kinds)
    for (const double softening : {0.01, 0.2}) {
      const Cloud cloud = make_cloud(Kind::plummer, 20'000, Signs::positive);
      Options o = treecode(softening, kind, 1e-3, Precision::single_), direct = o;
      o.degree = 2, o.leaf_size = 16;
      direct.method = Method::direct, direct.precision = Precision::double_;
      const Result<double> found = make_plan(cloud, o).evaluate(cloud.strengths),
                           exact = make_plan(cloud, direct).evaluate(cloud.strengths);
      std::vector<double> errors;
      for (std::size_t i = 0; i < exact.gradient.size(); i += 3) {
        double error = 0, size = 0;
        for (std::size_t a = i; a < i + 3; ++a)
          error += std::pow(found.gradient[a] - exact.gradient[a], 2), size += std::pow(exact.gradient[a], 2);
        errors.push_back(std::sqrt(error / size));
      }
      std::sort(errors.begin(), errors.end());
      const double most = errors[errors.size() * 99 / 100];
      std::printf("# by error, %s %g: 99 of 100 err by less than %.2e, far %.3f\n", word_of(kind), softening, most,
                  found.report.far_fraction);
      EXPECT_LE(most, 3 * o.tolerance) << word_of(kind) << " " << softening;
    }
}

/// Only at the sources does a particle leave itself out, though the tree has reordered both sets.
TEST_F(CudaSoftenedTreecode, ResultsAtSourcesAndTargets) {
  const Cloud cloud = with_coincident_points(make_cloud(Kind::apart, 2'000, Signs::positive));
  for (const SofteningKind kind : both_kinds)
    for (const Precision precision : both_precisions) {
      Options o = treecode(1e-5, kind, 1e-5, precision);
      expect_kept_at_both(cloud, o);
      o.at_sources = true;
      const Softly c(cloud, Lengths::some_without, 1e-3, kind);
      o.softening = 0;
      const Result<double> with = c.plan(o).evaluate(cloud.strengths);
      const Missed at_targets = missed(c, false, with.potential, with.gradient, 5),
                   at_sources = missed(c, true, with.source_potential, with.source_gradient, 5);
      for (const double error : {at_targets.potential, at_targets.gradient, at_sources.potential, at_sources.gradient})
        EXPECT_LE(error, o.tolerance);
    }
}

/// One particle is no force on itself; targets on it have the potential alone.
TEST_F(CudaSoftenedTreecode, OneParticleAndNone) {
  const std::vector<double> none, one{1, 2, 3}, two{1, 2, 3, 1, 2, 3}, q{3}, lengths{0.5, 0.5};
  for (const SofteningKind kind : both_kinds)
    for (const Precision precision : both_precisions) {
      const Options o = treecode(0.25, kind, 1e-5, precision);
      EXPECT_TRUE(Plan(points(none), o).evaluate(none).potential.empty());
      const Result<double> alone = Plan(points(one), o).evaluate(q),
                           apart = Plan(points(one), points(two), o).evaluate(q);
      EXPECT_EQ(alone.potential, std::vector<double>{0});
      EXPECT_EQ(alone.gradient, (std::vector<double>{0, 0, 0}));
      for (const double u : apart.potential) EXPECT_NEAR(u, 12, 1e-5);
      for (const double g : apart.gradient) EXPECT_EQ(g, 0);
      Points with = points(two);
      with.softening = lengths.data();
      const std::vector<double> both{3, 3};
      for (const double u : Plan(with, o).evaluate(both).potential) EXPECT_NEAR(u, 6, 1e-5);
    }
}

TEST_F(CudaSoftenedTreecode, EqualLengthsAreOneAndMovesLeaveNoTrace) {
  const Cloud cloud = make_cloud(Kind::plummer, 5'000, Signs::positive);
  for (const SofteningKind kind : both_kinds)
    for (const Precision precision : both_precisions)
      expect_moves_without_trace(cloud, kind, treecode(0, kind, 1e-4, precision));
}

TEST_F(CudaSoftenedTreecode, StaysBelowItsMemoryBound) {
  for (const Kind cloud : {Kind::uniform, Kind::plummer, Kind::sphere})
    for (const std::int64_t leaf_size : {0, 8, 100}) {
      const Softly c(make_cloud(cloud, 20'000, Signs::positive), Lengths::two_kinds, 1e-3, SofteningKind::spline);
      Options o = treecode(c, 1e-5, Precision::automatic);
      o.leaf_size = leaf_size;
      Plan plan = c.plan(o);
      plan.evaluate(c.cloud.strengths);
      EXPECT_GE(Plan::memory_bound(20'000, 0, o), plan.report().memory_bytes) << name(cloud) << " " << leaf_size;
    }
}

}  // namespace
}  // namespace farfield::testing

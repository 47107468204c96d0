// Softening in the fast method: the promise against sums of the softened kernel in long double, and what the trees look
// like that keep it.
#include "backends/cpu/transfer/crowding.hpp"
#include "backends/cpu/transfer/survey.hpp"
#include "kernels/laplace3d.hpp"
#include "model/choose.hpp"
#include "support/softened.hpp"
#include "tree/crowding.hpp"

namespace farfield::testing {
namespace {



Options softened_fmm(double softening, SofteningKind kind, double tolerance, Precision precision) {
  Options o = softened_options(softening, precision, How(Backend::cpu, kind));
  o.method = Method::fmm;
  o.tolerance = tolerance;
  return o;
}

/// The relative L2 errors over some targets.
struct Missed {
  double potential = 0, gradient = 0;
};
constexpr std::size_t usual_targets = 250;
Missed missed(const Cloud& cloud, const Options& o, const std::vector<double>& where, bool with_self,
              const std::vector<double>& potential, const std::vector<double>& gradient,
              std::size_t most = usual_targets) {
  const std::size_t step = std::max<std::size_t>(1, potential.size() / most);
  long double error_u = 0, error_g = 0, all_u = 0, all_g = 0;
  for (std::size_t i = 0; i < potential.size(); i += step) {
    const PointSum s = softened_sum_at(cloud, &where[3 * i], with_self ? -1 : static_cast<std::int64_t>(i), o);
    error_u += (potential[i] - s.u) * (potential[i] - s.u), all_u += s.u * s.u;
    for (std::size_t a = 0; a < 3 && !gradient.empty(); ++a) {
      const long double e = gradient[3 * i + a] - s.g[a];
      error_g += e * e, all_g += s.g[a] * s.g[a];
    }
  }
  return {static_cast<double>(std::sqrt(error_u / all_u)),
          all_g > 0 ? static_cast<double>(std::sqrt(error_g / all_g)) : 0};
}

Report expect_kept(const Cloud& cloud, const Options& o, std::size_t targets = usual_targets) {
  const Result<double> r = make_plan(cloud, o).evaluate(cloud.strengths);
  const Missed m = missed(cloud, o, cloud.where(), cloud.apart(), r.potential, r.gradient, targets);
  const std::string what = cloud.label + ", " + word_of(o.softening_kind) + " " + std::to_string(o.softening) + ", " +
                           r.report.precision + ", degree " + std::to_string(r.report.degree);
  EXPECT_LE(m.potential, o.tolerance) << what;
  EXPECT_LE(m.gradient, o.tolerance) << what;
  EXPECT_TRUE(r.report.warnings.empty()) << what << ": " << r.report.warnings.front();
  EXPECT_EQ(r.report.softening_kind, word_of(o.softening_kind));
  return r.report;
}

class SoftenedFmm : public ::testing::TestWithParam<std::tuple<Kind, SofteningKind>> {};

double extent_of(Kind kind) { return kind == Kind::plummer ? 100 : 1; }

TEST_P(SoftenedFmm, KeepsThePromise) {
  const auto [kind, softening_kind] = GetParam();
  for (const Signs signs : {Signs::positive, Signs::mixed}) {
    const Cloud cloud = make_cloud(kind, 3'000, signs);
    for (const double softening : {1e-8, 1e-5, 1e-3, 0.01, 0.1}) {
      const double length = softening * extent_of(kind);
      expect_kept(cloud, softened_fmm(length, softening_kind, 1e-3, Precision::single_));
      expect_kept(cloud, softened_fmm(length, softening_kind, 1e-5, Precision::single_));
      Options small_leaves = softened_fmm(length, softening_kind, 1e-6, Precision::double_);
      small_leaves.leaf_size = 10;
      expect_kept(cloud, small_leaves);
      expect_kept(cloud, softened_fmm(length, softening_kind, 1e-11, Precision::double_));
    }
  }
}

std::string name_of(const ::testing::TestParamInfo<SoftenedFmm::ParamType>& info) {
  return std::string(name(std::get<0>(info.param))) + "_" + word_of(std::get<1>(info.param));
}
INSTANTIATE_TEST_SUITE_P(Clouds, SoftenedFmm,
                         ::testing::Combine(::testing::Values(Kind::uniform, Kind::plummer, Kind::two_clusters,
                                                              Kind::sphere, Kind::apart, Kind::outside),
                                            ::testing::ValuesIn(all_softenings)),
                         name_of);

/// Where expansions carry most pairs: a softening shorter than leaves leaves the far field as it is.
TEST(SoftenedTree, ShortLengthsLeavePairsToExpansions) {
  for (const Kind kind : {Kind::uniform, Kind::plummer})
    for (const SofteningKind softening : all_softenings) {
      const Cloud cloud = make_cloud(kind, 20'000, Signs::positive);
      const double length = (softening == SofteningKind::spline ? 1e-3 : 1e-6) * extent_of(kind);
      const Report r = expect_kept(cloud, softened_fmm(length, softening, 1e-6, Precision::double_));
      EXPECT_GT(r.far_fraction, 0.8);
      EXPECT_EQ(r.method, "fmm") << "evaluated again";
    }
}

/// A long one leaves all pairs to p2p, whose sum is as exact as the direct one.
TEST(SoftenedTree, LongLengthsLeaveNothingToExpansions) {
  for (const double length : {0.9, 1e3, 1e30, 1e300})
    for (const SofteningKind kind : all_softenings)
      for (const Precision precision : both_precisions) {
        const Options o = softened_fmm(length, kind, 1e-3, precision);
        const Cloud cloud = make_cloud(Kind::uniform, 500, Signs::positive);
        const Result<double> r = make_plan(cloud, o).evaluate(cloud.strengths);
        const SoftenedErrors e = softened_errors(cloud, o, cloud.where(), false, r.potential, r.gradient);
        const double bound = precision == Precision::single_ ? 2e-6 : 1e-13;
        EXPECT_EQ(r.report.far_fraction, 0) << length;
        EXPECT_LE(e.potential, bound) << length;
        EXPECT_LE(e.gradient, length < 1e100 ? bound : 2) << length;  // 1/length^3 is no number
      }
}

/// Coincident points in one leaf, more than are summed as a heap without softening. The few targets beside them carry
/// the gradient's norm, so that some targets do not stand for all.
TEST(SoftenedTree, CoincidentPointsContribute) {
  Cloud cloud = make_cloud(Kind::uniform, 3'000, Signs::positive);
  cloud.label += "/heap";
  for (std::size_t i = 3; i < 3 * 1'500; ++i) cloud.sources[i] = cloud.sources[i % 3];
  for (const SofteningKind kind : all_softenings)
    for (const Precision precision : both_precisions) {
      const Report r = expect_kept(cloud, softened_fmm(1e-4, kind, 1e-5, precision), cloud.strengths.size());
      EXPECT_GE(r.near_pairs, 1'500 * 1'500);
    }
}

/// Only at the sources does a particle leave itself out, though the tree has reordered both sets.
TEST(SoftenedTree, ResultsAtSourcesAndTargets) {
  const Cloud cloud = with_coincident_points(make_cloud(Kind::apart, 3'000, Signs::positive));
  for (const SofteningKind kind : all_softenings)
    for (const Precision precision : both_precisions) {
      Options o = softened_fmm(1e-5, kind, 1e-5, precision);
      o.at_sources = true;
      o.check = 200;
      const Result<double> r = make_plan(cloud, o).evaluate(cloud.strengths);
      const Missed apart = missed(cloud, o, cloud.targets, true, r.potential, r.gradient);
      const Missed own = missed(cloud, o, cloud.sources, false, r.source_potential, r.source_gradient);
      for (const double error : {apart.potential, apart.gradient, own.potential, own.gradient})
        EXPECT_LE(error, o.tolerance);
      EXPECT_LE(r.report.error->potential, o.tolerance);
      EXPECT_LE(r.report.error->gradient, o.tolerance);
    }
}

TEST(SoftenedTree, MovedPlansAndThreadsChangeNoBit) {
  const Cloud first = make_cloud(Kind::uniform, 5'000, Signs::positive),
              second = make_cloud(Kind::plummer, 4'000, Signs::mixed);
  for (const SofteningKind kind : all_softenings) {
    Options o = on_tested_backend(softened_fmm(1e-3, kind, 1e-5, Precision::automatic));
    o.threads = 1;
    Plan moved(points(first.sources), o);
    moved.evaluate(first.strengths);
    moved.move(points(second.sources));
    o.threads = 3;
    const Result<double> a = moved.evaluate(second.strengths),
                         b = Plan(points(second.sources), o).evaluate(second.strengths);
    EXPECT_EQ(a.potential, b.potential);
    EXPECT_EQ(a.gradient, b.gradient);
  }
}

/// Targets within a shell of charges 1.003 and, twice as large, one of charges -2: far away 1/r cancels, but not what
/// Plummer's kernel lacks of it, which no bound relative to single pairs shows.
TEST(SoftenedTree, CancellingSumsAreJudged) {
  Cloud cloud{"two shells", {}, {}, {}};
  Stream random(7);
  for (int i = 0; i < 20'000; ++i) {
    const double radius = 1 + i % 2;
    for (const double x : on_sphere(random)) cloud.sources.push_back(radius * x);
    cloud.strengths.push_back(i % 2 ? -2 : 1.003);
  }
  for (int i = 0; i < 3 * 20'000; ++i) cloud.targets.push_back(random.between(-0.15, 0.15));
  Options o = softened_fmm(0.0158, SofteningKind::plummer, 1e-3, Precision::double_);
  o.gradient = false;
  o.leaf_size = 20;
  const Result<double> r = make_plan(cloud, o).evaluate(cloud.strengths);
  EXPECT_LT(r.report.condition_potential, promised_condition);
  EXPECT_LE(missed(cloud, o, cloud.targets, true, r.potential, {}).potential, o.tolerance);
  EXPECT_EQ(r.report.method, "direct");
}

TEST(SoftenedChoice, AutomaticTakesTheCheaperMethod) {
  const auto ran = [](Kind kind, std::int64_t n, double softening, SofteningKind as, double tolerance) {
    Options o = softened_fmm(softening, as, tolerance, Precision::double_);
    o.method = Method::automatic;
    const Cloud cloud = make_cloud(kind, n, Signs::positive);
    const Plan plan(points(cloud.sources), o);
    EXPECT_GE(Plan::memory_bound(n, 0, o), plan.report().memory_bytes);
    return plan.report().method;
  };
  constexpr SofteningKind plummer = SofteningKind::plummer, spline = SofteningKind::spline;
  EXPECT_EQ(ran(Kind::uniform, 20'000, 0.001, spline, 1e-6), "fmm");
  EXPECT_EQ(ran(Kind::uniform, 20'000, 0.3, spline, 1e-6), "direct");
  EXPECT_EQ(ran(Kind::uniform, 20'000, 1e-5, plummer, 1e-6), "fmm");
  EXPECT_EQ(ran(Kind::uniform, 20'000, 0.01, plummer, 1e-6), "direct");
  EXPECT_EQ(ran(Kind::plummer, 20'000, 1e-4, spline, 1e-6), "fmm");
  EXPECT_EQ(ran(Kind::plummer, 20'000, 10, spline, 1e-6), "direct");
  EXPECT_EQ(ran(Kind::two_clusters, 20'000, 1e-6, spline, 1e-6), "fmm");
  EXPECT_EQ(ran(Kind::uniform, 100, 1e-5, plummer, 1e-6), "direct");
}

/// 1 at the edge of the extent: all sources. Of a uniform cube a share that falls with the volume.
TEST(SoftenedChoice, CrowdingIsThatOfThePoints) {
  const Cloud cloud = make_cloud(Kind::uniform, 100'000, Signs::positive);
  Geometry g = cpu::survey(points(cloud.sources), nullptr, 1);
  find_crowding(g, cpu::draw_points(points(cloud.sources), g, 1 << 15), nullptr);
  for (int level = 0; level < 5; ++level) EXPECT_NEAR(g.crowding[level] / std::pow(0.125, level), 1e5, 5e3) << level;
}

/// Whatever the backend: expansions where they are cheaper, in leaves that the softening makes wide enough.
TEST(SoftenedChoice, ADeviceHasTheSameLeaves) {
  const Machine device{Backend::cuda, Simd::avx2, std::int64_t(100) << 30}, host{Backend::cpu, Simd::avx2};
  Geometry g;
  g.sources = g.targets = 1'000'000;
  g.extent = g.largest = 1;
  for (const SofteningKind kind : {SofteningKind::plummer, SofteningKind::spline}) {
    Options o = softened_fmm(1e-6, kind, 1e-5, Precision::automatic);
    o.method = Method::automatic;
    EXPECT_EQ(choose(o, g, device).method, Method::fmm);
    EXPECT_EQ(choose(o, g, device).least_edge, choose(o, g, host).least_edge);
    o.softening = 0.9;
    EXPECT_EQ(choose(o, g, device).method, Method::direct);
  }
}

TEST(SoftenedChoice, ADepthThatSofteningForbidsIsRefused) {
  const Cloud cloud = make_cloud(Kind::uniform, 1'000, Signs::positive);
  Options o = softened_fmm(0.05, SofteningKind::spline, 1e-3, Precision::double_);  // reach 0.14
  o.depth = 2;
  expect_kept(cloud, o);
  o.depth = 3;
  const std::string sentence = refusal(ErrorCode::usage, [&] { make_plan(cloud, o); });
  EXPECT_NE(sentence.find("deepest level here is 2"), std::string::npos) << sentence;
}

/// Laplace3d::of_spline against GADGET's way of writing it; r K and its derivative are continuous at u = 1/2 and 1.
template <class Real>
void expect_spline(Real bound) {
  const double reach = 0.7, softening = reach / 2.8;
  for (int i = 0; i <= 3000; ++i) {
    const Real r = static_cast<Real>(i * reach / 2000), r2 = r * r;
    Real out[4] = {};
    Laplace3d::of_spline<4, Real>(r2 > 0 ? 1 / std::sqrt(r2) : 0, r2, static_cast<Real>(1 / reach), Real(2), r, 0, 0,
                                  out);
    const SoftenedPair pair = spline_pair((long double)r2, softening);
    EXPECT_NEAR(out[0] / static_cast<double>(2 * pair.potential), 1, bound) << r;
    EXPECT_NEAR(-out[1], static_cast<double>(2 * r * pair.slope), 4 * bound * 16) << r;
    EXPECT_EQ(out[2], 0);
  }
}
TEST(Spline, IsGadgets) {
  expect_spline<double>(4e-15);
  expect_spline<float>(1e-6f);
}

TEST(Spline, IsContinuousAndItsGradientIsTheDerivative) {
  for (const long double u : {1e-3L, 0.3L, 0.5L, 0.8L, 1.0L, 1.3L}) {
    const auto at = [&](long double v) { return spline_pair(v * v, 1 / 2.8L); };
    const long double step = 1e-6L, below = at(u - step).potential, above = at(u + step).potential;
    EXPECT_NEAR((double)((above - below) / (2 * step)), (double)(-u * at(u).slope), 1e-9) << (double)u;
    EXPECT_NEAR((double)at(u - 1e-12L).slope, (double)at(u + 1e-12L).slope, 1e-9) << (double)u;
    double out[4] = {};
    const double v = (double)u;
    Laplace3d::of_spline<4>(1 / v, v * v, 1.0, 1.0, v, 0.0, 0.0, out);
    EXPECT_NEAR(out[1], (double)((above - below) / (2 * step)), 1e-9) << v;
  }
  EXPECT_EQ((double)spline_pair(0, 0.25L).potential, 4);
}

}  // namespace
}  // namespace farfield::testing

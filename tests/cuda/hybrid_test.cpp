// Backend hybrid on a device: against the cores and the device alone, the promise, several vectors, moves, any share.
// What needs no device is in tests/hybrid.
#include "backends/hybrid/evaluator.hpp"
#include "support/gpu.hpp"
#include "support/lengths.hpp"
#include "support/measure.hpp"

namespace farfield::testing {
namespace {

class CudaHybrid : public GpuTest {
 protected:
  void TearDown() override { hybrid::keep_share(std::nullopt); }
};

Options on(Backend backend, double tolerance, Precision precision) {
  Options o = fmm_options(tolerance, precision);
  o.backend = backend;
  return o;
}
Options on_both(double tolerance, Precision precision) { return on(Backend::hybrid, tolerance, precision); }

constexpr double shares[] = {0, 0.4, 1};

std::string share_in(const Report& r) {
  for (const Choice& choice : r.choices)
    if (choice.name == "share") return choice.value;
  return "";
}

TEST_F(CudaHybrid, KeepsThePromiseOnEveryCloud) {
  print_header("hybrid");
  for (const Kind kind : all_kinds)
    for (const Signs signs : {Signs::mixed, Signs::positive})
      for (const double share : shares) {
        hybrid::keep_share(share);
        const Cloud cloud = make_cloud(kind, 10'000, signs);
        for (const double t : {1e-3, 1e-5}) expect_promise(cloud, on_both(t, Precision::single_));
        for (const double t : {1e-6, 1e-10}) expect_promise(cloud, on_both(t, Precision::double_));
      }
}

/// A given degree and leaf size: the truncation is the same, and what differs is rounding and the lists' thresholds.
TEST_F(CudaHybrid, SumsWhatEitherBackendSums) {
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::sphere, Kind::apart, Kind::outside}) {
    const Cloud cloud = make_cloud(kind, 30'001, Signs::positive);
    Options o = on(Backend::cpu, 1e-8, Precision::double_);
    o.degree = 18, o.leaf_size = 70;
    const Result<double> cpu = make_plan(cloud, o).evaluate(cloud.strengths);
    o.backend = Backend::cuda;
    const Result<double> cuda = make_plan(cloud, o).evaluate(cloud.strengths);
    o.backend = Backend::hybrid;
    for (const double share : shares) {
      hybrid::keep_share(share);
      const Result<double> both = make_plan(cloud, o).evaluate(cloud.strengths);
      EXPECT_EQ(both.report.backend, "hybrid");
      EXPECT_NE(both.report.device, "hybrid");
      constexpr double truncated = 2e-8;
      for (const Result<double>* other : {&cpu, &cuda}) {
        EXPECT_LE(relative_difference(both.potential, other->potential), truncated) << name(kind) << ", " << share;
        EXPECT_LE(relative_difference(both.gradient, other->gradient), truncated) << name(kind) << ", " << share;
      }
    }
  }
}

/// The same tree and lists, so that the share only moves work from one half to the other.
TEST_F(CudaHybrid, SumsTheSameWithAnyShare) {
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::apart})
    for (const Precision precision : {Precision::single_, Precision::double_})
      for (const M2l m2l : {M2l::dense, M2l::rotation})
        for (const Stencil stencil : {Stencil::full, Stencil::reduced}) {
          const Cloud cloud = make_cloud(kind, 20'003, Signs::positive);
          Options o = on_both(1e-4, precision);
          o.m2l = m2l, o.stencil = stencil, o.leaf_size = 50;
          hybrid::keep_share(0);
          const Result<double> none = make_plan(cloud, o).evaluate(cloud.strengths);
          EXPECT_EQ(share_in(none.report), "near field alone");
          // expansions are translated in another order, each coefficient of sums of some hundred terms, twice
          const double rounding =
              10 * (precision == Precision::single_ ? direct_rounding<float>(1e3) : direct_rounding<double>(1e3));
          for (const double share : {0.25, 0.5, 1.0}) {
            hybrid::keep_share(share);
            const Result<double> some = make_plan(cloud, o).evaluate(cloud.strengths);
            EXPECT_NE(share_in(some.report), "near field alone");
            EXPECT_LE(relative_difference(some.potential, none.potential), rounding) << cloud.label << ", " << share;
            EXPECT_LE(relative_difference(some.gradient, none.gradient), rounding) << cloud.label << ", " << share;
          }
        }
}

TEST_F(CudaHybrid, CountsEverySourceOnce) {
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::spiral, Kind::apart, Kind::outside})
    for (const double share : shares) {
      hybrid::keep_share(share);
      Cloud cloud = make_cloud(kind, 20'000, Signs::positive);
      std::fill(cloud.strengths.begin(), cloud.strengths.end(), 1);
      Options o;
      o.backend = Backend::hybrid, o.kernel = Kernel::count, o.leaf_size = 40, o.precision = Precision::double_;
      for (const double n : make_plan(cloud, o).evaluate(cloud.strengths).potential)
        ASSERT_EQ(n, 20'000) << cloud.label << ", share " << share;
    }
}

TEST_F(CudaHybrid, TakesCoincidentPointsAndOutliers) {
  const Cloud cloud = with_coincident_points_and_an_outlier();
  for (const double share : shares) {
    hybrid::keep_share(share);
    expect_promise(cloud, on_both(1e-3, Precision::single_));
    expect_promise(cloud, on_both(1e-10, Precision::double_));
  }
}

TEST_F(CudaHybrid, TakesNoneOneAndTwoPoints) {
  const Options o = on_both(1e-6, Precision::double_);
  const std::vector<double> none, one{1, 2, 3}, two{0, 0, 0, 0, 0, 2}, q1{3}, q2{3, 5};
  EXPECT_TRUE(Plan(points(none), o).evaluate(none).potential.empty());
  EXPECT_EQ(Plan(points(one), o).evaluate(q1).potential, std::vector<double>{0});
  const std::vector<double> pair = Plan(points(two), o).evaluate(q2).potential;
  EXPECT_NEAR(pair[0], 2.5, 1e-6);
  EXPECT_NEAR(pair[1], 1.5, 1e-6);
  EXPECT_EQ(Plan(points(none), points(two), o).evaluate(none).potential, (std::vector<double>{0, 0}));
}

TEST_F(CudaHybrid, GivesEveryVectorItsOwnBits) {
  const Cloud cloud = make_cloud(Kind::plummer, 9'000, Signs::mixed);
  for (const double share : shares) {
    hybrid::keep_share(share);
    Plan plan = make_plan(cloud, on_both(1e-6, Precision::double_));
    std::vector<double> four;
    for (const double factor : {1, 2, -1, 4})
      for (const double q : cloud.strengths) four.push_back(factor * q);
    const Result<double> together = plan.evaluate(four), alone = plan.evaluate(cloud.strengths);
    const double factors[] = {1, 2, -1, 4};
    const std::size_t n = cloud.strengths.size();
    for (std::size_t v = 0; v < 4; ++v)
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(together.potential[v * n + i], factors[v] * alone.potential[i]) << v << ", " << i;
  }
}

TEST_F(CudaHybrid, GivesTheSameBitsTenTimesWithOneShare) {
  hybrid::keep_share(0.5);
  for (const Precision precision : {Precision::single_, Precision::double_})
    expect_same_bits(make_cloud(Kind::plummer, 20'003, Signs::mixed), on_both(1e-4, precision), 10);
}

TEST_F(CudaHybrid, DividesTheTargetsByItself) {
  const Cloud cloud = make_cloud(Kind::uniform, 200'000, Signs::mixed);
  Plan plan = make_plan(cloud, on_both(1e-6, Precision::double_));
  for (int run = 0; run < 4; ++run) {
    const Outcome o = judge(cloud, plan.evaluate(cloud.strengths));
    print_row(cloud, o);
    std::printf("  share: %s\n", share_in(o.report).c_str());
    EXPECT_LE(o.worst(), slack * 1e-6);
    EXPECT_GT(o.report.stage("p2p")->seconds, 0);
    EXPECT_EQ(o.report.stage("p2p")->backend, "cuda");
    EXPECT_EQ(o.report.stage("m2l")->backend, "cpu");
  }
}

TEST_F(CudaHybrid, Moves) {
  const Cloud a = make_cloud(Kind::plummer, 9'000, Signs::mixed), b = make_cloud(Kind::uniform, 12'345, Signs::mixed);
  for (const double share : shares) {
    hybrid::keep_share(share);
    const Options o = on_both(1e-6, Precision::double_);
    Plan plan(points(a.sources), o);
    plan.evaluate(a.strengths);
    plan.move(points(b.sources));
    const Result<double> moved = plan.evaluate(b.strengths), anew = Plan(points(b.sources), o).evaluate(b.strengths);
    EXPECT_EQ(moved.potential, anew.potential);
    EXPECT_EQ(moved.gradient, anew.gradient);
  }
}

TEST_F(CudaHybrid, FollowsPointsThatMoveALittle) {
  hybrid::keep_share(0.5);
  Cloud cloud = make_cloud(Kind::uniform, 12'000, Signs::mixed);
  Options o = on_both(1e-6, Precision::double_);
  o.skin = 1e-3;
  Plan plan = make_plan(cloud, o);
  plan.evaluate(cloud.strengths);
  for (double& x : cloud.sources) x += 1e-5;
  cloud.label += '+';
  plan.move(points(cloud.sources));
  EXPECT_TRUE(kept(plan.report()));
  EXPECT_LE(judge(cloud, plan.evaluate(cloud.strengths)).worst(), slack * 1e-6);
}

TEST_F(CudaHybrid, SumsSoftenedPairsOfPointsWithLengths) {
  const Softly c(make_cloud(Kind::uniform, 4'000, Signs::positive), Lengths::two_kinds, 0.03, SofteningKind::plummer);
  for (const double share : shares) {
    hybrid::keep_share(share);
    const Options o = options_for(c, Method::fmm, Precision::double_, Backend::hybrid);
    const Result<double> found = c.plan(o).evaluate(c.cloud.strengths);
    const Missed error = missed(c, false, found.potential, found.gradient);
    EXPECT_LE(error.potential, slack * o.tolerance) << share;
    EXPECT_LE(error.gradient, slack * o.tolerance) << share;
  }
}

TEST_F(CudaHybrid, SumsOtherKernels) {
  for (const Kernel kernel : {Kernel::yukawa3d, Kernel::laplace2d, Kernel::vortex}) {
    const Cloud cloud = make_cloud(kernel == Kernel::yukawa3d ? Kind::uniform : Kind::plane, 20'000, Signs::positive);
    Options o = on(Backend::cpu, 1e-6, Precision::double_);
    o.kernel = kernel;
    if (kernel == Kernel::yukawa3d) o.kappa = 2;
    const Result<double> cpu = make_plan(cloud, o).evaluate(cloud.strengths);
    o.backend = Backend::hybrid;
    for (const double share : shares) {
      hybrid::keep_share(share);
      const Result<double> both = make_plan(cloud, o).evaluate(cloud.strengths);
      EXPECT_LE(relative_difference(both.gradient, cpu.gradient), 2e-6) << share;  // each keeps 1e-6
    }
  }
}

TEST_F(CudaHybrid, SumsHessiansOfDipoles) {
  const Cloud cloud = make_cloud(Kind::plummer, 10'000, Signs::positive);
  Stream random(5);
  std::vector<double> p;
  for (std::size_t i = 0; i < cloud.sources.size(); ++i) p.push_back(random.between(0, 1));
  Options o = on(Backend::cpu, 1e-5, Precision::double_);
  o.hessian = o.dipoles = true;
  const Strengths given = with_dipoles(strengths(cloud.strengths), p);
  const Result<double> cpu = make_plan(cloud, o).evaluate<double>(given);
  o.backend = Backend::hybrid;
  for (const double share : shares) {
    hybrid::keep_share(share);
    const Result<double> both = make_plan(cloud, o).evaluate<double>(given);
    EXPECT_LE(relative_difference(both.potential, cpu.potential), 2e-5) << share;
    EXPECT_LE(relative_difference(both.hessian, cpu.hessian), 2e-5) << share;
  }
}

TEST_F(CudaHybrid, MeasuresItsErrorAndBoundsItsMemory) {
  const Cloud cloud = make_cloud(Kind::uniform, 50'000, Signs::mixed);
  Options o = on_both(1e-6, Precision::double_);
  o.check = 200;
  Plan plan = make_plan(cloud, o);
  const Report r = plan.evaluate(cloud.strengths).report;
  ASSERT_TRUE(r.error.has_value());
  EXPECT_LE(r.error->potential, 1e-6);
  EXPECT_LE(r.memory_bytes, Plan::memory_bound(50'000, 0, o));
}

}  // namespace
}  // namespace farfield::testing

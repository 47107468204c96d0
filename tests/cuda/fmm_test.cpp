// Whole evaluations on the device: against direct sums and the CPU, the same bits every time, in any memory.
#include "support/gpu.hpp"
#include "support/measure.hpp"

namespace farfield::testing {
namespace {

Options gpu_options(double tolerance, Precision precision) {
  Options o = fmm_options(tolerance, precision);
  o.backend = Backend::cuda;
  return o;
}

class CudaFmm : public GpuTest {};

TEST_F(CudaFmm, KeepsThePromiseOnEveryCloud) {
  print_header("cuda");
  for (const Kind kind : all_kinds)
    for (const Signs signs : {Signs::mixed, Signs::positive}) {
      const Cloud cloud = make_cloud(kind, 10'000, signs);
      for (const double t : {1e-3, 1e-5}) expect_promise(cloud, gpu_options(t, Precision::single_));
      for (const double t : {1e-3, 1e-6, 1e-9, 1e-12}) expect_promise(cloud, gpu_options(t, Precision::double_));
    }
}

/// Every path of the stages on trees small enough for a sanitizer: all lists, both schemes and stencils, odd sizes.
TEST_F(CudaFmm, TakesEveryPathOnSmallTrees) {
  std::int64_t m2p = 0, p2l = 0;
  for (const Kind kind : {Kind::plummer, Kind::apart, Kind::two_clusters})
    for (const M2l m2l : {M2l::dense, M2l::rotation})
      for (const Stencil stencil : {Stencil::full, Stencil::reduced})
        for (const Precision precision : {Precision::single_, Precision::double_}) {
          Options o = gpu_options(1e-3, precision);
          o.m2l = m2l, o.stencil = stencil, o.leaf_size = 13;
          const Cloud cloud = make_cloud(kind, 801, Signs::mixed);
          const Outcome outcome = expect_promise(cloud, o);
          EXPECT_GE(outcome.report.levels, 4) << name(kind);
          m2p += outcome.report.m2p_boxes, p2l += outcome.report.p2l_boxes;
        }
  EXPECT_GT(m2p, 0);
  EXPECT_GT(p2l, 0);
}

TEST_F(CudaFmm, AgreesWithTheCpu) {
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::outside}) {
    const Cloud cloud = make_cloud(kind, 30'001, Signs::mixed);
    Options o = fmm_options(1e-8, Precision::double_);
    o.degree = 14, o.leaf_size = 70;
    o.backend = Backend::cpu;
    const Result<double> cpu = make_plan(cloud, o).evaluate(cloud.strengths);
    o.backend = Backend::cuda;
    for (const M2l m2l : {M2l::dense, M2l::rotation}) {
      o.m2l = m2l;
      const Result<double> gpu = make_plan(cloud, o).evaluate(cloud.strengths);
      EXPECT_EQ(gpu.report.backend, "cuda");
      EXPECT_NE(gpu.report.device, "cuda");
      constexpr double estimate = 1e-4;  // sums in single, of a number that is judged by its powers of ten
      EXPECT_NEAR(gpu.report.condition_potential / cpu.report.condition_potential, 1, estimate) << name(kind);
      EXPECT_NEAR(gpu.report.condition_gradient / cpu.report.condition_gradient, 1, estimate) << name(kind);
      double difference = 0, size = 0;
      for (std::size_t i = 0; i < cpu.gradient.size(); ++i) {
        difference += std::pow(cpu.gradient[i] - gpu.gradient[i], 2);
        size += std::pow(cpu.gradient[i], 2);
      }
      EXPECT_LE(std::sqrt(difference / size), 2e-8) << name(kind);  // thresholds of the lists differ, so truncation may
    }
  }
}

TEST_F(CudaFmm, CountsLikeTheCpu) {
  const Cloud cloud = make_cloud(Kind::plummer, 30'001, Signs::mixed);
  for (const Stencil stencil : {Stencil::full, Stencil::reduced}) {
    Options o = fmm_options(1e-4, Precision::single_);
    o.stencil = stencil;
    o.degree = 0;  // the same thresholds of the lists on both
    o.leaf_size = 30;
    o.backend = Backend::cpu;
    const Report cpu = make_plan(cloud, o).report();
    o.backend = Backend::cuda;
    const Report gpu = make_plan(cloud, o).report();
    EXPECT_EQ(gpu.boxes, cpu.boxes);
    EXPECT_EQ(gpu.leaves, cpu.leaves);
    EXPECT_EQ(gpu.levels, cpu.levels);
    EXPECT_EQ(gpu.m2l_boxes, cpu.m2l_boxes);
  }
}

TEST_F(CudaFmm, GivesTheSameBitsTenTimes) {
  for (const Kind kind : {Kind::plummer, Kind::sphere, Kind::apart})
    for (const Precision precision : {Precision::single_, Precision::double_})
      for (const M2l m2l : {M2l::dense, M2l::rotation}) {
        Options o = gpu_options(1e-4, precision);
        o.m2l = m2l;
        expect_same_bits(make_cloud(kind, 20'003, Signs::mixed), o, 10);
      }
}

TEST_F(CudaFmm, TakesNoneOneAndTwoPoints) {
  for (const Method method : {Method::fmm, Method::direct})
    for (const Precision precision : {Precision::single_, Precision::double_}) {
      Options o = gpu_options(1e-5, precision);
      o.method = method;
      const std::vector<double> none, one{1, 2, 3}, two{0, 0, 0, 0, 0, 2}, q1{3}, q2{3, 5};
      EXPECT_TRUE(Plan(points(none), o).evaluate(none).potential.empty());
      const Result<double> alone = Plan(points(one), o).evaluate(q1);
      EXPECT_EQ(alone.potential, std::vector<double>{0});
      EXPECT_EQ(alone.gradient, (std::vector<double>{0, 0, 0}));
      const Result<double> pair = Plan(points(two), o).evaluate(q2);
      EXPECT_NEAR(pair.potential[0], 2.5, 1e-6);
      EXPECT_NEAR(pair.potential[1], 1.5, 1e-6);
      EXPECT_NEAR(pair.gradient[2], 1.25, 1e-6);
      const Result<double> empty_sources = Plan(points(none), points(two), o).evaluate(none);
      EXPECT_EQ(empty_sources.potential, (std::vector<double>{0, 0}));
    }
}

TEST_F(CudaFmm, TakesCoincidentPointsAndOutliers) {
  const Cloud cloud = with_coincident_points_and_an_outlier();
  for (const double t : {1e-3, 1e-5}) expect_promise(cloud, gpu_options(t, Precision::single_));
  for (const double t : {1e-5, 1e-10}) expect_promise(cloud, gpu_options(t, Precision::double_));
}

/// Clouds whose points are nearly all in one place: close pairs are differenced in double.
TEST_F(CudaFmm, KeepsCloseDifferencesInSingle) {
  Cloud cloud = make_cloud(Kind::uniform, 4'000, Signs::positive);
  cloud.label += "/in close pairs";
  for (std::size_t i = 0; i + 6 <= cloud.sources.size(); i += 6)
    for (std::size_t a = 0; a < 3; ++a) cloud.sources[i + 3 + a] = cloud.sources[i + a] + 1e-7 * double(a + 1);
  expect_promise(cloud, gpu_options(1e-5, Precision::single_));
}

TEST_F(CudaFmm, SumsDirectlyAtOddSizes) {
  for (const std::int64_t n : {1, 2, 31, 33, 255, 257, 1'000, 4'097}) {
    const Cloud cloud = make_cloud(Kind::plummer, n, Signs::mixed);
    for (const Precision precision : {Precision::single_, Precision::double_}) {
      Options o = gpu_options(1e-5, precision);
      o.method = Method::direct;
      const Outcome outcome = measure(cloud, o);
      const double rounding = precision == Precision::single_ ? direct_rounding<float>(double(n)) : 1e-13;
      EXPECT_LE(outcome.potential, rounding) << n;
      EXPECT_LE(outcome.gradient, rounding) << n;
    }
  }
}

TEST_F(CudaFmm, EvaluatesSeveralVectorsAndMoves) {
  const Cloud a = make_cloud(Kind::plummer, 9'000, Signs::mixed), b = make_cloud(Kind::uniform, 12'345, Signs::mixed);
  const Options o = gpu_options(1e-6, Precision::double_);
  std::vector<double> two = a.strengths;
  for (const double q : a.strengths) two.push_back(2 * q);
  Plan plan(points(a.sources), o);
  const Result<double> r = plan.evaluate(two);
  for (std::size_t i = 0; i < a.strengths.size(); ++i)
    EXPECT_EQ(r.potential[i + a.strengths.size()], 2 * r.potential[i]);
  plan.move(points(b.sources));
  const Result<double> moved = plan.evaluate(b.strengths), anew = Plan(points(b.sources), o).evaluate(b.strengths);
  EXPECT_EQ(moved.potential, anew.potential);
  EXPECT_EQ(moved.gradient, anew.gradient);
}

/// From the second evaluation on the stages are a graph; a move makes a new one.
TEST_F(CudaFmm, RepeatsWithOtherStrengths) {
  for (const M2l m2l : {M2l::dense, M2l::rotation})
    for (const Precision precision : {Precision::single_, Precision::double_}) {
      const Cloud cloud = make_cloud(Kind::plummer, 9'000, Signs::mixed);
      Options o = gpu_options(1e-4, precision);
      o.m2l = m2l;
      Plan plan(points(cloud.sources), o);
      for (int run = 0; run < 10; ++run) {
        if (run == 5) plan.move(points(cloud.sources));
        std::vector<double> strengths = cloud.strengths;
        for (std::size_t i = 0; i < strengths.size(); ++i)
          strengths[i] *= 1 + static_cast<double>(i * static_cast<std::size_t>(run) % 7);
        const Result<double> again = plan.evaluate(strengths),
                             anew = Plan(points(cloud.sources), o).evaluate(strengths);
        EXPECT_EQ(again.potential, anew.potential) << run;
        EXPECT_EQ(again.gradient, anew.gradient) << run;
        EXPECT_EQ(again.report.stages.size(), plan.report().stages.size());
      }
    }
}

TEST_F(CudaFmm, ResultsAtSourcesAndTargets) {
  const Cloud cloud = make_cloud(Kind::apart, 6'000, Signs::mixed);
  Options o = gpu_options(1e-6, Precision::double_);
  o.at_sources = true;
  const Result<double> r = Plan(points(cloud.sources), points(cloud.targets), o).evaluate(cloud.strengths);
  o.at_sources = false;
  const Result<double> at_targets = Plan(points(cloud.sources), points(cloud.targets), o).evaluate(cloud.strengths);
  const Result<double> at_sources = Plan(points(cloud.sources), o).evaluate(cloud.strengths);
  const auto difference = [](const std::vector<double>& a, const std::vector<double>& b) {
    double squared = 0, all = 0;
    for (std::size_t i = 0; i < a.size(); ++i) squared += (a[i] - b[i]) * (a[i] - b[i]), all += b[i] * b[i];
    return std::sqrt(squared / all);
  };
  EXPECT_LE(difference(r.potential, at_targets.potential), 2e-6);  // each keeps 1e-6
  EXPECT_LE(difference(r.source_potential, at_sources.potential), 2e-6);
}

TEST_F(CudaFmm, RefusesStrengthsThatAreNotFinite) {
  const Cloud cloud = make_cloud(Kind::uniform, 3'000, Signs::mixed);
  Plan plan(points(cloud.sources), gpu_options(1e-4, Precision::single_));
  std::vector<double> q = cloud.strengths;
  q[1'234] = q[2'000] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refusal(ErrorCode::input, [&] { plan.evaluate(q); }).find("strength 1234 of vector 0"), std::string::npos);
  EXPECT_EQ(plan.evaluate(cloud.strengths).potential.size(), 3'000u);
}

}  // namespace

TEST(CudaAbsent, IsOneSentenceWithCodeFour) {
  if (!devices().empty()) GTEST_SKIP() << "there is a CUDA device";
  const std::vector<double> one{1, 2, 3};
  Options o;
  o.backend = Backend::cuda;
  const std::string sentence = refusal(ErrorCode::device, [&] { Plan(points(one), o); });
  EXPECT_NE(sentence.find("backend cuda"), std::string::npos) << sentence;
  EXPECT_EQ(static_cast<int>(ErrorCode::device), 4);
}

}  // namespace farfield::testing

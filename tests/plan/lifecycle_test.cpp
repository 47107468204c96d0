// The life of a plan: moved, reused after an error, in two threads at once; and what its report says.
#include <thread>

#include "support/measure.hpp"

namespace farfield::testing {
namespace {

Options plan_options() { return fmm_options(1e-6, Precision::double_); }

TEST(Move, TakesOtherCountsAndEqualsAFreshPlan) {
  Plan plan(points(make_cloud(Kind::uniform, 4'000, Signs::mixed).sources), plan_options());
  for (const std::int64_t n : {9'000, 100, 0, 1, 5'000}) {
    const Cloud c = make_cloud(Kind::plummer, n, Signs::mixed);
    plan.move(points(c.sources));
    EXPECT_EQ(plan.source_count(), n);
    EXPECT_EQ(plan.target_count(), n);
    const Result<double> moved = plan.evaluate(c.strengths), fresh = make_plan(c, plan_options()).evaluate(c.strengths);
    EXPECT_EQ(moved.potential, fresh.potential) << n;
    EXPECT_EQ(moved.gradient, fresh.gradient) << n;
  }
}

TEST(Move, BringsTargetsAndTakesThemAway) {
  const Cloud apart = make_cloud(Kind::apart, 3'000, Signs::mixed),
              alike = make_cloud(Kind::uniform, 3'000, Signs::mixed);
  Plan plan = make_plan(alike, plan_options());
  plan.move(points(apart.sources), points(apart.targets));
  EXPECT_LE(judge(apart, plan.evaluate(apart.strengths)).worst(), slack * plan_options().tolerance);
  plan.move(points(alike.sources));
  EXPECT_LE(judge(alike, plan.evaluate(alike.strengths)).worst(), slack * plan_options().tolerance);
}

TEST(Plan, WorksAfterAnErrorOfEvaluate) {
  const Cloud c = make_cloud(Kind::uniform, 3'000, Signs::mixed);
  Plan plan = make_plan(c, plan_options());
  const Result<double> before = plan.evaluate(c.strengths);
  std::vector<double> bad = c.strengths;
  bad[77] = std::numeric_limits<double>::quiet_NaN();
  refusal(ErrorCode::input, [&] { plan.evaluate(bad); });
  refusal(ErrorCode::input, [&] { plan.evaluate(std::vector<double>(5, 1.0)); });
  EXPECT_EQ(plan.evaluate(c.strengths).potential, before.potential);
}

TEST(Plan, WorksAfterAnErrorOfMove) {
  const Cloud c = make_cloud(Kind::uniform, 3'000, Signs::mixed);
  Plan plan = make_plan(c, plan_options());
  const Result<double> before = plan.evaluate(c.strengths);
  std::vector<double> bad = c.sources;
  bad[500] = std::numeric_limits<double>::infinity();
  refusal(ErrorCode::input, [&] { plan.move(points(bad)); });
  EXPECT_EQ(plan.source_count(), 3'000);
  EXPECT_EQ(plan.evaluate(c.strengths).potential, before.potential) << "a refused move leaves the plan as it was";
  plan.move(points(c.sources));
  EXPECT_EQ(plan.evaluate(c.strengths).potential, before.potential);
}

TEST(Plan, TwoPlansRunInTwoThreads) {
  const Cloud a = make_cloud(Kind::uniform, 5'000, Signs::mixed), b = make_cloud(Kind::plummer, 4'000, Signs::mixed);
  const std::uint64_t alone_a = hash_of(make_plan(a, plan_options()).evaluate(a.strengths).gradient);
  const std::uint64_t alone_b = hash_of(make_plan(b, plan_options()).evaluate(b.strengths).gradient);
  std::uint64_t together_a = 0, together_b = 0;
  const auto work = [](const Cloud& c, std::uint64_t& hash) {
    for (int again = 0; again < 3; ++again) hash = hash_of(make_plan(c, plan_options()).evaluate(c.strengths).gradient);
  };
  std::thread first(work, std::cref(a), std::ref(together_a)), second(work, std::cref(b), std::ref(together_b));
  first.join(), second.join();
  EXPECT_EQ(together_a, alone_a);
  EXPECT_EQ(together_b, alone_b);
}

TEST(Plan, CanBeMovedAsAValue) {
  const Cloud c = make_cloud(Kind::uniform, 500, Signs::mixed);
  Plan a = make_plan(c, plan_options());
  const std::vector<double> before = a.evaluate(c.strengths).potential;
  Plan b = std::move(a);
  EXPECT_EQ(b.evaluate(c.strengths).potential, before);
}

TEST(Report, NamesWhatRanAndWhy) {
  const Cloud c = make_cloud(Kind::plummer, 20'000, Signs::mixed);
  const Report r = make_plan(c, plan_options()).evaluate(c.strengths).report;
  EXPECT_EQ(r.kernel, "laplace3d");
  EXPECT_EQ(r.method, "fmm");
  EXPECT_EQ(r.backend, plan_options().backend == Backend::cuda ? "cuda" : "cpu");
  EXPECT_EQ(r.precision, "double");
  EXPECT_FALSE(r.version.empty());
  EXPECT_EQ(r.tolerance, plan_options().tolerance);
  EXPECT_EQ(r.sources, c.count());
  EXPECT_EQ(r.targets, c.count());
  EXPECT_EQ(r.coefficients, (r.degree + 1) * (r.degree + 1));
  for (const char* stage : {"keys", "sort", "boxes", "lists", "p2m", "m2m", "m2l", "l2l", "l2p", "p2p"})
    EXPECT_NE(r.stage(stage), nullptr) << stage;
  for (const char* choice : {"degree", "leaf size", "precision", "m2l", "stencil", "method"})
    EXPECT_TRUE(std::any_of(r.choices.begin(), r.choices.end(), [&](const Choice& x) { return x.name == choice; }))
        << choice;
}

TEST(Report, CountsAddUp) {
  const Cloud c = make_cloud(Kind::plummer, 20'000, Signs::mixed);
  const Report r = make_plan(c, plan_options()).evaluate(c.strengths).report;
  const double all = static_cast<double>(c.count()) * static_cast<double>(c.count());
  EXPECT_DOUBLE_EQ(r.far_fraction, 1 - static_cast<double>(r.near_pairs) / all);
  EXPECT_GT(r.boxes, r.leaves);
  EXPECT_GT(r.m2l_boxes, 0);
  EXPECT_GT(r.p2p_boxes, 0);
  EXPECT_GT(r.memory_bytes, 0);
  EXPECT_GT(r.build_seconds(), 0);
  EXPECT_GT(r.evaluate_seconds(), 0);
  EXPECT_GT(r.stage("p2p")->flops, 0);
  EXPECT_TRUE(r.warnings.empty());
}

/// Far from zero the cube of a uniform tree is larger than the data: boxes of their size would have no exact centres.
TEST(Report, SaysInWhichCubeAUniformTreeLies) {
  for (const double offset : {0.0, 0x1p20, 0x1p52}) {
    Cloud c = make_cloud(Kind::lattice, 1'000, Signs::mixed);
    for (double& x : c.sources) x += offset;
    Options o = plan_options();
    o.depth = 2;
    const Report r = make_plan(c, o).report();
    const auto depth =
        std::find_if(r.choices.begin(), r.choices.end(), [](const Choice& x) { return x.name == "depth"; });
    ASSERT_NE(depth, r.choices.end());
    const bool larger = offset > 0x1p40;
    EXPECT_EQ(depth->reason.find("times the data's extent") != std::string::npos, larger) << depth->reason;
    EXPECT_EQ(depth->reason.find("in the cube of the data's extent") == std::string::npos, larger) << depth->reason;
    EXPECT_EQ(r.leaves < 64, larger) << r.leaves << " leaves";
  }
}

TEST(Report, OfDirectHasNoExpansions) {
  const Cloud c = make_cloud(Kind::uniform, 300, Signs::mixed);
  Options o = plan_options();
  o.method = Method::direct;
  const Report r = make_plan(c, o).evaluate(c.strengths).report;
  EXPECT_EQ(r.method, "direct");
  EXPECT_EQ(r.near_pairs, 300 * 300);
  EXPECT_EQ(r.far_fraction, 0);
}

TEST(Report, MeasuresTheErrorWhenAsked) {
  const Cloud c = make_cloud(Kind::uniform, 10'000, Signs::mixed);
  Options o = plan_options();
  o.check = c.count();  // all targets: the library and the oracle must agree
  const Outcome outcome = measure(c, o);
  ASSERT_TRUE(outcome.report.error.has_value());
  EXPECT_EQ(outcome.report.error->samples, c.count());
  EXPECT_NEAR(outcome.report.error->potential, outcome.potential, direct_rounding<double>(1e4));
  EXPECT_NEAR(outcome.report.error->gradient, outcome.gradient, direct_rounding<double>(1e4));
  EXPECT_LE(outcome.report.error->potential_median, outcome.report.error->potential_p95);
  EXPECT_LE(outcome.report.error->potential_p95, outcome.report.error->potential_max);
}

/// Opposite charges at nearly the same places: each pair is a dipole, the sum far below its terms.
Cloud dipoles(double separation) {
  Cloud c = make_cloud(Kind::apart, 2'000, Signs::positive);
  c.label = "dipoles";
  for (std::size_t i = 0; i + 6 <= c.sources.size(); i += 6) {
    for (std::size_t a = 0; a < 3; ++a) c.sources[i + 3 + a] = c.sources[i + a] + separation;
    c.strengths[i / 3 + 1] = -c.strengths[i / 3];
  }
  for (double& x : c.targets) x += 10;
  return c;
}

/// 4e8 pairs of a check take a hundred times as long as what an evaluation spends on its own error.
TEST(Report, LeavesTheCheckOutOfTheEvaluation) {
  const Cloud c = make_cloud(Kind::uniform, 20'000, Signs::mixed);
  Options o = plan_options();
  o.backend = Backend::cpu;
  o.check = c.count();
  const Report r = make_plan(c, o).evaluate(c.strengths).report;
  ASSERT_TRUE(r.error && r.stage("examine"));
  EXPECT_GT(r.stage("examine")->seconds, 0);
  EXPECT_LT(r.stage("examine")->seconds, r.error->seconds / 2);
}

TEST(Report, WarnsOfAnIllConditionedSum) {
  const Cloud bad = dipoles(1e-6), good = make_cloud(Kind::apart, 2'000, Signs::mixed);
  const Report r = make_plan(bad, plan_options()).evaluate(bad.strengths).report;
  EXPECT_GT(r.condition_potential, promised_condition);
  EXPECT_FALSE(r.warnings.empty());
  const Report fine = make_plan(good, plan_options()).evaluate(good.strengths).report;
  EXPECT_LT(fine.condition_potential, promised_condition);
  EXPECT_LT(fine.condition_gradient, promised_condition);
  EXPECT_TRUE(fine.warnings.empty());
}

/// Rock salt, alternating charges on a lattice, at the middle of cells far from its surface: all terms cancel.
TEST(Report, WarnsOfAnAlternatingLattice) {
  Cloud c = make_cloud(Kind::lattice, 64'000, Signs::positive);  // 40^3
  c.label = "rock salt";
  for (std::size_t i = 0; i < c.strengths.size(); ++i) {
    const double sum = c.sources[3 * i] + c.sources[3 * i + 1] + c.sources[3 * i + 2];
    c.strengths[i] = std::fmod(sum, 2) == 0 ? 1 : -1;
  }
  for (int i = 0; i < 100; ++i)
    for (int a = 0; a < 3; ++a) c.targets.push_back(15.5 + (a == 0 ? i % 10 : a == 1 ? i / 10 : 4));
  const Report r = make_plan(c, plan_options()).evaluate(c.strengths).report;
  EXPECT_GT(r.condition_potential, promised_condition);
  EXPECT_FALSE(r.warnings.empty());
}

}  // namespace
}  // namespace farfield::testing

// Moves that keep the tree (Options::skin): points stay in boxes that they have left a little. Errors are those that
// every plan promises; what does not fit is built anew. FARFIELD_TEST_BACKEND=cuda: on a device (cuda.skin).
#include <limits>

#include "support/measure.hpp"

namespace farfield::testing {
namespace {

constexpr int seed = 20261126;

void shake(Stream& random, std::vector<double>& x, double most) {
  for (double& value : x) value += most * random.between(-1, 1);
}

void move_to(Plan& plan, const Cloud& c) {
  if (c.apart())
    plan.move(points(c.sources), points(c.targets));
  else
    plan.move(points(c.sources));
}

/// Of these points: within the tenth of a leaf's edge that a tree allows.
double step_of(Kind kind) { return kind == Kind::plane ? 2e-3 : 6e-3; }

struct Case {
  Kind kind;
  Signs signs;
  double tolerance;
  Precision precision;
};

class Skin : public ::testing::TestWithParam<Case> {};

/// Three small steps, then one that is too long for the tree, then a small one again.
TEST_P(Skin, KeepsTheToleranceAndTheTree) {
  const auto [kind, signs, tolerance, precision] = GetParam();
  RecordProperty("seed", seed);
  Stream random(seed);
  Cloud c = make_cloud(kind, 12'000, signs, seed);
  Options o = fmm_options(tolerance, precision);
  o.skin = 2 * step_of(kind);
  Plan plan = make_plan(c, o);
  judge(c, plan.evaluate(c.strengths));
  const bool small[] = {true, true, true, false, true};
  for (int step = 0; step < 5; ++step) {
    shake(random, c.sources, small[step] ? step_of(kind) / 3 : 0.2);
    if (c.apart()) shake(random, c.targets, small[step] ? step_of(kind) / 3 : 0.2);
    c.label += '+';
    move_to(plan, c);
    EXPECT_EQ(kept(plan.report()), small[step]) << step;
    const Outcome found = judge(c, plan.evaluate(c.strengths));
    print_row(c, found);
    EXPECT_LE(found.worst(), slack * tolerance) << step;
  }
}
INSTANTIATE_TEST_SUITE_P(Clouds, Skin,
                         ::testing::Values(Case{Kind::uniform, Signs::mixed, 1e-3, Precision::single_},
                                           Case{Kind::uniform, Signs::mixed, 1e-5, Precision::single_},
                                           Case{Kind::uniform, Signs::positive, 1e-6, Precision::double_},
                                           Case{Kind::uniform, Signs::mixed, 1e-8, Precision::double_},
                                           Case{Kind::apart, Signs::mixed, 1e-6, Precision::double_},
                                           Case{Kind::plane, Signs::mixed, 1e-6, Precision::double_}),
                         [](const auto& test) { return "Case" + std::to_string(test.index); });

Cloud uniform(std::int64_t count = 12'000) { return make_cloud(Kind::uniform, count, Signs::mixed, seed); }
Options with_skin(double skin) {
  Options o = fmm_options(1e-5, Precision::double_);
  o.skin = skin;
  return o;
}

/// The tree is the same one, so the way back ends where it began, to the last bit.
TEST(SkinOfAPlan, LeavesNothingBehindOnTheWayBack) {
  Stream random(seed);
  const Cloud c = uniform();
  Cloud there = c;
  shake(random, there.sources, 1e-3);
  Plan plan = make_plan(c, with_skin(0.01));
  const Result<double> before = plan.evaluate(c.strengths);
  move_to(plan, there);
  ASSERT_TRUE(kept(plan.report()));
  EXPECT_NE(plan.evaluate(c.strengths).potential, before.potential);
  move_to(plan, c);
  EXPECT_EQ(plan.evaluate(c.strengths).gradient, before.gradient);
}

/// How far points have gone counts from where the tree was built, not from the last step.
TEST(SkinOfAPlan, CountsFromWhereTheTreeWasBuilt) {
  Cloud c = uniform();
  const double skin = 0.004;
  Plan plan = make_plan(c, with_skin(skin));
  for (int step = 1; step <= 6; ++step) {
    c.sources[0] += 0.3 * skin;
    move_to(plan, c);
    EXPECT_EQ(kept(plan.report()), step % 4 != 0) << step;
  }
}

/// After forget() a move is that to a new plan, whose bits it has.
TEST(SkinOfAPlan, IsNoPartOfAMoveAfterForget) {
  Stream random(seed);
  Cloud c = uniform();
  Plan plan = make_plan(c, with_skin(0.01));
  plan.evaluate(c.strengths);
  shake(random, c.sources, 1e-3);
  plan.forget();
  move_to(plan, c);
  EXPECT_FALSE(kept(plan.report()));
  EXPECT_EQ(plan.evaluate(c.strengths).gradient, make_plan(c, with_skin(0.01)).evaluate(c.strengths).gradient);
  move_to(plan, c);
  EXPECT_TRUE(kept(plan.report()));
}

TEST(SkinOfAPlan, MakesAnotherTreeForOtherCountsAndSets) {
  const Cloud c = uniform(), fewer = uniform(11'000);
  Plan plan = make_plan(c, with_skin(0.01));
  move_to(plan, fewer);
  EXPECT_FALSE(kept(plan.report()));
  plan.move(points(fewer.sources), points(fewer.sources));
  EXPECT_FALSE(kept(plan.report()));
  plan.move(points(fewer.sources), points(fewer.sources));
  EXPECT_TRUE(kept(plan.report()));
  EXPECT_EQ(std::ssize(plan.evaluate(fewer.strengths).potential), 11'000);
}

/// A point that is no number is refused as always, and the plan stays as it was.
TEST(SkinOfAPlan, RefusesWhatIsNoNumber) {
  const Cloud c = uniform();
  Plan plan = make_plan(c, with_skin(0.01));
  const Result<double> before = plan.evaluate(c.strengths);
  for (const double bad : {std::nan(""), static_cast<double>(INFINITY)}) {
    std::vector<double> x = c.sources;
    x[3 * 77 + 1] = bad;
    const std::string sentence = refusal(ErrorCode::input, [&] { plan.move(points(x)); });
    EXPECT_NE(sentence.find("source 77"), std::string::npos) << sentence;
    EXPECT_EQ(plan.evaluate(c.strengths).potential, before.potential);
  }
  for (const double skin : {-1.0, std::nan(""), static_cast<double>(INFINITY)})
    EXPECT_NE(refusal(ErrorCode::usage, [&] { make_plan(c, with_skin(skin)); }).find("skin"), std::string::npos);
}

/// Softened pairs must not become far ones: boxes are wider by what points may go, which a tenth of a box limits.
TEST(SkinOfAPlan, KeepsSoftenedPairsNear) {
  Stream random(seed);
  for (const double skin : {0.005, 1e300}) {
    Cloud c = uniform(8'000);
    Options o = with_skin(skin), fresh = with_skin(0);
    o.softening = fresh.softening = 0.01, o.tolerance = fresh.tolerance = 1e-4;
    fresh.method = Method::direct;
    Plan plan = make_plan(c, o);
    shake(random, c.sources, 0.0028);
    move_to(plan, c);
    ASSERT_TRUE(kept(plan.report())) << skin;
    const Result<double> found = plan.evaluate(c.strengths), exact = make_plan(c, fresh).evaluate(c.strengths);
    EXPECT_LE(relative_difference(found.potential, exact.potential), o.tolerance);
    EXPECT_LE(relative_difference(found.gradient, exact.gradient), o.tolerance);
  }
}

}  // namespace
}  // namespace farfield::testing

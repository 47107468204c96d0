// Periodic plans that keep their tree over moves (Options::skin), and plans whose tolerance is for the gradient alone
// (Options::tolerance_for). FARFIELD_TEST_BACKEND=cuda: on a device (cuda.periodic_skin).
#include "periodic/walks.hpp"

namespace farfield::testing {
namespace {

constexpr int seed = 20261126;

class Walks : public ::testing::TestWithParam<int> {};

TEST_P(Walks, KeepTreeAndTolerance) {
  const Axes axes = axes_of(GetParam());
  RecordProperty("seed", seed);
  Stream random(seed + GetParam());
  const Rows cell = {{{1, 0, 0}, {0.2, 1.1, 0}, {-0.1, 0.15, 0.9}}};
  Ions at = ions(3'000, cell, 0.02, random);
  Options o = in_cell(cell, axes, GetParam() % 2 ? 1e-4 : 1e-7);
  o.method = Method::fmm, o.skin = 0.01;
  Plan plan(points(at.x), o);
  const std::string blocks = blocks_of(plan.evaluate<double>(at.q).report);
  for (int k = 0; k < 3; ++k) {
    step(random, at, cell, axes, k == 2 ? 0.1 : 4e-4);
    plan.move(points(at.x));
    EXPECT_EQ(kept(plan.report()), k < 2) << k;
    const Result<double> result = plan.evaluate<double>(at.q);
    if (k < 2) {
      EXPECT_EQ(blocks_of(result.report), blocks) << "though points have hardly moved, step " << k;
    }
    const Errors found = errors_of(result, at, o);
    std::printf("axes %d, step %d: %.2e %.2e of %g\n", GetParam(), k, found.potential, found.gradient, o.tolerance);
    EXPECT_LE(std::max(found.potential, found.gradient), o.tolerance);
  }
}
INSTANTIATE_TEST_SUITE_P(Axes, Walks, ::testing::Range(1, 8));

TEST(PeriodicSkin, TakesAnotherCellAndWhatIsNoNumber) {
  const Axes all{true, true, true};
  const Rows cell = box(1, 1, 1);
  Stream random(seed);
  Ions at = ions(500, cell, 0.05, random);
  Options o = in_cell(cell, all, 1e-4);
  o.skin = 0.01;
  Plan plan(points(at.x), o);
  const auto before = plan.evaluate<double>(at.q);
  std::vector<double> bad = at.x;
  bad[4] = std::nan("");
  EXPECT_THROW(plan.move(points(bad)), Error);
  EXPECT_EQ(plan.evaluate<double>(at.q).potential, before.potential);
  plan.set_cell({1.02, 0, 0, 0, 1, 0, 0, 0, 1});
  plan.move(points(at.x));
  o.cell_x = 1.02;
  const Errors found = errors_of(plan.evaluate<double>(at.q), at, o);
  EXPECT_LE(std::max(found.potential, found.gradient), 1e-4);
}

/// The gradient keeps the tolerance with a lower degree; the potential comes with the error that it then has.
TEST(ToleranceForTheGradient, IsKeptWithLowerDegrees) {
  Stream random(seed);
  const Rows cell = box(1, 1, 1);
  const Ions at = ions(20'000, cell, 0.01, random);
  for (const Axes& axes : {Axes{false, false, false}, Axes{true, true, true}})
    for (const double tolerance : {1e-3, 1e-5, 1e-7}) {
      Options o = in_cell(cell, axes, tolerance);
      o.method = Method::fmm;
      Plan whole(points(at.x), o);
      o.tolerance_for = ToleranceFor::gradient;
      Plan lower(points(at.x), o);
      whole.evaluate<double>(at.q);
      const Result<double> result = lower.evaluate<double>(at.q);
      const Errors found = errors_of(result, at, o);
      std::printf("%s, %g: degrees %d and %d, gradient %.2e, potential %.2e\n", axes[0] ? "cube" : "open", tolerance,
                  whole.report().degree, lower.report().degree, found.gradient, found.potential);
      EXPECT_LE(found.gradient, tolerance);
      EXPECT_GT(found.potential, 0);
      EXPECT_LT(lower.report().degree, whole.report().degree);
      EXPECT_EQ(lower.report().tolerance_for, "gradient");
    }
}

TEST(ToleranceForTheGradient, NeedsAGradient) {
  Options o = on_tested_backend({});
  o.tolerance_for = ToleranceFor::gradient;
  const std::vector<double> x{0, 0, 0, 1, 0, 0};
  expect_refusal("not asked for", [&] { Plan(points(x), o); });
}

}  // namespace
}  // namespace farfield::testing

// Everything that a periodic plan does, with so few ions that checkers of memory follow.
#include <farfield/coulomb.hpp>

#include "periodic/walks.hpp"

namespace farfield::testing {
namespace {

constexpr int seed = 20261127;
const Rows cell = {{{1, 0, 0}, {0.2, 1.1, 0}, {-0.1, 0.15, 0.9}}};

class FewIons : public ::testing::TestWithParam<int> {};

TEST_P(FewIons, WalkInACellThatChanges) {
  const Axes axes = axes_of(GetParam());
  RecordProperty("seed", seed);
  Stream random(seed + GetParam());
  Ions at = ions(150, cell, 0.02, random);
  Options o = in_cell(cell, axes, 1e-4);
  o.method = Method::fmm, o.skin = 0.01, o.virial = GetParam() % 3 == 0;
  Plan plan(points(at.x), o);
  const std::string blocks = blocks_of(plan.evaluate<double>(at.q).report);
  for (const double most : {4e-4, 4e-4, 0.1}) {
    step(random, at, cell, axes, most);
    plan.move(points(at.x));
    const Result<double> found = plan.evaluate<double>(at.q);
    EXPECT_LE(errors_of(found, at, o, 1e-6).worst(), o.tolerance);
    EXPECT_EQ(kept(found.report), most < 0.01);
    if (most < 0.01) {
      EXPECT_EQ(blocks_of(found.report), blocks);
    }
  }
  if (axes[0]) {
    o.cell_x *= 1.02;
    plan.set_cell({o.cell_x, o.cell_ay, o.cell_az, o.cell_bx, o.cell_y, o.cell_bz, o.cell_cx, o.cell_cy, o.cell_z});
    plan.move(points(at.x));
    EXPECT_LE(errors_of(plan.evaluate<double>(at.q), at, o, 1e-6).worst(), o.tolerance);
  }
}
INSTANTIATE_TEST_SUITE_P(Axes, FewIons, ::testing::Range(1, 8));

/// Pairs of ions as molecules: what holds them together is left out.
TEST(FewMolecules, WalkWithTheirExclusions) {
  const Axes all{true, true, true};
  Stream random(seed);
  Ions at = ions(150, cell, 0.02, random);
  std::vector<std::int64_t> pairs;
  for (std::int64_t i = 0; i < 300; ++i) pairs.push_back(i);
  Options o = in_cell(cell, all, 1e-4);
  o.method = Method::fmm, o.skin = 0.01;
  Coulomb sum(points(at.x), o, {}, Exclusions::of_pairs(300, pairs));
  sum.evaluate(at.q);
  for (const double most : {4e-4, 0.1}) {
    step(random, at, cell, all, most);
    sum.move(points(at.x));
    Options exact = o;
    exact.tolerance = 1e-7, exact.skin = 0, exact.precision = Precision::double_;
    const double energy = Coulomb(points(at.x), exact, {}, Exclusions::of_pairs(300, pairs)).evaluate(at.q).energy;
    EXPECT_NEAR(sum.evaluate(at.q).energy, energy, 1e-3 * std::fabs(energy));
  }
}

}  // namespace
}  // namespace farfield::testing

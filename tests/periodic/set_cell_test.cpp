// Another cell for a plan that is there, as barostats give it in every step, against the slow Ewald sums.
// FARFIELD_TEST_BACKEND=cuda: cells on a device (cuda.periodic_set_cell).
#include <array>
#include <limits>

#include "periodic/cells.hpp"
#include "support/random.hpp"

namespace farfield::testing {
namespace {

constexpr int seed = 20261125;

std::array<double, 9> vectors_of(const Rows& cell, const Axes& axes) {
  std::array<double, 9> all{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t a = 0; a < 3 && axes[i]; ++a) all[3 * i + a] = cell[i][a];
  return all;
}

/// The vectors times a matrix that differs from the unit by `most`.
Rows strained(Stream& random, const Rows& cell, double most) {
  double matrix[3][3];
  for (auto& row : matrix)
    for (double& x : row) x = most * random.between(-1, 1);
  Rows other = cell;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b) other[i][a] += cell[i][b] * matrix[b][a];
  return other;
}

std::vector<Vec> vectors(const std::vector<double>& x) {
  std::vector<Vec> all;
  for (std::size_t i = 0; i < x.size(); i += 3) all.push_back({x[i], x[i + 1], x[i + 2]});
  return all;
}

void expect_kept(Plan& plan, const Ions& at, const Rows& cell, const Axes& axes, double tolerance) {
  const auto exact = sum_pairs(Ewald(cell, axes), vectors(at.x), at.q);
  const auto found = plan.evaluate<double>(at.q);
  Real error[2] = {}, size[2] = {};
  for (std::size_t i = 0; i < at.q.size(); ++i) {
    const Real d = found.potential[i] - exact.potential[i];
    error[0] += d * d, size[0] += exact.potential[i] * exact.potential[i];
    for (std::size_t a = 0; a < 3; ++a) {
      const Real field = exact.force[i][a] / -at.q[i], g = found.gradient[3 * i + a] - field;
      error[1] += g * g, size[1] += field * field;
    }
  }
  for (int part = 0; part < 2; ++part)
    EXPECT_LE(static_cast<double>(std::sqrt(error[part] / size[part])), tolerance) << "part " << part;
}

class Cells : public ::testing::TestWithParam<int> {};

/// Steps of little strain, and now and then a cell of quite another shape.
TEST_P(Cells, ThatFollowOneAnotherKeepTheTolerance) {
  const Axes axes = axes_of(GetParam());
  RecordProperty("seed", seed);
  Stream random(seed + GetParam());
  Rows cell = random_cell(random, 0.4);
  Ions at = ions(60, cell, 0.2, random);
  constexpr double tolerance = 1e-5;
  Plan plan(points(at.x), in_cell(cell, axes, tolerance));
  for (int step = 0; step < 6; ++step) {
    cell = step % 3 == 2 ? random_cell(random, 0.4) : strained(random, cell, 0.02);
    at = ions(60, cell, 0.2, random);
    plan.set_cell(vectors_of(cell, axes));
    plan.move(points(at.x));
    expect_kept(plan, at, cell, axes, tolerance);
  }
}
INSTANTIATE_TEST_SUITE_P(Axes, Cells, ::testing::Range(1, 8));

/// After forget() a new cell leaves no trace of the old one.
TEST(SetCell, GivesTheBitsOfANewPlanWhereItForgets) {
  const Axes all{true, true, true};
  Stream random(seed);
  const Rows cell = box(1, 1, 1), other = box(1.01, 1, 0.98);
  const Ions at = ions(500, cell, 0.05, random);
  Plan plan(points(at.x), in_cell(cell, all, 1e-4)), fresh(points(at.x), in_cell(other, all, 1e-4));
  plan.evaluate<double>(at.q);
  plan.set_cell(vectors_of(other, all));
  plan.forget();
  plan.move(points(at.x));
  EXPECT_EQ(plan.evaluate<double>(at.q).gradient, fresh.evaluate<double>(at.q).gradient);
  EXPECT_EQ(plan.report().cell[0], 1.01);
}

/// Until then, and over a move that is refused, the plan is that of the old cell.
TEST(SetCell, WaitsForTheNextMoveThatIsTaken) {
  const Axes all{true, true, true};
  Stream random(seed);
  const Rows cell = box(1, 1, 1), other = box(1.05, 1, 1);
  Ions at = ions(60, cell, 0.2, random);
  Plan plan(points(at.x), in_cell(cell, all, 1e-5));
  const auto before = plan.evaluate<double>(at.q);
  plan.set_cell(vectors_of(other, all));
  EXPECT_EQ(plan.evaluate<double>(at.q).potential, before.potential);
  std::vector<double> bad = at.x;
  bad[5] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(plan.move(points(bad)), Error);
  EXPECT_EQ(plan.evaluate<double>(at.q).potential, before.potential);
  plan.move(points(at.x));
  expect_kept(plan, at, other, all, 1e-5);
}

TEST(SetCell, RefusesWhatIsNoCellInOneSentence) {
  const Axes plane{true, true, false};
  Stream random(seed);
  const Ions at = ions(20, box(1, 1, 1), 0.2, random);
  Plan open(points(at.x), on_tested_backend(Options{})), plan(points(at.x), in_cell(box(1, 1, 1), plane, 1e-4));
  expect_refusal("do not repeat", [&] { open.set_cell({1, 0, 0, 0, 1, 0, 0, 0, 1}); });
  expect_refusal("an axis that is not periodic", [&] { plan.set_cell({1, 0, 0, 0, 1, 0, 0, 0, 1}); });
  expect_refusal("parallel", [&] { plan.set_cell({1, 0, 0, 2, 0, 0, 0, 0, 0}); });
  for (const double bad : {0.0, std::nan(""), static_cast<double>(INFINITY)})
    EXPECT_THROW(plan.set_cell({bad, 0, 0, 0, 1, 0, 0, 0, 0}), Error);
  plan.move(points(at.x));
  expect_kept(plan, at, box(1, 1, 1), plane, 1e-4);
}

}  // namespace
}  // namespace farfield::testing

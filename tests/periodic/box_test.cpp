// Plans of points in periodic cells, against the slow Ewald sums: crystals, the four charges in all their cells, random
// cells, axes, tolerances and charges. FARFIELD_TEST_BACKEND=cuda sums the near images on a device (cuda.periodic_box).
#include <gtest/gtest.h>

#include <random>

#include "periodic/cells.hpp"
#include "support/random.hpp"

namespace farfield::testing {
namespace {

struct Errors {
  double potential, gradient;
};

/// Relative errors in the L2 norm over at least 16 of the charges, which is where the slow sums are taken.
Errors errors_of(const std::vector<Vec>& x, const std::vector<double>& q, const Rows& cell, const Axes& axes,
                 const Options& o) {
  const std::size_t step = std::max<std::size_t>(1, q.size() / 16);
  const auto expected = sum_some(Ewald(cell, axes), x, q, step);
  const std::vector<double> positions = flat(x);
  Plan plan(points(positions), o);
  const auto found = plan.evaluate<double>(q);
  Real error[2] = {}, size[2] = {};
  for (std::size_t k = 0, i = 0; i < q.size(); ++k, i += step) {
    const Real d = found.potential[i] - expected.potential[k];
    error[0] += d * d, size[0] += expected.potential[k] * expected.potential[k];
    for (std::size_t a = 0; a < 3 && o.gradient; ++a) {
      const Real field = expected.force[k][a] / -q[i], g = found.gradient[3 * i + a] - field;
      error[1] += g * g, size[1] += field * field;
    }
  }
  return {static_cast<double>(std::sqrt(error[0] / size[0])),
          size[1] > 0 ? static_cast<double>(std::sqrt(error[1] / size[1])) : 0};
}

TEST(Box, FourChargesInAllCells) {
  const std::vector<Vec> x{{.1L, .2L, .3L}, {.45L, .75L, .15L}, {.8L, .35L, .6L}, {.25L, .5L, .85L}};
  const Axes all{true, true, true};
  const std::vector<std::pair<Rows, Axes>> cells{{box(1, 1, 1), all},
                                                 {box(1, 1, 8), all},
                                                 {box(1, 1, 20), all},
                                                 {box(8, 8, 1), all},
                                                 {triclinic, all},
                                                 {hexagonal(1.633), all},
                                                 {box(1, 1, 1), {true, true, false}},
                                                 {hexagonal(1), {true, true, false}},
                                                 {box(1, 1, 1), {false, false, true}}};
  for (const auto& [cell, axes] : cells)
    for (const double last : {-.5, .5}) {
      if (last > 0 && axes != all) continue;
      const std::vector<double> q{1, -2, 1.5, last};
      for (const double tolerance : {1e-3, 1e-6, 1e-9, 1e-12}) {
        const Errors e = errors_of(x, q, cell, axes, in_cell(cell, axes, tolerance));
        std::printf("%g %g %g, %d%d%d, Q = %g: %g: %.2g %.2g\n", cell[0][0], cell[1][1], cell[2][2], axes[0], axes[1],
                    axes[2], last + .5, tolerance, e.potential, e.gradient);
        EXPECT_LE(e.potential, tolerance);
        EXPECT_LE(e.gradient, tolerance);
      }
    }
}

void expect_random_cells(unsigned seed) {
  std::printf("seed %u\n", seed);
  Stream random(seed);
  for (int trial = 0; trial < 28; ++trial) {
    const Axes axes = axes_of(1 + trial % 7);
    Rows cell = random_cell(random, 0.4);
    for (auto& row : cell) {
      const double stretch = std::pow(3, random.between(-1, 1));
      for (double& value : row) value *= stretch;
    }
    std::vector<Vec> x;
    std::vector<double> q;
    const auto count = 8 + 2 * random.below(200);
    for (std::int64_t i = 0; i < count; ++i) {
      x.push_back({random.between(-2, 2), random.between(-2, 2), random.between(-2, 2)});
      q.push_back(i & 1 ? -1 : 1);
    }
    const double tolerance = std::pow(10, -random.between(2, 12));
    const Errors e = errors_of(x, q, cell, axes, in_cell(cell, axes, tolerance));
    std::printf("axes %d%d%d, N = %d: %.2g: %.2g %.2g\n", axes[0], axes[1], axes[2], static_cast<int>(count), tolerance,
                e.potential, e.gradient);
    EXPECT_LE(e.potential, tolerance);
    EXPECT_LE(e.gradient, tolerance);
  }
}

TEST(Box, RandomCells) { expect_random_cells(std::random_device()()); }
/// Among these are blocks 1 x 1 x 4 with images just at the distance at which expansions begin.
TEST(Box, CellsWithImagesAtTheLimit) { expect_random_cells(3377432504); }

double difference_of(const std::vector<double>& a, const std::vector<double>& b) {
  double error = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) error += (a[i] - b[i]) * (a[i] - b[i]), size += b[i] * b[i];
  return std::sqrt(error / size);
}

/// Thousands of ions go through trees; a sum of 1e-11 judges those of lower accuracy.
TEST(Box, KeepsTolerancesOfManyIons) {
  Stream random = fresh_stream();
  for (int trial = 0; trial < 7; ++trial) {
    const Axes axes = axes_of(1 + trial);
    const Rows cell = random_cell(random, 0.2);
    const Ions all = ions(3000, cell, 0.02, random);
    const auto exact = Plan(points(all.x), in_cell(cell, axes, 1e-11)).evaluate<double>(all.q);
    for (const double tolerance : {1e-3, 1e-5, 1e-8}) {
      Options o = in_cell(cell, axes, tolerance);
      o.method = Method::fmm;
      const auto found = Plan(points(all.x), o).evaluate<double>(all.q);
      EXPECT_LE(difference_of(found.potential, exact.potential), tolerance) << trial;
      EXPECT_LE(difference_of(found.gradient, exact.gradient), tolerance) << trial;
    }
  }
}

/// Whole vectors of the cell, the order of points, and the cell's own basis are matters of taste.
TEST(Box, ChoicesThatMeanNothingChangeNothing) {
  Stream random = fresh_stream();
  const Rows cell = random_cell(random, 0.3);
  const Ions all = ions(300, cell, 0.05, random);
  const auto o = in_cell(cell, {true, true, true}, 1e-12);
  const auto exact = Plan(points(all.x), o).evaluate<double>(all.q);
  Rows sheared = cell;
  for (std::size_t a = 0; a < 3; ++a) sheared[1][a] += 2 * cell[0][a], sheared[2][a] = -cell[2][a] + cell[1][a];
  const auto other = Plan(points(all.x), in_cell(sheared, {true, true, true}, 1e-12)).evaluate<double>(all.q);
  EXPECT_LE(difference_of(other.potential, exact.potential), 1e-12);
  Ions moved = all;
  const double by[3] = {random.between(-3, 3), random.between(-3, 3), random.between(-3, 3)};
  for (std::size_t i = 0; i < moved.x.size(); ++i) moved.x[i] += by[i % 3] + 5 * cell[i / 3 % 3][i % 3];
  const auto shifted = Plan(points(moved.x), o).evaluate<double>(all.q);
  EXPECT_LE(difference_of(shifted.potential, exact.potential), 2e-12);
  EXPECT_LE(difference_of(shifted.gradient, exact.gradient), 2e-12);
}

TEST(Box, TargetsApartAndAtSources) {
  Stream random(3);
  const Rows cell = triclinic;
  const Ions all = ions(200, cell, 0.05, random), probes = ions(50, cell, 0.2, random);
  Options o = in_cell(cell, {true, true, true}, 1e-10);
  o.at_sources = true;
  Plan plan(points(all.x), points(probes.x), o);
  const auto found = plan.evaluate<double>(all.q);
  o.at_sources = false;
  const auto own = Plan(points(all.x), o).evaluate<double>(all.q);
  EXPECT_LE(difference_of(found.source_potential, own.potential), 1e-10);
  EXPECT_LE(difference_of(found.source_gradient, own.gradient), 1e-10);
  // Probes as charges of size 0 are the same targets.
  std::vector<double> x = all.x, q = all.q;
  x.insert(x.end(), probes.x.begin(), probes.x.end());
  q.resize(x.size() / 3);
  const auto joined = Plan(points(x), o).evaluate<double>(q);
  const std::vector<double> last(joined.potential.end() - 100, joined.potential.end());
  EXPECT_LE(difference_of(found.potential, last), 1e-10);
}

TEST(Box, ScalesAndPrecisions) {
  Stream random(4);
  const Ions all = ions(2000, triclinic, 0.05, random);
  Options o = in_cell(triclinic, {true, true, true}, 1e-9);
  const auto exact = Plan(points(all.x), o).evaluate<double>(all.q);
  o.scale = -332.06371, o.tolerance = 1e-5, o.precision = Precision::single_;
  auto found = Plan(points(all.x), o).evaluate<double>(all.q);
  for (std::vector<double>* values : {&found.potential, &found.gradient})
    for (double& value : *values) value /= o.scale;
  EXPECT_LE(difference_of(found.potential, exact.potential), 1e-5);
  EXPECT_LE(difference_of(found.gradient, exact.gradient), 1e-5);
}

TEST(Box, MemoryStaysWithinItsBound) {
  Stream random(5);
  for (const Rows& cell : {box(1, 1, 1), triclinic, box(1, 1, 6)}) {
    const Ions all = ions(4000, cell, 0.02, random);
    const Options o = in_cell(cell, {true, true, true}, 1e-5);
    const auto held = Plan(points(all.x), o).evaluate<double>(all.q).report.memory_bytes;
    EXPECT_LE(held, Plan::memory_bound(8000, 0, o));
    EXPECT_GE(held, 8 * 4 * 8000);
  }
}

TEST(Box, NoneAndOne) {
  const std::vector<double> nothing, one{0.3, 0.1, -7};
  Options o = in_cell(box(2, 2, 2), {true, true, true}, 1e-12);
  EXPECT_TRUE(Plan(points(nothing), o).evaluate<double>(nothing).potential.empty());
  const auto found = Plan(points(one), o).evaluate<double>(std::vector<double>{2});
  EXPECT_NEAR(found.potential[0], -2.837297479480620, 1e-11);  // 2 q / L of the cube with a background
  EXPECT_NEAR(found.gradient[0], 0, 1e-11);
}

TEST(Box, BadInput) {
  const std::vector<double> x{0, 0, 0, .5, .5, .5}, q{1, 1};
  const auto plan = [&](const Rows& cell, const Axes& axes) { Plan(points(x), in_cell(cell, axes, 1e-6)); };
  expect_refusal("lie in one plane", [&] { plan({{{1, 0, 0}, {0, 1, 0}, {1, 1, 0}}}, {true, true, true}); });
  expect_refusal("are parallel", [&] { plan({{{1, 0, 0}, {2, 0, 0}, {0, 0, 1}}}, {true, true, false}); });
  expect_refusal("use a shorter cell", [&] { plan(box(1, 1, 300), {true, true, true}); });
  expect_refusal("no finite number", [&] { plan(box(1, std::nan(""), 1), {true, true, true}); });
  expect_refusal("add up to 2", [&] {
    Plan(points(x), in_cell(box(1, 1, 1), {true, true, false}, 1e-6)).evaluate<double>(q);
  });
  Options o = in_cell(box(1, 1, 1), {true, true, false}, 1e-6);
  o.cell_cy = 1;
  expect_refusal("not periodic", [&] { Plan(points(x), o); });
  o.cell_cy = 0, o.softening = 0.1;
  expect_refusal("not softened", [&] { Plan(points(x), o); });
  const std::vector<double> bad{0, 0, 0, .5, std::nan(""), .5};
  expect_refusal("1", [&] { Plan(points(bad), in_cell(box(1, 1, 1), {true, true, true}, 1e-6)); });
}

}  // namespace
}  // namespace farfield::testing

// Plans of points in periodic cells, against the slow Ewald sums: crystals, the four charges in all their cells, random
// cells, axes, tolerances and charges.
#include <gtest/gtest.h>

#include <cmath>
#include <farfield/farfield.hpp>
#include <random>

#include "periodic/crystals.hpp"
#include "support/random.hpp"

namespace farfield::testing {
namespace {

Options in_cell(const Rows& cell, const Axes& axes, double tolerance) {
  Options o;
  o.tolerance = tolerance;
  o.gradient = true;
  double* const at[3][3] = {
      {&o.cell_x, &o.cell_ay, &o.cell_az}, {&o.cell_bx, &o.cell_y, &o.cell_bz}, {&o.cell_cx, &o.cell_cy, &o.cell_z}};
  unsigned bits = 0;
  for (int i = 0; i < 3; ++i)
    for (int component = 0; axes[i] && component < 3; ++component)
      *at[i][component] = cell[i][component], bits |= 1u << i;
  o.periodic = static_cast<farfield::Axes>(bits);
  return o;
}

std::vector<double> flat(const std::vector<Vec>& x) {
  std::vector<double> all;
  for (const Vec& p : x)
    for (const Real value : p) all.push_back(static_cast<double>(value));
  return all;
}

struct Errors {
  double potential, gradient;
};

/// Relative errors in the L2 norm, or where near terms cancel in a thousandth of those.
Errors errors_of(const std::vector<Vec>& x, const std::vector<double>& q, const Rows& cell, const Axes& axes,
                 const Options& o) {
  const auto expected = sum_pairs(Ewald(cell, axes), x, q);
  const std::vector<double> positions = flat(x);
  Plan plan(points(positions), o);
  const auto found = plan.evaluate<double>(q);
  Real error[2] = {}, size[2] = {};
  for (std::size_t i = 0; i < q.size(); ++i) {
    const Real d = found.potential[i] - expected.potential[i];
    error[0] += d * d, size[0] += expected.potential[i] * expected.potential[i];
    for (std::size_t a = 0; a < 3 && o.gradient; ++a) {
      const Real field = expected.force[i][a] / -q[i], g = found.gradient[3 * i + a] - field;
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

TEST(Box, RandomCells) {
  const unsigned seed = std::random_device()();
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

}  // namespace
}  // namespace farfield::testing

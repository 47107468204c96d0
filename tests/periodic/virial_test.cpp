// The virial of plans, in open space and in periodic cells, against the slow Ewald sums. FARFIELD_TEST_BACKEND=cuda
// sums it on a device (cuda.periodic_virial).
#include <gtest/gtest.h>

#include "periodic/virials.hpp"

namespace farfield::testing {
namespace {

/// Of the virial, over itself and over what it promises.
struct VirialError {
  double relative, promised;
};
VirialError error_of(const std::vector<Vec>& x, const std::vector<double>& q, const Rows& cell, const Axes& axes,
                     const Options& o) {
  const auto expected = sum_pairs(Ewald(cell, axes), x, q);
  const auto found = Plan(points(flat(x)), o).evaluate<double>(q);
  EXPECT_TRUE(found.report.virial && found.gradient.empty() && found.virial.size() == 6);
  const double error = norm(less(found.virial, expected.virial));
  return {error / norm(expected.virial), error / promise_of(expected, q, reach_of(x, cell, axes))};
}

TEST(Virial, FourChargesInTenCells) {
  const std::vector<std::pair<Rows, Axes>> cells{{box(1, 1, 1), all_axes},
                                                 {box(1, 1, 8), all_axes},
                                                 {box(1, 1, 20), all_axes},
                                                 {box(8, 8, 1), all_axes},
                                                 {triclinic, all_axes},
                                                 {hexagonal(1.633), all_axes},
                                                 {box(1, 1, 1), {true, true, false}},
                                                 {hexagonal(1), {true, true, false}},
                                                 {box(1, 1, 1), {false, false, true}},
                                                 {box(1, 1, 1), no_axes}};
  for (const auto& [cell, axes] : cells)
    for (const auto* q : {&four_q, &four_q_charged})
      for (const double tolerance : {1e-3, 1e-6, 1e-9, 1e-12}) {
        if (q == &four_q_charged && (axes != all_axes || tolerance != 1e-9)) continue;
        const VirialError e = error_of(four_x, *q, cell, axes, with_virial(cell, axes, tolerance));
        std::printf("%g %g %g, %d%d%d: %g: %.2g, of the promise %.2g\n", cell[0][0], cell[1][1], cell[2][2], axes[0],
                    axes[1], axes[2], tolerance, e.relative, e.promised / tolerance);
        EXPECT_LE(e.promised, tolerance);
      }
}

TEST(Virial, RandomCells) {
  Stream random = fresh_stream();
  for (int trial = 0; trial < 16; ++trial) {
    const Axes axes = axes_of(trial % 8);
    Rows cell = random_cell(random, 0.4);
    for (auto& row : cell) {
      const double stretch = std::pow(3, random.between(-1, 1));
      for (double& value : row) value *= stretch;
    }
    std::vector<Vec> x;
    std::vector<double> q;
    const auto count = 8 + 2 * random.below(80);
    for (std::int64_t i = 0; i < count; ++i) {
      x.push_back({random.between(-2, 2), random.between(-2, 2), random.between(-2, 2)});
      q.push_back(axes == all_axes && trial > 7 ? random.between(-1, 2) : i & 1 ? -1 : 1);
    }
    const double tolerance = std::pow(10, -random.between(3, 12));
    const VirialError e = error_of(x, q, cell, axes, with_virial(cell, axes, tolerance));
    std::printf("axes %d%d%d, N = %d: %.2g: %.2g, of the promise %.2g\n", axes[0], axes[1], axes[2],
                static_cast<int>(count), tolerance, e.relative, e.promised / tolerance);
    EXPECT_LE(e.promised, tolerance);
  }
}

/// Thousands of ions go through trees; a sum of 1e-11 judges those of lower accuracy, and its energy itself.
TEST(Virial, KeepsItsPromiseForManyIons) {
  Stream random = fresh_stream();
  for (int trial = 0; trial < 8; ++trial) {
    const Axes axes = axes_of(trial);
    const Rows cell = random_cell(random, 0.2);
    const Ions all = ions(2000, cell, 0.02, random);
    Options o = with_virial(cell, axes, 1e-10);
    o.gradient = true;
    const auto exact = Plan(points(all.x), o).evaluate<double>(all.q);
    double energy = 0;
    for (std::size_t i = 0; i < all.q.size(); ++i) energy += all.q[i] * exact.potential[i] / 2;
    const double reach = axes == all_axes ? 3 : 8,
                 size = std::sqrt(4000) * (length_of(exact.potential) + reach * length_of(exact.gradient)) / 2;
    EXPECT_NEAR(exact.virial[0] + exact.virial[1] + exact.virial[2], energy, 1e-10 * size);
    for (const double tolerance : {1e-3, 1e-7}) {
      Options by_boxes = with_virial(cell, axes, tolerance);
      by_boxes.method = Method::fmm;
      const auto found = Plan(points(all.x), by_boxes).evaluate<double>(all.q);
      const double error = norm(less(found.virial, wide(exact.virial)));
      std::printf("axes %d%d%d: %g: %.2g, of the promise %.2g\n", axes[0], axes[1], axes[2], tolerance,
                  error / norm(wide(exact.virial)), error / size / tolerance);
      EXPECT_LE(error, tolerance * size) << trial;
      EXPECT_LE(error, 10 * tolerance * norm(wide(exact.virial))) << trial;  // measured: 1.5 at most
    }
  }
}

/// A vector added to all points and whole vectors of the cell added to some change rounding alone; a turned cell turns.
TEST(Virial, ChoicesThatMeanNothingChangeNothing) {
  Stream random = fresh_stream();
  for (int bits = 0; bits < 8; ++bits) {
    const Axes axes = axes_of(bits);
    const Rows cell = random_cell(random, 0.3);
    Ions all = ions(150, cell, 0.05, random);
    const Options o = with_virial(cell, axes, 1e-12);
    const Six exact = wide(Plan(points(all.x), o).evaluate<double>(all.q).virial);
    const double by[3] = {random.between(-3, 3), random.between(-3, 3), random.between(-3, 3)};
    for (std::size_t i = 0; i < all.x.size(); ++i) {
      all.x[i] += by[i % 3];
      if (axes[i / 3 % 3]) all.x[i] += 5 * cell[i / 3 % 3][i % 3];
    }
    EXPECT_LE(norm(less(Plan(points(all.x), o).evaluate<double>(all.q).virial, exact)), 2e-11 * norm(exact)) << bits;
    if (axes != all_axes) continue;
    Rows sheared = cell;
    for (std::size_t a = 0; a < 3; ++a) sheared[1][a] += 2 * cell[0][a], sheared[2][a] = -cell[2][a] + cell[1][a];
    const auto other = Plan(points(all.x), with_virial(sheared, axes, 1e-12)).evaluate<double>(all.q);
    EXPECT_LE(norm(less(other.virial, exact)), 2e-11 * norm(exact));
  }
}

/// Densities, single precision, float results, the scale, methods; the rest of the results stays as it is.
TEST(Virial, OfDensitiesTypesScalesAndMethods) {
  Stream random(7);
  for (const Axes& axes : {all_axes, no_axes}) {
    const Ions all = ions(1000, triclinic, 0.05, random);
    std::vector<double> q = all.q;
    for (const double value : all.q) q.push_back(-3 * value);
    Options o = with_virial(triclinic, axes, 1e-9);
    const auto both = Plan(points(all.x), o).evaluate<double>(q);
    const Six one = wide({both.virial.begin(), both.virial.begin() + 6});
    ASSERT_EQ(both.virial.size(), 12u);
    for (std::size_t s = 0; s < 6; ++s) EXPECT_NEAR(both.virial[6 + s], 9 * both.virial[s], 1e-9 * norm(one));
    const auto expect_near = [&](const Options& asked, double tolerance, double factor) {
      const auto found = Plan(points(all.x), asked).evaluate<float>(std::vector<float>(all.q.begin(), all.q.end()));
      Six d = less(found.virial, one);
      for (std::size_t s = 0; s < 6; ++s) d[s] = found.virial[s] / factor - one[s];
      EXPECT_LE(norm(d), tolerance * norm(one));
    };
    o.tolerance = 1e-5, o.precision = Precision::single_, o.scale = -332.06371;
    expect_near(o, 1e-3, o.scale);
    o.precision = Precision::automatic, o.method = Method::direct, o.scale = 1;
    expect_near(o, 1e-5, 1);
    o.gradient = true, o.virial = false, o.method = Method::automatic;
    const auto without = Plan(points(all.x), o).evaluate<double>(all.q);
    o.virial = true;
    const auto with = Plan(points(all.x), o).evaluate<double>(all.q);
    EXPECT_EQ(with.potential, without.potential);
    EXPECT_EQ(with.gradient, without.gradient);
    EXPECT_LE(with.report.memory_bytes, Plan::memory_bound(2000, 0, o));
  }
}

TEST(Virial, OfNothingAndAfterMoves) {
  const std::vector<double> nothing;
  for (const Axes& axes : {all_axes, no_axes}) {
    const Options o = with_virial(box(2, 2, 2), axes, 1e-9);
    EXPECT_EQ(Plan(points(nothing), o).evaluate<double>(nothing).virial, std::vector<double>(6));
    const std::vector<double> near{0, 0, 0, 0.5, 0, 0}, far{0, 0, 0, 0, 1, 0}, q{1, -1};
    Plan plan(points(near), o);
    const auto first = plan.evaluate<double>(q).virial;
    plan.move(points(far));
    const auto second = plan.evaluate<double>(q).virial;
    EXPECT_LT(first[0], first[1]);
    EXPECT_LT(second[1], second[0]);
    if (axes == no_axes) {
      EXPECT_NEAR(first[0], -2, 1e-14);  // r F of one pair
    }
  }
}

/// Softened pairs pull along their difference, too.
TEST(Virial, OfSoftenedPairs) {
  const std::vector<double> x{0, 0, 0, 0.3, 0.4, 0}, q{2, -1};
  Options o = with_virial(box(1, 1, 1), no_axes, 1e-9);
  o.softening = 0.5;
  const auto w = Plan(points(x), o).evaluate<double>(q).virial;
  const double strength = -2 / std::pow(0.5, 1.5);
  const double expected[] = {0.09 * strength, 0.16 * strength, 0, 0.12 * strength, 0, 0};
  for (std::size_t s = 0; s < 6; ++s) EXPECT_NEAR(w[s], expected[s], 1e-12) << s;
}

TEST(Virial, Refusals) {
  const std::vector<double> x{0, 0, 0, .5, .5, .5}, q{1, 1};
  Options o = with_virial(box(1, 1, 1), no_axes, 1e-6);
  expect_refusal("among each other", [&] { Plan(points(x), points(x), o); });
  o.dipoles = true;
  expect_refusal("of dipoles is not offered", [&] { Plan(points(x), o); });
  o.dipoles = false, o.kernel = Kernel::yukawa3d;
  expect_refusal("kernel yukawa3d has no virial", [&] { Plan(points(x), o); });
  o.kernel = Kernel::laplace3d;
  Points on_device = points(x);
  on_device.space = MemorySpace::device;
  o.backend = Backend::cpu;
  expect_refusal("pass host memory", [&] { Plan(on_device, o); });
  expect_refusal("vortex particles have no virial", [&] { BiotSavart(points(x), o); });
  o.virial = false;
  double six[6];
  Outputs outputs;
  outputs.virial = six;
  expect_refusal("options.virial", [&] { Plan(points(x), o).evaluate(strengths(q), outputs); });
}

}  // namespace
}  // namespace farfield::testing

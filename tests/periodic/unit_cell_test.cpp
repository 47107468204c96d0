// Cells: reduction, wrapping, shortest images, refusals.
#include "tree/cell/unit_cell.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <farfield/error.hpp>
#include <limits>
#include <string>

#include "periodic/crystals.hpp"

namespace farfield::testing {
namespace {

constexpr Axes xyz{true, true, true};

Real size_of(const Vector3& v) { return std::sqrt(dot({v[0], v[1], v[2]}, {v[0], v[1], v[2]})); }

/// How far d is from the nearest lattice point, in units of the shortest vector.
Real off_lattice(const UnitCell& cell, const Vec& d) {
  Vec rest = d;
  for (int i = 0; i < cell.periodic_count(); ++i) {
    Real fraction = 0;
    for (int a = 0; a < 3; ++a) fraction += cell.dual(i)[a] * d[a];
    for (int a = 0; a < 3; ++a) rest[a] -= std::round(fraction) * cell.vector(i)[a];
  }
  return std::sqrt(dot(rest, rest)) / size_of(cell.vector(0));
}

Vec difference(const Vector3& a, const Vector3& b) {
  Vec d;
  for (int axis = 0; axis < 3; ++axis) d[axis] = Real(a[axis]) - b[axis];
  return d;
}

TEST(UnitCell, KeepsAReducedOne) {
  const UnitCell cell(box(2, 3, 5), xyz);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(cell.vector(i), (box(2, 3, 5)[i]));
    EXPECT_DOUBLE_EQ(cell.dual(i)[i], 1 / box(2, 3, 5)[i][i]);
  }
  EXPECT_EQ(cell.measure(), 30);
}

TEST(UnitCell, UnreducedAndLeftHandedGiveTheSameLattice) {
  const UnitCell cube(box(10, 10, 10), xyz);
  for (const Rows& rows : {Rows{{{10, 10, 0}, {0, 10, 0}, {0, 0, 10}}}, Rows{{{20, 10, 0}, {10, 10, 0}, {0, 0, 10}}},
                           Rows{{{20, 10, 10}, {10, 10, 0}, {20, 0, 10}}}}) {
    const UnitCell cell(rows, xyz);
    EXPECT_EQ(cell.measure(), 1000);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(static_cast<double>(size_of(cell.vector(i))), 10);
      EXPECT_EQ(off_lattice(cube, {cell.vector(i)[0], cell.vector(i)[1], cell.vector(i)[2]}), 0);
    }
  }
}

TEST(UnitCell, ReductionShortensAndKeepsTheLattice) {
  constexpr unsigned seed = 2415;
  std::printf("seed %u\n", seed);
  Stream random(seed);
  for (int trial = 0; trial < 200; ++trial) {
    const Axes periodic = axes_of(1 + trial % 7);
    const Rows good = random_cell(random, 0.3);
    Rows bad = good;
    for (int step = 0; step < 6; ++step) {  // unimodular, among the periodic vectors
      const auto i = random.below(3), j = random.below(3), times = random.below(7) - 3;
      if (i == j || !periodic[i] || !periodic[j]) continue;
      for (int a = 0; a < 3; ++a) bad[i][a] += static_cast<double>(times) * bad[j][a];
    }
    const UnitCell cell(bad, periodic), reference(good, periodic);
    EXPECT_NEAR(cell.measure(), reference.measure(), 1e-9) << trial;
    const int n = cell.periodic_count();
    for (int i = 0; i < n; ++i) {
      EXPECT_NEAR(static_cast<double>(size_of(cell.vector(i)) - size_of(reference.vector(i))), 0, 1e-9) << trial;
      EXPECT_LT(off_lattice(reference, {cell.vector(i)[0], cell.vector(i)[1], cell.vector(i)[2]}), 1e-9L) << trial;
    }
    // Minkowski: no combination that contains vector i is shorter than it.
    for (int code = 0; code < 125; ++code) {
      CellIndex image{code % 5 - 2, code / 5 % 5 - 2, code / 25 - 2};
      for (int i = n; i < 3; ++i) image[i] = 0;
      for (int i = 0; i < n; ++i)
        if (image[i] == 1 || image[i] == -1) {
          EXPECT_GE(static_cast<double>(size_of(cell.displacement(image)) / size_of(cell.vector(i))), 1 - 1e-12)
              << trial;
        }
    }
  }
}

TEST(UnitCell, WrapsIntoItselfExactly) {
  constexpr unsigned seed = 2416;
  std::printf("seed %u\n", seed);
  Stream random(seed);
  for (int trial = 0; trial < 3000; ++trial) {
    const Axes periodic = axes_of(1 + trial % 7);
    const UnitCell cell(random_cell(random, 0.3), periodic);
    const double far = std::pow(10, random.between(-1, 14));
    Vector3 x;
    for (double& value : x) value = random.between(-far, far);
    const Vector3 home = cell.wrapped(x);
    const Vec moved = difference(x, home);
    for (int i = 0; i < cell.periodic_count(); ++i) {
      EXPECT_GE(cell.fraction(home, i), 0) << trial;
      EXPECT_LT(cell.fraction(home, i), 1) << trial;
    }
    if (far < 1e3) {  // farther away long double cannot tell
      EXPECT_LT(off_lattice(cell, moved), 3e-16L * (2 + size_of(home))) << trial;
    }
    EXPECT_EQ(cell.wrapped(home), home) << trial;
  }
}

TEST(UnitCell, WrapsFarPointsWithoutLoss) {
  const UnitCell cell(box(1, 0.75, 0.1), xyz);
  const Vector3 home = cell.wrapped({1e15 + 0.125, -3e12 + 0.5, 0.25});
  EXPECT_EQ(home[0], 0.125);
  EXPECT_EQ(home[1], 0.5);
  EXPECT_EQ(home[2], static_cast<double>(0.25L - 2 * Real(0.1)));
  // 12,345,678,901 times the double nearest to 0.1, and a quarter of it
  const double step = 0.1;
  const double x = std::fma(12345678901.0, step, step / 4);
  EXPECT_EQ(cell.wrapped({0, 0, x})[2], std::fma(-12345678901.0, step, x));
}

TEST(UnitCell, NeverOutsideByRounding) {
  constexpr unsigned seed = 2417;
  std::printf("seed %u\n", seed);
  Stream random(seed);
  for (int trial = 0; trial < 2000; ++trial) {
    const UnitCell cell(trial & 1 ? random_cell(random, 0.3) : box(1, 1, 3), xyz);
    Vector3 x{};
    for (int i = 0; i < 3; ++i) {
      const auto times = static_cast<double>(random.below(5)) - 2;
      for (int a = 0; a < 3; ++a) x[a] += times * cell.vector(i)[a];
    }
    for (double& value : x) value += std::ldexp(random.between(-1, 1), -static_cast<int>(random.below(80)) - 40);
    const Vector3 home = cell.wrapped(x);
    for (int i = 0; i < 3; ++i) {
      EXPECT_GE(cell.fraction(home, i), 0) << trial;
      EXPECT_LT(cell.fraction(home, i), 1) << trial;
    }
    const Vec moved = difference(x, home);
    EXPECT_LT(off_lattice(cell, moved), 4e-15L) << trial;
  }
}

TEST(UnitCell, MinimumImageIsTheShortest) {
  constexpr unsigned seed = 2418;
  std::printf("seed %u\n", seed);
  Stream random(seed);
  for (int trial = 0; trial < 500; ++trial) {
    const Axes periodic = axes_of(1 + trial % 7);
    const UnitCell cell(random_cell(random, 0.3), periodic);
    Vector3 d;
    for (double& value : d) value = random.between(-20, 20);
    const Vector3 shortest = cell.minimum_image(d);
    const Vec moved = difference(d, shortest);
    EXPECT_LT(off_lattice(cell, moved), 1e-13L) << trial;
    for (const CellIndex& n : cell.cells_within(4)) {
      const Vector3 shift = cell.displacement(n);
      const Vector3 other{shortest[0] + shift[0], shortest[1] + shift[1], shortest[2] + shift[2]};
      EXPECT_GE(static_cast<double>(size_of(other) - size_of(shortest)), -1e-15) << trial;
    }
  }
}

TEST(UnitCell, NearImages) {
  EXPECT_EQ(near_cells(UnitCell(box(1, 1, 1), xyz), 1).size(), 27u);
  EXPECT_EQ(near_cells(UnitCell(box(1, 1, 1), {true, true, false}), 1).size(), 9u);
  EXPECT_EQ(near_cells(UnitCell(box(1, 1, 4), xyz), 4).size(), 15u * 15u * 3u);
  EXPECT_EQ(near_cells(UnitCell(box(1, 1, 4), xyz), 1).size(), 9u);
}

std::string refusal(const Rows& rows, const Axes& axes) {
  try {
    const UnitCell cell(rows, axes);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  return "";
}

TEST(UnitCell, BadCells) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::pair<std::string, std::string> expected[] = {
      {refusal({{{1, 0, 0}, {0, nan, 0}, {0, 0, 1}}}, xyz),
       "the cell's vector b has a component y that is no finite number; give three finite numbers"},
      {refusal(box(1, 1, 0), xyz),
       "the cell's vector c has length 0; give a vector along each periodic axis, or make the axis open"},
      {refusal(box(1, 1e-99, 1), xyz),
       "the cell's vector b is shorter than 1e-90 or longer than 1e90; give positions and cell in another unit"},
      {refusal({{{1, 0, 0}, {0, 1, 0}, {0.1, 0.7, 0}}}, xyz),
       "the cell's vectors a, b and c lie in one plane, so that it has no volume; give vectors that do not, or fewer "
       "periodic axes"},
      {refusal({{{1, 2, 3}, {0, 1, 0}, {-0.1, -0.2, -0.3}}}, {true, false, true}),
       "the cell's vectors a and c are parallel, so that it has no area; give vectors that do not, or fewer periodic "
       "axes"},
      {refusal(box(1, 1, 1), {false, false, false}),
       "no axis of the cell is periodic; name at least one, or leave the cell out"}};
  for (const auto& [sentence, wanted] : expected) EXPECT_EQ(sentence, wanted);
  EXPECT_EQ(refusal({{{1, 0, 0}, {0, nan, 0}, {0, 0, 1}}}, {true, false, true}), "");  // an open axis is not read
}

}  // namespace
}  // namespace farfield::testing

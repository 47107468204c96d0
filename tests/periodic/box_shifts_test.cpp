// Expansions of a block from those of the boxes that fill it, and back, as a device translates them: by matrices.
#include "expansions/periodic/blocks/box_shifts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "expansions/laplace_basis.hpp"
#include "expansions/solid_shape.hpp"
#include "support/random.hpp"
#include "tree/cell/block_grid.hpp"

namespace farfield::testing {
namespace {

constexpr int degree = 9, coefficients = SolidShape::count(degree);
constexpr double edge = 0.7, unit = 1.9;
constexpr int parts[3] = {2, 3, 2};

std::vector<double> harmonics(const Vector3& u) {
  std::vector<double> value(static_cast<std::size_t>(laplace::count(degree)));
  laplace::columns(degree, LaplaceBasis::recurrence_table(degree).data(), u[0], u[1], u[2],
                   laplace::StoreFunctions<double>{value.data()});
  return value;
}
using Vector = std::vector<double>;

/// What a matrix [given * width + got] gives.
template <class Number>
Vector product(const Number* matrix, int width, const Vector& given) {
  Vector got(given.size());
  for (std::size_t k = 0; k < given.size(); ++k)
    for (std::size_t n = 0; n < got.size(); ++n)
      got[n] += static_cast<double>(matrix[k * static_cast<std::size_t>(width) + n]) * given[k];
  return got;
}
void add(Vector& sum, const Vector& part) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
}
double largest(const Vector& v) {
  double most = 0;
  for (const double value : v) most = std::max(most, std::fabs(value));
  return most;
}
void expect_near(const Vector& found, const Vector& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << i;
}

/// A block about `centre`, and charges in one of its boxes.
struct Block {
  static constexpr double ratio = edge / unit;
  Vector3 centre{0.3, -1.2, 4};
  BoxShifts shifts = make_box_shifts(degree, unit, edge, parts);
  SolidConvolution solid{degree};
  SolidShift shift(const int (&at)[3]) const { return {solid, scaled(difference(box(at), centre), 1 / unit), ratio}; }
  const float* of_place(const std::vector<float>& matrices, const int (&at)[3]) const {
    return matrices.data() + shifts.place(at) * shifts.pitch * shifts.pitch;
  }
  Vector3 box(const int (&at)[3]) const {
    Vector3 c = centre;
    for (std::size_t d = 0; d < 3; ++d) c[d] += (at[d] - 0.5 * (parts[d] - 1)) * edge;
    return c;
  }
};

template <class Visit>
void for_each_box(const Visit& visit) {
  for (int i = 0; i < parts[0]; ++i)
    for (int j = 0; j < parts[1]; ++j)
      for (int k = 0; k < parts[2]; ++k) visit({i, j, k});
}

Vector3 inside(const Vector3& centre, Stream& random) {
  Vector3 x = centre;
  for (double& c : x) c += edge * random.between(-0.5, 0.5);
  return x;
}

class BoxShiftsTest : public ::testing::Test {
 protected:
  BoxShiftsTest() { std::printf("seed %llu\n", static_cast<unsigned long long>(seed)); }
  std::uint64_t seed = std::random_device()();
  Stream random{seed};
  Block block;
};

/// Rounding of sums in double, and of matrices in single, relative to the largest number of what they give: each term
/// errs by at most 6e-8 of itself, and these cancel by less than an order of magnitude.
constexpr double in_double = 1e-12, in_single = 1e-6;

TEST_F(BoxShiftsTest, AreTheTranslationsAsMatrices) {
  for_each_box([&](const int(&at)[3]) {
    Vector given(coefficients);
    for (double& value : given) value = random.between(-1, 1);
    const SolidShift shift = block.shift(at);
    SolidConvolution::Numbers of_block(coefficients);
    shift.m2m(block.solid.scaled(given.data()), of_block);
    const Vector multipole = block.solid.unscaled(of_block);
    Vector local(coefficients);
    shift.l2l(given.data(), local.data());
    const auto m2m = m2m_matrix(block.solid, shift), l2l = l2l_matrix(block.solid, shift);
    expect_near(product(m2m.data(), coefficients, given), multipole, in_double * largest(multipole));
    expect_near(product(l2l.data(), coefficients, given), local, in_double * largest(local));
    for (double& value : local) value *= Block::ratio;
    const BoxShifts& s = block.shifts;
    expect_near(product(block.of_place(s.m2m, at), s.pitch, given), multipole, in_single * largest(multipole));
    expect_near(product(block.of_place(s.l2l, at), s.pitch, given), local, in_single * largest(local));
  });
}

/// A device's threads stop at whole degrees and read whole lines.
TEST_F(BoxShiftsTest, AreZeroWhereNothingIsGiven) {
  const BoxShifts& s = block.shifts;
  EXPECT_EQ(s.pitch % 32, 0);
  for_each_box([&](const int(&at)[3]) {
    for (int given = 0; given < s.pitch; ++given)
      for (int got = 0; got < s.pitch; ++got) {
        const bool beyond = given >= coefficients || got >= coefficients;
        const int from = SolidShape::degree_of(given), to = SolidShape::degree_of(got), i = given * s.pitch + got;
        EXPECT_TRUE((!beyond && from <= to) || block.of_place(s.m2m, at)[i] == 0) << given << " " << got;
        EXPECT_TRUE((!beyond && from >= to) || block.of_place(s.l2l, at)[i] == 0) << given << " " << got;
      }
  });
}

/// Both have all coefficients: nothing but rounding is left.
TEST_F(BoxShiftsTest, GiveABlockTheMultipoleOfItsPoints) {
  Vector expected(coefficients), found(coefficients), single(coefficients);
  for_each_box([&](const int(&at)[3]) {
    Vector multipole(coefficients);
    for (int charge = 0; charge < 5; ++charge) {
      const Vector3 x = inside(block.box(at), random);
      const double q = random.between(-1, 1);
      const auto own = harmonics(scaled(difference(x, block.box(at)), 1 / edge)),
                 all = harmonics(scaled(difference(x, block.centre), 1 / unit));
      for (std::size_t i = 0; i < own.size(); ++i) multipole[i] += q * own[i], expected[i] += q * all[i];
    }
    add(found, product(m2m_matrix(block.solid, block.shift(at)).data(), coefficients, multipole));
    add(single, product(block.of_place(block.shifts.m2m, at), block.shifts.pitch, multipole));
  });
  expect_near(found, expected, in_double * largest(expected));
  expect_near(single, expected, in_single * largest(expected));
}

TEST_F(BoxShiftsTest, GiveBoxesThePotentialOfTheirBlock) {
  Vector local(coefficients);
  for (double& value : local) value = random.between(-1, 1);
  const auto potential = [](const Vector& expansion, const Vector3& u, double length) {
    const auto functions = harmonics(u);
    double sum = 0;
    for (std::size_t i = 0; i < functions.size(); ++i) sum += expansion[i] * functions[i];
    return sum / length;
  };
  for_each_box([&](const int(&at)[3]) {
    const Vector own = product(l2l_matrix(block.solid, block.shift(at)).data(), coefficients, local),
                 in_edges = product(block.of_place(block.shifts.l2l, at), block.shifts.pitch, local);
    const Vector3 x = inside(block.box(at), random), u = scaled(difference(x, block.box(at)), 1 / edge);
    const double expected = potential(local, scaled(difference(x, block.centre), 1 / unit), unit);
    EXPECT_NEAR(potential(own, u, unit), expected, in_double);
    EXPECT_NEAR(potential(in_edges, u, edge), expected, in_single * largest(local) / unit);
  });
}

TEST(WholeBoxes, AreCountedToRounding) {
  EXPECT_EQ(whole_boxes(1.5, 0.5 * (1 - 0x1p-32), 2, 4), 3);
  EXPECT_EQ(whole_boxes(1.5, 0.5, 2, 2), 0);
  EXPECT_EQ(whole_boxes(0.5, 0.5, 2, 4), 0);
  EXPECT_EQ(whole_boxes(1.6, 0.5, 2, 4), 0);
}

/// The cheapest grid for 1.1e6 points at degree 12 in a cell along the axes, with edges from the shortest to the
/// longest, for so many boxes along the shortest; none: there is none.
std::optional<BlockGrid> blocks_of_boxes(const Vector3& edges, int boxes) {
  constexpr double count = 1.1e6;
  const UnitCell cell({{{edges[0], 0, 0}, {0, edges[1], 0}, {0, 0, edges[2]}}}, {true, true, true});
  const FractionRange whole[3] = {};
  const BlockGrid free = choose_blocks(cell, whole, count, 12, BlockSums::waves);
  return choose_blocks_of_boxes(free, count, 12, edges[0] / boxes);
}

TEST(BlocksOfBoxes, AreCubesOfTwoToFourBoxes) {
  int found = 0;
  for (const Vector3& edges : {Vector3{1.1, 1.1, 1.1}, Vector3{0.3, 0.3, 3}, Vector3{1, 1.5, 2}})
    for (int across = 8; across <= 16; ++across) {
      const auto grid = blocks_of_boxes(edges, across);
      if (!grid) continue;
      ++found;
      bool divided = false;
      for (const double finer : {0.5, 1.0, 2.0}) {
        bool all = true;
        for (int i = 0; i < 3; ++i) {
          const double along = finer * across * edges[static_cast<std::size_t>(i)] / edges[0];
          all = all && whole_boxes(along / grid->count(i), 1, 2, 4) > 0;
        }
        divided = divided || all;
      }
      EXPECT_TRUE(divided) << across << ": " << grid->count(0) << " " << grid->count(1) << " " << grid->count(2);
    }
  EXPECT_GE(found, 12);
}

TEST(BlocksOfBoxes, FollowFromTheBoxes) {
  const Vector3 cube{2, 2, 2};
  for (const auto& [across, blocks] : {std::pair{10, 5}, {12, 6}, {14, 7}, {15, 5}}) {
    const auto grid = blocks_of_boxes(cube, across);
    ASSERT_TRUE(grid) << across;
    EXPECT_EQ(grid->count(0), blocks) << across;
  }
  EXPECT_FALSE(blocks_of_boxes(cube, 11));
  EXPECT_FALSE(blocks_of_boxes(cube, 13));
}

}  // namespace
}  // namespace farfield::testing

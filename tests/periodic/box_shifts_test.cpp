// Expansions of a block from those of the boxes that fill it, and back, as a device translates them.
#include "expansions/periodic/blocks/box_shifts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "expansions/laplace_basis.hpp"
#include "expansions/periodic/convolution_sums.hpp"
#include "support/random.hpp"
#include "tree/cell/block_grid.hpp"

namespace farfield::testing {
namespace {

using Numbers = SolidConvolution::Numbers;

constexpr int degree = 9;
constexpr double edge = 0.7, unit = 1.9;
constexpr int parts[3] = {2, 3, 2};

std::vector<double> harmonics(const Vector3& u) {
  std::vector<double> value(static_cast<std::size_t>(laplace::count(degree)));
  laplace::columns(degree, LaplaceBasis::recurrence_table(degree).data(), u[0], u[1], u[2],
                   laplace::StoreFunctions<double>{value.data()});
  return value;
}
double* flat(Numbers& numbers) { return reinterpret_cast<double*>(numbers.data()); }
const double* flat(const Numbers& numbers) { return reinterpret_cast<const double*>(numbers.data()); }

template <class Visit>
void for_each_order(const Visit& visit) {
  for (int n = 0; n <= degree; ++n)
    for (int m = 0; m <= n; ++m) visit(n, m);
}

/// A block about `centre`, and charges in one of its boxes.
struct Block {
  Vector3 centre{0.3, -1.2, 4}, of_box{};
  BoxShifts shifts = make_box_shifts(degree, unit, edge, parts);
  SolidConvolution solid{degree};
  const double* unit_charge(const int (&at)[3]) const {
    return flat(shifts.unit_charges) + 2 * shifts.place(at) * laplace::count(degree);
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

/// Both have all coefficients: nothing but rounding is left.
TEST_F(BoxShiftsTest, GiveABlockTheMultipoleOfItsPoints) {
  std::vector<double> expected(static_cast<std::size_t>(laplace::count(degree)));
  Numbers sum(expected.size());
  for_each_box([&](const int(&at)[3]) {
    std::vector<double> multipole(expected.size());
    for (int charge = 0; charge < 5; ++charge) {
      const Vector3 x = inside(block.box(at), random);
      const double q = random.between(-1, 1);
      const auto own = harmonics(scaled(difference(x, block.box(at)), 1 / edge)),
                 all = harmonics(scaled(difference(x, block.centre), 1 / unit));
      for (std::size_t i = 0; i < own.size(); ++i) multipole[i] += q * own[i], expected[i] += q * all[i];
    }
    const Numbers from = block.solid.scaled(multipole.data());
    for_each_order([&](int n, int m) {
      const auto value = convolution::m2m(flat(from), block.unit_charge(at), block.shifts.power.data(), n, m);
      const auto before = convolution::at(flat(sum), n, m);
      convolution::set_both(flat(sum), n, m, {before.real + value.real, before.imaginary + value.imaginary});
    });
  });
  const std::vector<double> found = block.solid.unscaled(sum);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-13) << i;
}

TEST_F(BoxShiftsTest, GiveBoxesThePotentialOfTheirBlock) {
  std::vector<double> local(static_cast<std::size_t>(laplace::count(degree)));
  for (double& value : local) value = random.between(-1, 1);
  Numbers y(local.size());
  for_each_order([&](int n, int m) {
    convolution::set_both(flat(y), n, m, convolution::of_local(local.data(), block.solid.roots().data(), n, m));
  });
  const auto potential = [](const std::vector<double>& expansion, const Vector3& u, double length) {
    const auto functions = harmonics(u);
    double sum = 0;
    for (std::size_t i = 0; i < functions.size(); ++i) sum += expansion[i] * functions[i];
    return sum / length;
  };
  for_each_box([&](const int(&at)[3]) {
    std::vector<double> own(local.size());
    for_each_order([&](int k, int l) {
      auto value = convolution::l2l(degree, flat(y), block.unit_charge(at), block.shifts.power.data(), k, l);
      value.real *= block.shifts.ratio, value.imaginary *= block.shifts.ratio;
      convolution::add_real_local(block.solid.roots().data(), k, l, value, own.data());
    });
    const Vector3 x = inside(block.box(at), random);
    EXPECT_NEAR(potential(own, scaled(difference(x, block.box(at)), 1 / edge), edge),
                potential(local, scaled(difference(x, block.centre), 1 / unit), unit), 1e-12);
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

// m2l between the blocks of a cell by transforms over their grid, as a device does it, against the sum over pairs of
// blocks and over the images of each that are no points, in long double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>

#include "expansions/periodic/blocks/convolution.hpp"
#include "expansions/periodic/blocks/wave_m2l.hpp"
#include "expansions/periodic/harmonic_sum.hpp"
#include "support/random.hpp"

namespace farfield::testing {
namespace {

using convolution::Complex, convolution::GridTransform, convolution::orders, convolution::Wave;
using Numbers = SolidConvolution::Numbers;

constexpr std::uint64_t seed = 20261129;
/// Of the largest number of a coefficient among all blocks: transforms round relative to what is near. Measured: at
/// most 3e-14.
constexpr double of_largest = 1e-13;

struct Case {
  const char* name;
  std::array<Vector3, 3> rows;
  std::array<bool, 3> axes;
  int counts[3];
  double far_apart;
  int degree;
};

/// A cell cut into blocks, and multipoles.
struct Blocks {
  UnitCell cell;
  BlockGrid grid;
  BlockImages images;
  SolidConvolution solid;
  double unit;
  BlockConvolution convolution;
  std::vector<double> multipoles;
  std::vector<Complex> waves;
  int sets() const { return 1 + cell.periodic_count(); }

  static BlockGrid cut(const UnitCell& cell, const Case& c) {
    FractionRange range[3];
    for (int i = cell.periodic_count(); i < 3; ++i) range[i] = {-0.3, 1.4};
    return {cell, range, c.counts, c.far_apart};
  }
  Blocks(const Case& c, Stream& random)
      : cell(c.rows, c.axes),
        grid(cut(cell, c)),
        images(grid),
        solid(c.degree),
        unit(2 * grid.radius() / std::sqrt(3.0)),
        convolution(make_convolution(grid, images, solid, unit, sets(), 2)),
        waves(convolution.waves()) {
    for (int block = 0; block < grid.blocks(); ++block)
      for (int n = 0; n <= c.degree; ++n)
        for (int m = -n; m <= n; ++m)
          multipoles.push_back(random.between(-1, 1) * std::pow(0.7, n) / std::tgamma(n + 1.0));
  }
  GridTransform with_waves(GridTransform g) const {
    g.waves = waves.data();
    return g;
  }
};

/// [frequency]
template <class Of>
std::vector<Wave> transformed(const GridTransform& g, const Of& number) {
  std::vector<Wave> first(std::size_t(g.after_first())), second(std::size_t(g.after_second())),
      all(std::size_t(g.frequencies()));
  transform_first(g, 0, 1, number, first.data());
  transform_second(g, 0, 1, first.data(), second.data());
  transform_third(g, 0, 1, second.data(), [&](int k, const Wave& wave) { all[std::size_t(k)] = wave; });
  return all;
}

/// The steps of a device, for one set of tables: [block][order m >= 0].
std::vector<Complex> by_transforms(const Blocks& b, std::size_t set) {
  const BlockConvolution& c = b.convolution;
  const int degree = b.solid.degree(), blocks = b.grid.blocks(), most = orders(degree), table = orders(2 * degree);
  std::vector<Numbers> scaled;
  const auto coefficients = b.multipoles.size() / std::size_t(blocks);
  for (int block = 0; block < blocks; ++block)
    scaled.push_back(b.solid.scaled(&b.multipoles[std::size_t(block) * coefficients]));
  const GridTransform own = b.with_waves(c.of_blocks()), points = b.with_waves(c.of_points());
  const auto frequencies = std::size_t(own.frequencies());
  std::vector<Wave> sums(frequencies * std::size_t(most));
  for (const bool alone : {false, true}) {
    const GridTransform g = alone ? points : own;
    const GridTransform tables = b.with_waves(alone ? c.of_alone() : c.of_images());
    const bool turns = !alone && set > 0;
    std::vector<Wave> multipole(frequencies * std::size_t(most));
    for (int i = 0; i < most; ++i) {
      const convolution::Order at(i);
      const auto waves = transformed(g, [&](int s) {
        const convolution::GridPlace p(s, g.count[1], g.count[2]);
        const int block = alone ? convolution::block_of_image(g, c.count, p) : s;
        const double weight = alone ? c.weights[set][std::size_t(s)] : 1;
        const auto value = scaled[std::size_t(block)][std::size_t(SolidShape::index(at.n, at.m))];
        return Complex{weight * value.real(), weight * value.imag()};
      });
      for (std::size_t k = 0; k < frequencies; ++k) multipole[k * std::size_t(most) + std::size_t(i)] = waves[k];
    }
    const auto spread_size = std::size_t(convolution::SpreadTable::size(2 * degree));
    std::vector<Complex> spread(frequencies * spread_size);
    const Numbers& of = alone ? c.alone : c.images[set];
    for (int i = 0; i < table; ++i) {
      const convolution::Order at(i);
      const auto waves = transformed(tables, [&](int d) {
        const auto value = of[std::size_t(d) * std::size_t(table) + std::size_t(i)];
        return Complex{value.real(), value.imag()};
      });
      for (std::size_t k = 0; k < frequencies; ++k)
        convolution::set_spread(&spread[k * spread_size], at.n, at.m,
                                convolution::has_sines(at.n, turns) ? waves[k].sine : waves[k].cosine);
    }
    for (std::size_t k = 0; k < frequencies; ++k)
      for (int n = 0; n <= degree; ++n)
        for (int m = 0; m <= n; m += 4) {
          Wave found[4];
          convolution::add_wave_m2l(degree, &multipole[k * std::size_t(most)], &spread[k * spread_size], turns, n, m,
                                    found);
          for (int j = 0; j < 4 && m + j <= n; ++j) {
            Wave& sum = sums[k * std::size_t(most) + std::size_t(orders(n - 1) + m + j)];
            convolution::add_wave(sum, found[j], 1, 0);
          }
        }
  }
  std::vector<Complex> locals(std::size_t(blocks * most));
  for (int i = 0; i < most; ++i) {
    std::vector<Wave> third(std::size_t(own.rest_first())), second(std::size_t(own.rest_second()));
    restore_third(
        own, 0, 1, [&](int k) { return sums[std::size_t(k * most + i)]; }, third.data());
    restore_second(own, 0, 1, third.data(), second.data());
    restore_first(own, 0, 1, second.data(),
                  [&](int block, const Complex& value) { locals[std::size_t(block * most + i)] = value; });
  }
  return locals;
}

/// The same, pair by pair.
std::vector<std::complex<long double>> by_pairs(const Blocks& b, int vector) {
  const int degree = b.solid.degree(), blocks = b.grid.blocks(), most = orders(degree);
  const auto coefficients = b.multipoles.size() / std::size_t(blocks);
  std::vector<std::complex<long double>> locals(std::size_t(blocks * most));
  for (int pair = 0; pair < blocks * blocks; ++pair) {
    const int from = pair % blocks, to = pair / blocks;
    HarmonicSum harmonics(2 * degree);
    const auto& points = b.images.points[std::size_t(from)];
    for (const CellIndex& n : b.images.near) {
      if (std::find(points.begin(), points.end(), n) != points.end()) continue;
      const CellIndex apart = b.grid.apart(from, to, n);
      EXPECT_TRUE(b.grid.is_far(apart)) << from << " " << to;
      const double weight = vector < 0 ? 1 : n[std::size_t(vector)];
      harmonics.add_outer(scaled(b.grid.vector(apart), 1 / b.unit), [&](int) { return weight; });
    }
    Numbers table(b.solid.table_size());
    b.solid.make_table(harmonics.total().data(), table.data());
    const Numbers scaled = b.solid.scaled(&b.multipoles[std::size_t(from) * coefficients]);
    for (int k = 0; k <= degree; ++k)
      for (int l = 0; l <= k; ++l)
        for (int n = 0; n <= degree; ++n)
          for (int m = -n; m <= n; ++m) {
            const std::complex<long double> one = scaled[std::size_t(SolidShape::index(n, m))],
                                            other = table[std::size_t(SolidShape::index(n + k, l + m))];
            locals[std::size_t(to * most + orders(k - 1) + l)] += (n & 1 ? -1.0L : 1.0L) * one * other;
          }
  }
  return locals;
}

class BlockConvolutions : public ::testing::TestWithParam<Case> {};

TEST_P(BlockConvolutions, AreTheSumsOverPairs) {
  const Case& c = GetParam();
  Stream random(seed + std::uint64_t(c.degree));
  const Blocks b(c, random);
  const int most = orders(c.degree), blocks = b.grid.blocks();
  for (int set = 0; set < b.sets(); ++set) {
    const auto found = by_transforms(b, std::size_t(set));
    const auto expected = by_pairs(b, set - 1);
    long double worst = 0, worst_of_own = 0, error2 = 0, size2 = 0;
    for (int i = 0; i < most; ++i) {
      const int k = convolution::Order(i).n;
      const long double unit = std::pow(0.7L, k) / std::tgamma(k + 1.0L);  // about what R_k is in a block
      long double largest = 0, off = 0;
      for (int block = 0; block < blocks; ++block) {
        const auto at = std::size_t(block * most + i);
        const std::complex<long double> value(found[at].real, found[at].imaginary);
        const long double size = std::abs(expected[at]), error = std::abs(value - expected[at]);
        largest = std::max(largest, size), off = std::max(off, error);
        error2 += unit * unit * error * error, size2 += unit * unit * size * size;
        if (size > 0) worst_of_own = std::max(worst_of_own, error / size);
      }
      if (largest > 0) worst = std::max(worst, off / largest);
      EXPECT_TRUE(largest > 0 || off == 0) << i;
    }
    const double l2 = double(std::sqrt(error2 / size2));
    std::printf("%-12s degree %2d set %d: L2 %.1e, of a coefficient's largest %.1e, of itself %.1e (seed %llu)\n",
                c.name, c.degree, set, l2, double(worst), double(worst_of_own), static_cast<unsigned long long>(seed));
    if (b.images.near.size() > b.images.points.front().size() || blocks > 1) {
      ASSERT_GT(size2, 0);
      EXPECT_LT(l2, of_largest);
    }  // else all near cells are points
    EXPECT_LT(worst, of_largest);
  }
}

constexpr std::array<bool, 3> xyz{true, true, true}, xy{true, true, false}, z{false, false, true};
const std::array<Vector3, 3> cube{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    skew{{{1, 0.1, 0}, {0.4, 1.2, 0.1}, {-0.3, 0.5, 1.4}}}, rod{{{1, 0, 0}, {0, 1.1, 0}, {0.2, 0, 5}}};

INSTANTIATE_TEST_SUITE_P(
    Cells, BlockConvolutions,
    ::testing::Values(Case{"cube", cube, xyz, {5, 5, 5}, 2.3, 4}, Case{"cube", cube, xyz, {3, 3, 3}, 2.3, 11},
                      Case{"one block", cube, xyz, {1, 1, 1}, 2.3, 7}, Case{"far apart", cube, xyz, {2, 2, 2}, 4, 9},
                      Case{"far apart", skew, xyz, {3, 2, 4}, 3, 6}, Case{"triclinic", skew, xyz, {3, 4, 2}, 2.3, 7},
                      Case{"slab", skew, xy, {4, 3, 2}, 2.3, 6}, Case{"wire", skew, z, {4, 2, 3}, 2.3, 6},
                      Case{"rod", rod, xyz, {1, 1, 5}, 2.3, 8}, Case{"points", cube, xyz, {2, 3, 2}, 2.3, 0},
                      Case{"high", cube, xyz, {2, 2, 2}, 2.3, 20}),
    [](const auto& one) { return "Case" + std::to_string(one.index); });

}  // namespace
}  // namespace farfield::testing

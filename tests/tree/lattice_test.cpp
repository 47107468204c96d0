#include "tree/lattice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "backends/cpu/transfer/survey.hpp"
#include "tree/clouds.hpp"

namespace farfield {
namespace {

struct Spans {
  std::int64_t low[3], high[3];  // box indices at level k of the data's lowest and highest corner
};

Spans spans(const Lattice& lattice, const Geometry& g, int k) {
  const Scaling scale(g.exponent);
  Spans s{};
  for (int d = 0; d < 3; ++d) {
    s.low[d] = lattice.index(scale(g.low[d]), d) >> (lattice.depth - k);
    s.high[d] = lattice.index(scale(g.high[d]), d) >> (lattice.depth - k);
  }
  return s;
}

/// Every point is in the root, without the clamp of Lattice::index.
void expect_inside(const Lattice& lattice, const Geometry& g) {
  const Scaling scale(g.exponent);
  for (int d = 0; d < 3; ++d) {
    const double corner = static_cast<double>(lattice.origin[d]) * lattice.unit;
    EXPECT_GE(scale(g.low[d]), corner);
    EXPECT_LE(scale(g.high[d]), corner + lattice.edge(0));
  }
  EXPECT_LT(g.largest / lattice.unit, 0x1p62);
  EXPECT_LE(lattice.depth, max_levels);
  EXPECT_TRUE(std::isnormal(lattice.unit));
}

void expect_few_bits(double x, int bits) {
  int exponent = 0;
  const double mantissa = std::ldexp(std::frexp(x, &exponent), bits);
  EXPECT_EQ(mantissa, std::floor(mantissa));
}

TEST(Lattice, DataSpanExactlyMBoxes) {
  const auto cloud = test::make_cloud(1000, 1, [](double* x, std::int64_t, const auto& u) {
    x[0] = 3 * u();
    x[1] = u();
    x[2] = 2 * u();
  });
  for (const double shift : {0.0, -1.5, 1e6}) {
    std::vector<double> x = cloud;
    for (double& c : x) c += shift;
    const Geometry g = cpu::survey(points(x), nullptr, 1);
    for (const auto& [m, k] :
         {std::pair(1, 0), {2, 1}, {3, 2}, {4, 2}, {5, 3}, {7, 3}, {8, 3}, {13, 4}, {31, 5}, {500, 9}}) {
      const Lattice lattice = make_lattice(g, {m, k});
      const Spans s = spans(lattice, g, k);
      EXPECT_EQ(s.low[0], 0);
      EXPECT_EQ(s.high[0], m - 1) << "m = " << m << ", shift " << shift;
      EXPECT_LE(s.high[1], m - 1);
      expect_few_bits(lattice.unit, 12);
      expect_inside(lattice, g);
      EXPECT_NEAR(lattice.edge(k) * m / g.extent, 1, 0.006);
    }
  }
}

/// Sources reach beyond the targets' box by other lengths on either side.
TEST(Lattice, TargetsSpanExactlyMBoxesOfTheirOwn) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 bits(seed);
  std::uniform_real_distribution<double> number(0, 1);
  for (const int m : {8, 11, 16}) {
    std::vector<double> targets{0, 0, 0, 1, 1.001, 10}, sources;  // the second side takes no box more
    for (int i = 0; i < 1000; ++i)
      for (const double side : {1.0, 1.0, 10.0}) targets.push_back(side * number(bits));
    const double below = number(bits), above = number(bits);
    for (const double x : targets) sources.push_back(x * (1 + below + above) - below);
    const Points all = points(sources), inner = points(targets);
    const Geometry g = cpu::survey(all, &inner, 1);
    const Lattice lattice = make_lattice(g, {m, 4, true});
    expect_few_bits(lattice.unit, 12);
    expect_inside(lattice, g);
    Geometry of_targets = g;
    for (int d = 0; d < 3; ++d) of_targets.low[d] = g.of_targets.low[d], of_targets.high[d] = g.of_targets.high[d];
    int level = 0;
    while (lattice.edge(level) > 1.01 * target_side(g) / m) ++level;
    EXPECT_NEAR(lattice.edge(level) * m / target_side(g), 1, 0.009);
    const Spans s = spans(lattice, of_targets, level);
    for (int d = 0; d < 3; ++d) {
      EXPECT_EQ(s.low[d] % 2, 0) << "axis " << d;
      EXPECT_LE(s.high[d] - s.low[d] + 1, d < 2 ? m : 10 * m + 1) << "axis " << d;
    }
  }
}

TEST(Lattice, TakesAnyExtent) {
  for (const double extent : {5e-324, 1e-300, 1e-30, 1e30, 1e300}) {
    const std::vector<double> x{0, 0, 0, extent, extent / 2, 0, 0, extent, extent};
    const Geometry g = cpu::survey(points(x), nullptr, 1);
    const Lattice lattice = make_lattice(g, {3, 2});
    EXPECT_EQ(spans(lattice, g, 2).high[0], 2);
    expect_inside(lattice, g);
    EXPECT_GE(lattice.depth, 60);
  }
}

TEST(Lattice, TakesPointsWithoutExtent) {
  for (const double at : {0.0, 1.0, -1e-30, 1e30, 5e-324}) {
    const std::vector<double> x{at, 0, at};
    const Geometry g = cpu::survey(points(x), nullptr, 1);
    expect_inside(make_lattice(g, {3, 2}), g);
  }
  expect_inside(make_lattice(Geometry(), {1, 0}), Geometry());
}

TEST(Lattice, TakesDataFarFromZero) {
  for (const double shift : {1e8, 1e12, 1e15, -1e15}) {
    const std::vector<double> x{shift, 0, 1, shift + 1, 0.5, 0};
    const Geometry g = cpu::survey(points(x), nullptr, 1);
    expect_inside(make_lattice(g, {5, 3}), g);
  }
}

TEST(Lattice, FlatDataKeepAwayFromFaces) {
  const std::vector<double> x{0, 0, 0.25, 1, 1, 0.25};
  const Geometry g = cpu::survey(points(x), nullptr, 1);
  for (const auto& [m, k] : {std::pair(1, 0), {4, 2}, {5, 3}}) {
    const Lattice lattice = make_lattice(g, {m, k});
    for (int level = k; level < k + 8; ++level) {
      const double edge = lattice.edge(level);
      const double inside = (Scaling(g.exponent)(0.25) - static_cast<double>(lattice.origin[2]) * lattice.unit) / edge;
      const double fraction = inside - std::floor(inside);
      EXPECT_GT(std::min(fraction, 1 - fraction), 0.2) << "level " << level;
    }
  }
}

TEST(Lattice, CentresAreExactMultiplesOfHalfAnEdge) {
  const std::vector<double> x{1e6, 1e6, 1e6, 1e6 + 1, 1e6 + 0.7, 1e6 + 0.1};
  const Geometry g = cpu::survey(points(x), nullptr, 1);
  const Lattice lattice = make_lattice(g, {5, 3});
  const long double unit = lattice.unit;
  for (int level = 0; level <= 15; ++level)
    for (std::int64_t box = 0; box < 1 << level; box += 1 + (1 << level) / 50) {
      const std::int64_t corner = box << (lattice.depth - level);
      const long double twice = 2 * static_cast<long double>(corner + lattice.origin[1]) +
                                static_cast<long double>(std::int64_t(1) << (lattice.depth - level));
      EXPECT_EQ(static_cast<long double>(lattice.centre(corner, level, 1)), twice / 2 * unit);
    }
}

TEST(Lattice, KeysHoldTheOctantsOfTheirLevels) {
  const std::vector<double> x{-3, -1, -2, 4, 5, 3};
  const Lattice lattice = make_lattice(cpu::survey(points(x), nullptr, 1), {3, 2});
  const double at[3] = {0.123, -0.0456, 0.1789};
  for (const KeyLayout layout : {KeyLayout(), KeyLayout{12}, KeyLayout{12, true}})
    for (int level = 0; level < lattice.depth; ++level) {
      const std::uint64_t key = morton_key(lattice, at, layout.levels(level).begin, layout);
      const int shift = lattice.depth - level - 1;
      int octant = 0;
      for (int d = 0; d < 3; ++d) octant |= static_cast<int>(lattice.index(at[d], d) >> shift & 1) << d;
      EXPECT_EQ(child_of_key(key, level, layout), octant);
      EXPECT_EQ(key >> layout.levels(level).bits(), 0u);
      const std::uint32_t index = (1u << 28) - 1 - static_cast<std::uint32_t>(level);
      EXPECT_EQ(key_of(make_item(key, index, layout), layout), layout.in_parts ? key & ~0u : key);
      EXPECT_EQ(index_of(make_item(key, index, layout), layout), index);
    }
}

}  // namespace
}  // namespace farfield

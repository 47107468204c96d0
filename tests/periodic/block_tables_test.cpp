// Tables of the blocks of a cell: m2l of eight sources side by side, against
// SolidConvolution, one pair of blocks after the other.
#include <gtest/gtest.h>

#include <cmath>

#include "expansions/laplace_basis.hpp"
#include "expansions/periodic/blocks/tables.hpp"
#include "support/random.hpp"

namespace farfield::cpu::baseline {
void block_m2l(const BlockM2l&);
}

namespace farfield::testing {
namespace {

constexpr std::uint64_t seed = 20261127;

/// Random functions between blocks, and multipoles.
struct Blocks {
  SolidConvolution convolution;
  int count;
  std::vector<std::vector<double>> sums;  ///< [to * blocks + from]
  std::vector<double> multipoles;
  BlockTables tables;

  Blocks(int blocks, int degree, Stream& random) : convolution(degree), count(blocks), tables(convolution, blocks) {
    const auto numbers = [&](int of) {
      std::vector<double> all(static_cast<std::size_t>(laplace::count(of)));
      for (int n = 0; n <= of; ++n)
        for (int m = -n; m <= n; ++m) all[laplace::index(n, m)] = random.between(-1, 1) / std::tgamma(n + 1.0);
      return all;
    };
    for (int pair = 0; pair < blocks * blocks; ++pair) {
      sums.push_back(numbers(2 * degree));
      tables.set(pair % blocks, pair / blocks, sums.back().data());
    }
    for (int block = 0; block < blocks; ++block) {
      const std::vector<double> one = numbers(degree);
      multipoles.insert(multipoles.end(), one.begin(), one.end());
    }
  }
  SolidConvolution::Numbers table(std::size_t pair) const {
    SolidConvolution::Numbers table(convolution.table_size());
    convolution.make_table(sums[pair].data(), table.data());
    return table;
  }
};

class OfBlocks : public ::testing::TestWithParam<std::pair<int, int>> {};

TEST_P(OfBlocks, TranslateAsTheConvolution) {
  Stream random(seed + 1);
  const Blocks blocks(GetParam().first, GetParam().second, random);
  const auto size = static_cast<std::size_t>(laplace::count(GetParam().second));
  std::vector<double> expected(blocks.multipoles.size(), 0.5), found = expected;
  for (std::size_t pair = 0; pair < blocks.sums.size(); ++pair) {
    const std::size_t from = pair % static_cast<std::size_t>(blocks.count),
                      to = pair / static_cast<std::size_t>(blocks.count);
    blocks.convolution.m2l(blocks.convolution.scaled(&blocks.multipoles[from * size]), blocks.table(pair).data(), false,
                           &expected[to * size]);
  }
  blocks.tables.translate(cpu::baseline::block_m2l, blocks.multipoles, found, 2);
  double most = 0;
  for (const double one : expected) most = std::max(most, std::fabs(one));
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-12 * most) << i;
}

INSTANTIATE_TEST_SUITE_P(BlocksAndDegrees, OfBlocks,
                         ::testing::Values(std::pair{1, 0}, std::pair{3, 1}, std::pair{8, 4}, std::pair{9, 7},
                                           std::pair{17, 12}));

}  // namespace
}  // namespace farfield::testing

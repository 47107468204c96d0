// Cuts between ranks: against the definition, looked up in a table of what every rank holds, which no rank has.
#include "distributed/share/cuts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <tuple>

#include "distributed/clouds.hpp"
#include "support/random.hpp"

namespace farfield::testing {
namespace {

using distributed::Borders;
using distributed::equal_pieces;
using distributed::Numbers;

/// [ranks][boxes]: points of each rank, most of them near its own piece.
std::vector<Numbers> random_table(Stream& random, std::size_t ranks, std::size_t boxes) {
  std::vector<Numbers> table(ranks, Numbers(boxes, 0));
  for (std::size_t i = 0; i < 40 * boxes; ++i) {
    const auto box = static_cast<std::size_t>(random.unit() * static_cast<double>(boxes));
    const double at = (static_cast<double>(box) + 4 * random.unit() - 2) / static_cast<double>(boxes);
    const auto rank = static_cast<std::size_t>(std::clamp(at, 0.0, 0.999) * static_cast<double>(ranks));
    table[i % 50 == 0 ? i % ranks : rank][box] += 1 + (i % 7 == 0) * static_cast<std::int64_t>(9 * random.unit());
  }
  return table;
}

Numbers of_all(const std::vector<Numbers>& table) {
  Numbers all(table[0].size(), 0);
  for (const Numbers& of_rank : table)
    for (std::size_t b = 0; b < all.size(); ++b) all[b] += of_rank[b];
  return all;
}

/// Of points on the wrong side of a border before box `place`, ranks below `rank` being on its lower side.
std::int64_t wrong_at(const std::vector<Numbers>& table, std::size_t rank, std::size_t place) {
  std::int64_t wrong = 0;
  for (std::size_t r = 0; r < table.size(); ++r)
    for (std::size_t b = 0; b < table[r].size(); ++b) wrong += (r < rank) == (b >= place) ? table[r][b] : 0;
  return wrong;
}

std::size_t border_of(const std::vector<Numbers>& table, const std::vector<double>& aims, std::size_t rank) {
  const Numbers all = of_all(table);
  const double share = std::min(aims[rank] - aims[rank - 1], aims[rank + 1] - aims[rank]);
  std::tuple<double, std::int64_t, double> least;
  std::size_t found = 0;
  double before = 0;
  for (std::size_t b = 0; b <= all.size(); ++b) {
    const double off = std::fabs(before - aims[rank]);
    const std::tuple cost(std::max(0.0, off - 0.05 * share), wrong_at(table, rank, b), off);
    if (b == 0 || cost < least) least = cost, found = b;
    if (b < all.size()) before += static_cast<double>(all[b]);
  }
  return found;
}

std::vector<int> owners_by_definition(const std::vector<Numbers>& table, const std::vector<double>& aims) {
  std::vector<int> owners;
  for (std::size_t rank = 1; rank + 1 < aims.size(); ++rank)
    while (owners.size() < border_of(table, aims, rank)) owners.push_back(static_cast<int>(rank) - 1);
  owners.resize(table[0].size(), static_cast<int>(table.size()) - 1);
  return owners;
}

TEST(Cuts, LieWhereFewestPointsWouldMove) {
  const std::uint64_t seed = fresh_seed();
  for (std::uint64_t k = 0; k < 60; ++k) {
    Stream random(seed + k);
    const auto ranks = 1 + static_cast<std::size_t>(9 * random.unit()),
               boxes = 1 + static_cast<std::size_t>(200 * random.unit());
    const std::vector<Numbers> table = random_table(random, ranks, boxes);
    const Numbers all = of_all(table);
    const auto aims = equal_pieces(std::accumulate(all.begin(), all.end(), std::int64_t(0)), static_cast<int>(ranks));
    const Borders borders(all, aims);
    Numbers wrong;
    for (std::size_t r = 0; r < ranks; ++r) {
      const Numbers one = borders.on_wrong_side(table[r], static_cast<int>(r));
      wrong.resize(one.size(), 0);
      for (std::size_t i = 0; i < one.size(); ++i) wrong[i] += one[i];
    }
    ASSERT_EQ(borders.owners(wrong), owners_by_definition(table, aims)) << "seed " << seed + k;
  }
}

TEST(Cuts, OfEqualPieces) {
  EXPECT_EQ(distributed::owners_by_count({10, 10, 10, 10}, equal_pieces(40, 2)), (std::vector<int>{0, 0, 1, 1}));
  EXPECT_EQ(distributed::owners_by_count({1, 38, 1}, equal_pieces(40, 4)), (std::vector<int>{0, 2, 3}));
  EXPECT_EQ(distributed::owners_by_count({0}, equal_pieces(0, 3)), (std::vector<int>{2}));
  EXPECT_TRUE(distributed::owners_by_count({}, equal_pieces(0, 3)).empty());
}

}  // namespace
}  // namespace farfield::testing

// Cuts between ranks: against the definition, looked up in a table of what every rank holds, which no rank has.
#include "distributed/partition/cuts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <farfield/error.hpp>
#include <numeric>
#include <tuple>

#include "distributed/clouds.hpp"
#include "support/random.hpp"

namespace farfield::testing {
namespace {

using distributed::Borders;
using distributed::Capacity;
using distributed::Numbers;
using distributed::Pieces;
using distributed::pieces_of;

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

std::size_t border_of(const std::vector<Numbers>& table, const Pieces& pieces, std::size_t rank) {
  const Numbers all = of_all(table);
  const double piece = std::min(pieces.of(rank - 1), pieces.of(rank));
  std::tuple<double, std::int64_t, double> least;
  std::size_t found = 0;
  double before = 0;
  for (std::size_t b = 0; b <= all.size(); ++b) {
    const double off = std::fabs(before - pieces.begin[rank]);
    const std::tuple cost(std::max(0.0, off - 0.05 * piece), wrong_at(table, rank, b), off);
    if (b == 0 || cost < least) least = cost, found = b;
    if (b < all.size()) before += static_cast<double>(all[b]);
  }
  return found;
}

std::int64_t sum_of(const Numbers& numbers) { return std::accumulate(numbers.begin(), numbers.end(), std::int64_t(0)); }

std::vector<Capacity> random_capacities(Stream& random, std::size_t ranks) {
  std::vector<Capacity> capacities(ranks);
  for (Capacity& one : capacities) one.speed = 0.2 + random.unit();
  return capacities;
}

TEST(Cuts, LieWhereFewestPointsWouldMove) {
  const std::uint64_t seed = fresh_seed();
  for (std::uint64_t k = 0; k < 60; ++k) {
    Stream random(seed + k);
    const auto ranks = 1 + static_cast<std::size_t>(9 * random.unit()),
               boxes = 1 + static_cast<std::size_t>(200 * random.unit());
    const std::vector<Numbers> table = random_table(random, ranks, boxes);
    const Numbers all = of_all(table);
    const Pieces pieces = pieces_of(sum_of(all), random_capacities(random, ranks), static_cast<int>(ranks));
    const Borders borders(all, pieces);
    Numbers wrong;
    for (std::size_t r = 0; r < ranks; ++r) {
      const Numbers one = borders.on_wrong_side(table[r], static_cast<int>(r));
      wrong.resize(one.size(), 0);
      for (std::size_t i = 0; i < one.size(); ++i) wrong[i] += one[i];
    }
    const distributed::PlacesOfBorders places = borders.places(wrong);
    ASSERT_EQ(places.size(), ranks - 1);
    for (std::size_t r = 1; r < ranks; ++r)
      ASSERT_EQ(places[r - 1], border_of(table, pieces, r)) << "seed " << seed + k << ", rank " << r;
  }
}

std::vector<int> owners(const Numbers& points, const std::vector<Capacity>& capacities) {
  const Pieces pieces = pieces_of(sum_of(points), capacities, static_cast<int>(capacities.size()));
  return owners_of_boxes(places_by_count(points, pieces), points, pieces);
}

TEST(Cuts, OfPiecesOfAnySize) {
  const std::vector<Capacity> two(2), four(4);
  EXPECT_EQ(owners({10, 10, 10, 10}, two), (std::vector<int>{0, 0, 1, 1}));
  EXPECT_EQ(owners({1, 38, 1}, four), (std::vector<int>{0, 2, 3}));
  EXPECT_EQ(owners({10, 10, 10, 10}, {{3}, {1}}), (std::vector<int>{0, 0, 0, 1}));
  EXPECT_EQ(owners({10, 10, 10, 10}, {{1, 15}, {1}}), (std::vector<int>{0, 1, 1, 1}));
  EXPECT_EQ(owners({10, 10, 10, 10}, {{1, 0}, {1}}), (std::vector<int>{1, 1, 1, 1}));
  EXPECT_EQ(owners({0}, four).size(), 1u);
}

/// What a rank does not take the others do, in proportion to their speeds.
TEST(Cuts, ShareOutWhatOthersDoNotTake) {
  const Pieces pieces = pieces_of(1'000, std::vector<Capacity>{{1}, {4, 100}, {2}, {1, 200}}, 4);
  EXPECT_NEAR(pieces.of(0), 700 / 3.0, 1e-9);
  EXPECT_NEAR(pieces.of(1), 100, 1e-9);
  EXPECT_NEAR(pieces.of(2), 1400 / 3.0, 1e-9);
  EXPECT_NEAR(pieces.of(3), 200, 1e-9);
  EXPECT_THROW(pieces_of(1'000, std::vector<Capacity>{{1, 500}, {1, 499}}, 2), Error);
}

/// Whatever the boxes, no rank gets more than it takes.
TEST(Cuts, KeepCapacities) {
  const std::uint64_t seed = fresh_seed();
  int refused = 0;
  for (std::uint64_t k = 0; k < 400; ++k) {
    Stream random(seed + k);
    const auto ranks = 1 + static_cast<std::size_t>(9 * random.unit());
    Numbers points(1 + static_cast<std::size_t>(100 * random.unit()));
    for (std::int64_t& one : points) one = 1 + static_cast<std::int64_t>(20 * random.unit());
    std::vector<Capacity> capacities = random_capacities(random, ranks);
    const double room = 1.6 * static_cast<double>(sum_of(points)) / static_cast<double>(ranks);
    for (Capacity& one : capacities) one.most_points = static_cast<std::int64_t>(room * (0.4 + random.unit()));
    try {
      Numbers owned(ranks, 0);
      const std::vector<int> of_boxes = owners(points, capacities);
      ASSERT_TRUE(std::is_sorted(of_boxes.begin(), of_boxes.end()));
      for (std::size_t b = 0; b < points.size(); ++b) owned[static_cast<std::size_t>(of_boxes[b])] += points[b];
      for (std::size_t r = 0; r < ranks; ++r) ASSERT_LE(owned[r], capacities[r].most_points) << "seed " << seed + k;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::memory);
      ++refused;
    }
  }
  EXPECT_LT(refused, 200);
}

}  // namespace
}  // namespace farfield::testing

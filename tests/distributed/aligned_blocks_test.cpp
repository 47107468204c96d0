// AlignedBlocks against its definition: what all ranks sum, one behind the other, is what one process sums.
#include "backends/aligned_blocks.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "distributed/clouds.hpp"
#include "support/random.hpp"

namespace farfield::testing {
namespace {

constexpr std::int64_t grain = 8;

struct Shared {
  std::size_t ranks, blocks;
  std::vector<std::int64_t> counts;             ///< [rank][block]
  std::vector<std::vector<std::int64_t>> rows;  ///< [rank]: numbers of its points in the order of blocks

  Shared(Stream& random, std::size_t p, std::size_t b, double most) : ranks(p), blocks(b), counts(p * b), rows(p) {
    for (std::int64_t& count : counts)
      count = random.unit() < 0.3 ? 0 : static_cast<std::int64_t>(random.between(0, most));
    for (std::size_t r = 0; r < ranks; ++r)
      for (std::size_t block = 0; block < blocks; ++block)
        for (std::int64_t i = 0; i < counts[r * blocks + block]; ++i) rows[r].push_back(number(r, block) + i);
  }
  /// Of the first point of a rank in a block: a million to each block.
  std::int64_t number(std::size_t rank, std::size_t block) const {
    std::int64_t first = 1'000'000 * static_cast<std::int64_t>(block);
    for (std::size_t r = 0; r < rank; ++r) first += counts[r * blocks + block];
    return first;
  }
};

TEST(AlignedBlocks, HaveThePartsOfOneProcess) {
  const std::uint64_t seed = fresh_seed();
  RecordProperty("seed", static_cast<int>(seed));
  Stream random(seed);
  std::int64_t sent = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Shared all(random, 1 + static_cast<std::size_t>(random.unit() * 6),
                     1 + static_cast<std::size_t>(random.unit() * 5), trial % 2 == 0 ? 60 : 5);
    std::vector<AlignedBlocks> of;
    for (std::size_t r = 0; r < all.ranks; ++r) of.emplace_back(all.counts, all.blocks, r, grain);
    std::vector<std::vector<std::int64_t>> received(all.ranks);
    for (std::size_t from = 0; from < all.ranks; ++from) {
      std::vector<std::int64_t> rows;
      for (const AlignedBlocks::Run& run : of[from].sent)
        rows.insert(rows.end(), all.rows[from].begin() + run.first, all.rows[from].begin() + run.first + run.count);
      sent += std::ssize(rows);
      auto at = rows.begin();
      for (std::size_t to = 0; to < all.ranks; ++to) {
        ASSERT_EQ(of[from].sent_to[to], of[to].received_from[from]);
        received[to].insert(received[to].end(), at, at + of[from].sent_to[to]);
        at += of[from].sent_to[to];
      }
      ASSERT_EQ(at, rows.end());
    }
    for (std::size_t block = 0; block < all.blocks; ++block) {
      std::vector<std::int64_t> summed;
      for (std::size_t r = 0; r < all.ranks; ++r) {
        if (!of[r].summed[block].empty()) {
          EXPECT_EQ(std::ssize(summed) % grain, 0) << "a rank begins amid a part";
        }
        for (const AlignedBlocks::Run& run : of[r].summed[block]) {
          const std::vector<std::int64_t>& rows = run.received ? received[r] : all.rows[r];
          summed.insert(summed.end(), rows.begin() + run.first, rows.begin() + run.first + run.count);
        }
      }
      std::vector<std::int64_t> expected(static_cast<std::size_t>(all.number(all.ranks, block) - all.number(0, block)));
      std::iota(expected.begin(), expected.end(), all.number(0, block));
      EXPECT_EQ(summed, expected);
    }
  }
  EXPECT_GT(sent, 0);
}

}  // namespace
}  // namespace farfield::testing

// Freed blocks that wait for arrays of about their size: against a list of what was kept, looked through from its end.
#include "backends/cuda/runtime/kept_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "distributed/clouds.hpp"
#include "support/random.hpp"

namespace farfield::testing {
namespace {

using cuda::KeptBlocks;

TEST(KeptBlocks, RoundUpByA32ndAtTheMost) {
  const std::uint64_t seed = fresh_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Stream random(seed);
  for (int i = 0; i < 10'000; ++i) {
    const std::int64_t bytes = 1 + random.below(std::int64_t(1) << (1 + i % 40)), given = KeptBlocks::rounded(bytes);
    ASSERT_GE(given, bytes);
    ASSERT_LE(given, std::max(bytes + bytes / 32, (bytes + 511) / 512 * 512)) << bytes;
    ASSERT_EQ(KeptBlocks::rounded(given), given) << "who frees an array of these bytes names its block";
    ASSERT_GE(KeptBlocks::rounded(bytes + 1), given);
  }
}

struct Block {
  char* at;
  std::int64_t bytes;
};

TEST(KeptBlocks, GiveTheLastOfTheSameSizeAndKeepTheLastThatCame) {
  const std::uint64_t seed = fresh_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Stream random(seed);
  std::int64_t most = 64'000;
  KeptBlocks blocks(most);
  std::vector<Block> expected;
  std::vector<char> memory(100'000);
  std::size_t taken = 0, missed = 0, gone = 0;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const std::int64_t bytes = 512 * (1 + random.below(16));
    ASSERT_TRUE(blocks.takes(bytes) || bytes > 6'400);
    if (i == memory.size() / 2) blocks.keep_fewer(), most /= 2;
    if (random.unit() < 0.5) {
      const auto found =
          std::find_if(expected.rbegin(), expected.rend(), [&](const Block& block) { return block.bytes == bytes; });
      void* const at = blocks.take(bytes);
      ASSERT_EQ(at, found == expected.rend() ? nullptr : found->at);
      ++(at ? taken : missed);
      if (at) expected.erase(std::next(found).base());
      continue;
    }
    expected.push_back({&memory[i], bytes});
    const auto held = [&] {
      return std::accumulate(expected.begin(), expected.end(), std::int64_t(0),
                             [](std::int64_t sum, const Block& block) { return sum + block.bytes; });
    };
    std::vector<void*> back, all_back;
    for (; held() > most; expected.erase(expected.begin())) back.push_back(expected[0].at);
    blocks.keep(&memory[i], bytes, [&](void* block) { all_back.push_back(block); });
    ASSERT_EQ(all_back, back);
    gone += back.size();
  }
  EXPECT_GT(std::min({taken, missed, gone}), 1'000u);
  std::vector<void*> rest;
  blocks.give_back_all([&](void* block) { rest.push_back(block); });
  ASSERT_EQ(rest.size(), expected.size());
  for (std::size_t k = 0; k < rest.size(); ++k) EXPECT_EQ(rest[k], expected[k].at);
  EXPECT_EQ(blocks.take(512), nullptr);
}

}  // namespace
}  // namespace farfield::testing

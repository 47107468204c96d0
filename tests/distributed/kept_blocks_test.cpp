// What is free of blocks of memory, and waits for arrays: against plain lists of the blocks and the arrays in them.
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

struct Range {
  char *begin, *end;
  std::int64_t bytes() const { return end - begin; }
  bool operator==(const Range&) const = default;
};

/// Blocks and arrays as plain lists, from which what is free is found anew each time.
class Listed {
 public:
  std::vector<Range> blocks, arrays;

  std::vector<Range> free() const {
    std::vector<Range> found;
    for (const Range& block : blocks) {
      char* at = block.begin;
      for (const Range& array : arrays_in(block)) {
        if (array.begin > at) found.push_back({at, array.begin});
        at = array.end;
      }
      if (at < block.end) found.push_back({at, block.end});
    }
    return found;
  }
  std::int64_t free_bytes() const {
    const std::vector<Range> all = free();
    return std::accumulate(all.begin(), all.end(), std::int64_t(0),
                           [](std::int64_t sum, const Range& range) { return sum + range.bytes(); });
  }
  bool is_empty(const Range& block) const { return arrays_in(block).empty(); }
  /// Bytes of the smallest room for an array, not more than eight times as large; 0: there is none.
  std::int64_t best(std::int64_t bytes) const {
    std::int64_t least = 0;
    for (const Range& range : free())
      if (range.bytes() >= bytes && range.bytes() <= 8 * bytes && (least == 0 || range.bytes() < least))
        least = range.bytes();
    return least;
  }

 private:
  std::vector<Range> arrays_in(const Range& block) const {
    std::vector<Range> found;
    for (const Range& array : arrays)
      if (array.begin >= block.begin && array.end <= block.end) found.push_back(array);
    std::sort(found.begin(), found.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
    return found;
  }
};

/// The next block lies right behind the last one: they must not become one.
TEST(KeptBlocks, GiveTheSmallestRoomAndKeepWhatIsFree) {
  const std::uint64_t seed = fresh_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Stream random(seed);
  std::int64_t most = 64'000;
  KeptBlocks blocks(most);
  Listed listed;
  std::vector<char> memory(1 << 26);
  char* unused = memory.data();
  std::size_t taken = 0, split = 0, gone = 0;
  const auto give_back = [&](void* at) {
    const auto block = std::find_if(listed.blocks.begin(), listed.blocks.end(),
                                    [at](const Range& range) { return range.begin == at; });
    ASSERT_NE(block, listed.blocks.end());
    EXPECT_TRUE(listed.is_empty(*block)) << "an array is still there";
    listed.blocks.erase(block), ++gone;
  };
  for (int i = 0; i < 40'000; ++i) {
    if (i == 20'000) blocks.keep_fewer(), most -= most / 8;
    if (listed.arrays.size() < 4 || (listed.arrays.size() < 30 && random.unit() < 0.5)) {
      const std::int64_t bytes = 512 * (1 + random.below(random.unit() < 0.5 ? 4 : 32)), best = listed.best(bytes);
      auto* at = static_cast<char*>(blocks.take(bytes));
      ASSERT_EQ(at != nullptr, best > 0) << bytes;
      if (at) {
        const std::vector<Range> free = listed.free();
        EXPECT_TRUE(std::find(free.begin(), free.end(), Range{at, at + best}) != free.end()) << bytes;
        ++taken, split += best > bytes;
      } else {
        ASSERT_LE(unused + bytes, memory.data() + memory.size());
        at = unused, unused += bytes;
        blocks.add(at, bytes), listed.blocks.push_back({at, at + bytes});
      }
      listed.arrays.push_back({at, at + bytes});
      continue;
    }
    const auto array = listed.arrays.begin() + random.below(std::ssize(listed.arrays));
    char* const at = array->begin;
    listed.arrays.erase(array);
    blocks.keep(at, give_back);
    const bool has_empty = std::any_of(listed.blocks.begin(), listed.blocks.end(),
                                       [&](const Range& block) { return listed.is_empty(block); });
    ASSERT_TRUE(listed.free_bytes() <= most || !has_empty) << listed.free_bytes();
  }
  EXPECT_GT(std::min({taken, split, gone}), 1'000u);
  while (!listed.arrays.empty()) {
    char* const at = listed.arrays.back().begin;
    listed.arrays.pop_back();
    blocks.keep(at, give_back);
  }
  blocks.give_back_all(give_back);
  EXPECT_TRUE(listed.blocks.empty());
  EXPECT_EQ(blocks.take(512), nullptr);
}

}  // namespace
}  // namespace farfield::testing

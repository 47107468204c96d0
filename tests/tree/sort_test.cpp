#include "backends/cpu/boxes/sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <farfield/error.hpp>

#include "backends/cpu/boxes/tree.hpp"
#include "backends/cpu/transfer/survey.hpp"
#include "tree/clouds.hpp"

namespace farfield::cpu {
namespace {

TEST(Sort, EqualsTheStandardSortForAnyTeam) {
  for (const std::int64_t n : {0, 1, 2, 511, 513, 10000, 123457})
    for (const std::uint64_t mask : {0x3fffffffull, 0x3ff00ull, 7ull, 0ull}) {
      std::mt19937_64 bits(static_cast<unsigned>(n));
      std::vector<Item> items(static_cast<std::size_t>(n)), scratch(items.size());
      for (std::size_t i = 0; i < items.size(); ++i) items[i] = (bits() & mask) << 32 | i;
      std::vector<Item> expected = items;
      std::sort(expected.begin(), expected.end());
      for (const int threads : {1, 2, 3, 7}) {
        std::vector<Item> sorted = items;
        sort_items(sorted.data(), scratch.data(), n, threads);
        EXPECT_EQ(sorted, expected) << n << " items, " << threads << " threads";
      }
    }
}

TEST(Sort, RefusesMoreThan32BitIndices) {
  Cloud cloud;
  cloud.points.count = 0xffffffffll;
  try {
    make_items(cloud, 1);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::usage);
  }
}

template <class T>
std::vector<T> copy(const Array<T>& a) {
  return std::vector<T>(a.begin(), a.end());
}

/// Order, coordinates, boxes and lists of a build, to be compared as a whole.
auto everything(const std::vector<double>& s, const std::vector<double>& t, int threads) {
  const Points sources = points(s), targets = points(t);
  TreeOptions options;
  options.root.m = 3;
  options.root.k = 2;
  options.leaf_size = 40;
  options.thresholds = {10, 10};
  options.threads = threads;
  CpuTree b;
  build(b, sources, &targets, survey(sources, &targets, threads), options);
  return std::tuple(copy(b.sources.order), copy(b.sources.axis[0]), copy(b.sources.axis[1]), copy(b.sources.axis[2]),
                    copy(b.targets.order), copy(b.tree.centre), copy(b.tree.first_child), copy(b.tree.source_begin),
                    copy(b.tree.target_end), copy(b.tree.colleague), copy(b.lists.near.items), copy(b.lists.near.begin),
                    copy(b.lists.m2p.items), copy(b.lists.m2p.begin), copy(b.lists.p2l.items), copy(b.lists.p2l.begin));
}

TEST(Sort, WholeTreeIsTheSameForAnyTeam) {
  for (const test::NamedCloud& cloud : test::all_clouds()) {
    const auto s = cloud.make(20000, 11), t = cloud.make(15000, 12);
    const auto one = everything(s, t, 1);
    for (const int threads : {2, 3, 7}) EXPECT_TRUE(everything(s, t, threads) == one) << cloud.name;
  }
}

TEST(Sort, SortedPointsAreTheCallersScaledExactly) {
  const auto cloud = test::all_clouds()[2].make(5000, 7);
  const std::vector<float> narrow(cloud.begin(), cloud.end());
  CpuTree b;
  const Geometry g = survey(points(narrow), nullptr, 2);
  build(b, points(narrow), nullptr, g, {});
  ASSERT_EQ(b.sources.count, 5000);
  EXPECT_EQ(b.targets.count, 0);
  std::vector<int> seen(5000);
  for (std::int64_t i = 0; i < 5000; ++i) {
    const std::size_t index = b.sources.order[i];
    ++seen[index];
    for (std::size_t d = 0; d < 3; ++d)
      EXPECT_EQ(b.sources.axis[d][i], std::ldexp(static_cast<double>(narrow[3 * index + d]), g.exponent));
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 5000);
  ASSERT_EQ(b.sources.order.size(), 5000 + padding);
  for (std::int64_t i = 5000; i < 5000 + padding; ++i) EXPECT_EQ(b.sources.axis[1][i], b.sources.axis[1][4999]);
}

TEST(Sort, MemoryIsCounted) {
  HostMemory memory;
  const auto cloud = test::all_clouds()[0].make(5000, 7);
  {
    CpuTree b;
    b.use(memory);
    build(b, points(cloud), nullptr, survey(points(cloud), nullptr, 1), {});
    EXPECT_GT(memory.meter.now, 5000 * 28);
  }
  EXPECT_EQ(memory.meter.now, 0);
}

}  // namespace
}  // namespace farfield::cpu

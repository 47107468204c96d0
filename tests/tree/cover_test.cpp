// Every source reaches every target exactly once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "tree/built.hpp"
#include "tree/far.hpp"

namespace farfield::cpu {
namespace {

unsigned fresh_seed() {
  static const unsigned seed = std::random_device()();
  return seed;
}

/// Calls pair(target box, source box) for every entry of every list, stored or not.
template <class Pair>
void for_each_entry(const CpuTree& built, bool reduced, const Pair& pair) {
  const TreeView tree = built.tree.view();
  const ListsView lists = built.lists.view();
  for (BoxId t = 0; t < tree.boxes; ++t) {
    for (const ListView& list : {lists.near, lists.m2p, lists.p2l})
      for (std::int64_t i = list.begin[t]; i < list.begin[t + 1]; ++i) pair(t, list.items[i]);
    if (tree.target_count(t) == 0) continue;
    const auto far = [&](BoxId s, int, int, int) { pair(t, s); };
    if (reduced) {
      for_each_far<true>(tree, t, far);
      for_each_far_of_parent(tree, t, far);
    } else {
      for_each_far(tree, t, far);
    }
  }
}

/// A matrix of how often each pair of points meets; all ones is right.
void expect_each_pair_once(const CpuTree& built, bool reduced) {
  const TreeView tree = built.tree.view();
  const std::int64_t sources = built.sources.count, targets = built.target_points().count;
  std::vector<int> met(static_cast<std::size_t>(sources * targets));
  for_each_entry(built, reduced, [&](BoxId t, BoxId s) {
    for (std::int64_t i = tree.target_begin[t]; i < tree.target_end[t]; ++i)
      for (std::int64_t j = tree.source_begin[s]; j < tree.source_end[s]; ++j)
        ++met[static_cast<std::size_t>(i * sources + j)];
  });
  EXPECT_EQ(std::count(met.begin(), met.end(), 1), sources * targets);
}

/// The same by counts: what reaches a leaf and its ancestors is all sources.
void expect_all_sources_counted(const CpuTree& built, bool reduced) {
  const TreeView tree = built.tree.view();
  std::vector<std::int64_t> heard(static_cast<std::size_t>(tree.boxes));
  for_each_entry(built, reduced, [&](BoxId t, BoxId s) { heard[static_cast<std::size_t>(t)] += tree.source_count(s); });
  for (BoxId b = 0; b < tree.boxes; ++b) {
    const std::size_t box = static_cast<std::size_t>(b);
    if (tree.parent[b] != no_box) heard[box] += heard[static_cast<std::size_t>(tree.parent[b])];
    if (!tree.is_leaf(b) || tree.target_count(b) == 0) continue;
    ASSERT_EQ(heard[box], built.sources.count) << "leaf " << b;
  }
}

std::vector<TreeOptions> settings(std::int64_t leaf_size) {
  std::vector<TreeOptions> all;
  for (const auto& [m, k] : {std::pair(1, 0), {3, 2}})
    for (const std::int64_t threshold : {std::int64_t(0), leaf_size / 2, 3 * leaf_size}) {
      all.emplace_back();
      all.back().root = {m, k};
      all.back().leaf_size = leaf_size;
      all.back().thresholds = {threshold, threshold / 2};
    }
  all.emplace_back();
  all.back().depth = 3;
  return all;
}

TEST(Cover, EachPairOnce) {
  SCOPED_TRACE("seed " + std::to_string(fresh_seed()));
  for (const test::Input& input : test::all_inputs(400, fresh_seed()))
    for (const TreeOptions& options : settings(6))
      for (const bool reduced : {false, true}) {
        if (options.depth > 0 && input.name.find("outlier beyond") != std::string::npos) continue;
        SCOPED_TRACE(input.name);
        expect_each_pair_once(test::built_from(input, options), reduced);
        if (testing::Test::HasFailure()) return;
      }
}

TEST(Cover, AllSourcesCountedForMorePoints) {
  SCOPED_TRACE("seed " + std::to_string(fresh_seed()));
  for (const test::Input& input : test::all_inputs(20000, fresh_seed()))
    for (const TreeOptions& options : settings(30)) {
      if (options.depth > 0) continue;
      SCOPED_TRACE(input.name);
      const CpuTree built = test::built_from(input, options);
      for (const bool reduced : {false, true}) expect_all_sources_counted(built, reduced);
      if (testing::Test::HasFailure()) return;
    }
}

TEST(Cover, ListsAreWhatTheyAreDefinedToBe) {
  for (const test::NamedCloud& cloud : test::all_clouds()) {
    SCOPED_TRACE(cloud.name);
    TreeOptions options;
    options.leaf_size = 10;
    options.thresholds = {5, 3};
    const CpuTree built = test::built_from({"", cloud.make(3000, 21), cloud.make(2000, 22), false}, options);
    const TreeView tree = built.tree.view();
    const ListsView lists = built.lists.view();
    for (BoxId t = 0; t < tree.boxes; ++t) {
      for (std::int64_t i = lists.m2p.begin[t]; i < lists.m2p.begin[t + 1]; ++i) {
        const BoxId s = lists.m2p.items[i];
        ASSERT_TRUE(tree.is_leaf(t) && tree.level[s] > tree.level[t] && tree.source_count(s) > 5);
        ASSERT_TRUE(touch(tree, tree.parent[s], t) && !touch(tree, s, t));
      }
      for (std::int64_t i = lists.p2l.begin[t]; i < lists.p2l.begin[t + 1]; ++i) {
        const BoxId s = lists.p2l.items[i];
        ASSERT_TRUE(tree.is_leaf(s) && tree.level[s] < tree.level[t] && tree.target_count(t) > 0);
        ASSERT_TRUE(touch(tree, tree.parent[t], s) && !touch(tree, s, t));
        ASSERT_TRUE(!tree.is_leaf(t) || tree.target_count(t) > 3);
      }
      const BoxId* row = lists.near.items + lists.near.begin[t];
      const BoxId* end = lists.near.items + lists.near.begin[t + 1];
      if (row == end) continue;
      ASSERT_TRUE(tree.is_leaf(t) && tree.target_count(t) > 0);
      ASSERT_EQ(*row == t, tree.source_count(t) > 0);
      ASSERT_TRUE(std::is_sorted(row + (*row == t), end));
      for (const BoxId* s = row; s < end; ++s) ASSERT_GT(tree.source_count(*s), 0);
    }
  }
}

TEST(Cover, FarDisplacementsAreThoseOfTheCentres) {
  const CpuTree built = test::built_from({"", test::all_clouds()[0].make(20000, 3), {}, true}, {});
  const TreeView tree = built.tree.view();
  int most = 0, most_reduced = 0;
  for (BoxId t = 0; t < tree.boxes; ++t) {
    const double edge = tree.lattice.edge(tree.level[t]);
    int count = 0, reduced = 0;
    for_each_far(tree, t, [&](BoxId s, int dx, int dy, int dz) {
      const int d[3] = {dx, dy, dz};
      for (int axis = 0; axis < 3; ++axis)
        ASSERT_EQ(tree.coordinate(t, axis) - tree.coordinate(s, axis), d[axis] * edge);
      ASSERT_TRUE(std::max({std::abs(dx), std::abs(dy), std::abs(dz)}) >= 2);
      ++count;
    });
    for_each_far<true>(tree, t, [&](BoxId, int, int, int) { ++reduced; });
    int to_parent = 0;
    for_each_far_of_parent(tree, t, [&](BoxId s, int dx, int dy, int dz) {
      const int d[3] = {dx, dy, dz};
      for (int axis = 0; axis < 3; ++axis)
        ASSERT_EQ(tree.coordinate(t, axis) - tree.coordinate(s, axis), d[axis] * edge / 4);
      ASSERT_TRUE(goes_to_parent(dx, dy, dz));
      ++to_parent;
    });
    most = std::max(most, count);
    most_reduced = std::max(most_reduced, reduced);
    EXPECT_LE(to_parent, 80);
  }
  EXPECT_EQ(most, 189);
  EXPECT_EQ(most_reduced, 109);  // and 80 / 8 for its share of the parent's: 119
}

}  // namespace
}  // namespace farfield::cpu

#include "backends/cpu/boxes/boxes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <farfield/error.hpp>
#include <random>

#include "tree/built.hpp"

namespace farfield::cpu {
namespace {

unsigned fresh_seed() {
  static const unsigned seed = std::random_device()();
  return seed;
}

/// Levels, parents, children and octants agree with each other and with the centres.
void expect_family(const TreeView& tree) {
  for (int level = 0; level < tree.levels; ++level)
    for (BoxId b = tree.level_begin[level]; b < tree.level_begin[level + 1]; ++b) {
      ASSERT_EQ(tree.level[b], level);
      ASSERT_EQ(tree.is_leaf(b), tree.first_child[b] == no_box);
      for (int o = 0; o < 8; ++o) {
        const BoxId child = tree.child(b, o);
        if (child == no_box) continue;
        ASSERT_EQ(tree.parent[child], b);
        ASSERT_EQ(tree.octant[child], o);
        for (int d = 0; d < 3; ++d)
          ASSERT_EQ(tree.coordinate(child, d),
                    tree.coordinate(b, d) + ((o >> d & 1) - 0.5) * tree.lattice.edge(level + 1));
      }
      if (b == tree.level_begin[level]) continue;
      ASSERT_LE(tree.parent[b - 1], tree.parent[b]);
      ASSERT_TRUE(tree.parent[b - 1] < tree.parent[b] || tree.octant[b - 1] < tree.octant[b]);
    }
  ASSERT_EQ(tree.levels == 0 ? 0 : tree.level_begin[tree.levels], tree.boxes);
}

/// Children divide their parent's ranges; no box is empty; leaves cover everything once.
void expect_ranges(const TreeView& tree, std::int64_t sources, std::int64_t targets) {
  std::int64_t in_leaves[2] = {};
  for (BoxId b = 0; b < tree.boxes; ++b) {
    ASSERT_GT(tree.source_count(b) + tree.target_count(b), 0);
    if (tree.is_leaf(b)) {
      in_leaves[0] += tree.source_count(b);
      in_leaves[1] += tree.target_count(b);
      continue;
    }
    const BoxId first = tree.first_child[b], last = first + tree.child_count(b) - 1;
    ASSERT_EQ(tree.source_begin[first], tree.source_begin[b]);
    ASSERT_EQ(tree.target_begin[first], tree.target_begin[b]);
    ASSERT_EQ(tree.source_end[last], tree.source_end[b]);
    ASSERT_EQ(tree.target_end[last], tree.target_end[b]);
    for (BoxId c = first; c < last; ++c) {
      ASSERT_EQ(tree.source_end[c], tree.source_begin[c + 1]);
      ASSERT_EQ(tree.target_end[c], tree.target_begin[c + 1]);
    }
  }
  EXPECT_EQ(in_leaves[0], sources);
  EXPECT_EQ(in_leaves[1], targets);
}

void expect_points_inside(const TreeView& tree, const SortedPoints& points, const std::int64_t* begin,
                          const std::int64_t* end) {
  for (BoxId b = 0; b < tree.boxes; ++b)
    for (std::int64_t i = begin[b]; i < end[b]; ++i)
      for (int d = 0; d < 3; ++d) {
        const double half = 0.5 * tree.lattice.edge(tree.level[b]);
        ASSERT_LE(std::abs(points.axis[d][i] - tree.coordinate(b, d)), half + 0x1p-50 * std::abs(points.axis[d][i]))
            << "box " << b << " at level " << int(tree.level[b]);
      }
}

void expect_colleagues(const TreeView& tree) {
  for (int level = 0; level < tree.levels; ++level) {
    const BoxId begin = tree.level_begin[level], end = tree.level_begin[level + 1];
    const double edge = tree.lattice.edge(level);
    for (BoxId b = begin; b < end; ++b) {
      BoxId expected[colleagues_per_box];
      std::fill(expected, expected + colleagues_per_box, no_box);
      for (BoxId c = begin; c < end; ++c) {
        double d[3];
        for (int axis = 0; axis < 3; ++axis) d[axis] = (tree.coordinate(c, axis) - tree.coordinate(b, axis)) / edge;
        if (std::max({std::abs(d[0]), std::abs(d[1]), std::abs(d[2])}) > 1) continue;
        expected[colleague_slot(static_cast<int>(d[0]), static_cast<int>(d[1]), static_cast<int>(d[2]))] = c;
      }
      for (int slot = 0; slot < colleagues_per_box; ++slot)
        ASSERT_EQ(tree.colleague[std::int64_t(colleagues_per_box) * b + slot], expected[slot]);
    }
  }
}

void expect_sound(const CpuTree& built) {
  const TreeView tree = built.tree.view();
  expect_family(tree);
  expect_ranges(tree, built.sources.count, built.target_points().count);
  expect_points_inside(tree, built.sources, tree.source_begin, tree.source_end);
  expect_points_inside(tree, built.target_points(), tree.target_begin, tree.target_end);
  expect_colleagues(tree);
}

TEST(Boxes, AreSoundForAllClouds) {
  SCOPED_TRACE("seed " + std::to_string(fresh_seed()));
  for (const test::Input& input : test::all_inputs(1500, fresh_seed()))
    for (const auto& [m, k] : {std::pair(1, 0), {5, 3}})
      for (const std::int64_t leaf_size : {1, 20}) {
        SCOPED_TRACE(input.name + ", m " + std::to_string(m) + ", leaf size " + std::to_string(leaf_size));
        TreeOptions options;
        options.root.m = m;
        options.root.k = k;
        options.leaf_size = leaf_size;
        expect_sound(test::built_from(input, options));
        if (testing::Test::HasFailure()) return;
      }
}

TEST(Boxes, LeavesKeepTheirSizeWherePointsDiffer) {
  const test::Input input{"plummer", test::all_clouds()[2].make(30000, 4), test::all_clouds()[0].make(20000, 5), false};
  TreeOptions options;
  options.leaf_size = 17;
  const CpuTree built = test::built_from(input, options);
  const TreeView tree = built.tree.view();
  for (BoxId b = 0; b < tree.boxes; ++b) {
    const std::int64_t most = std::max(tree.source_count(b), tree.target_count(b));
    EXPECT_EQ(tree.is_leaf(b), most <= 17);
  }
}

TEST(Boxes, UniformDepthRefinesEverywhere) {
  for (const int depth : {0, 1, 4, 12}) {
    TreeOptions options;
    options.depth = depth;
    const CpuTree built = test::built_from({"sphere", test::all_clouds()[1].make(700, 4), {}, true}, options);
    const TreeView tree = built.tree.view();
    EXPECT_EQ(tree.levels, depth + 1);
    for (BoxId b = 0; b < tree.boxes; ++b) EXPECT_EQ(tree.is_leaf(b), tree.level[b] == depth);
    expect_sound(built);
  }
}

TEST(Boxes, UniformDepthBeyondTheCoordinatesIsAnError) {
  TreeOptions options;
  options.depth = 60;
  try {
    test::built_from({"uniform", test::all_clouds()[0].make(100, 4), {}, true}, options);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::usage);
  }
}

TEST(Boxes, CoincidentPointsAreOneLeaf) {
  const CpuTree one = test::built_from({"", test::Cloud(30000, 0.7), {}, true}, {});
  EXPECT_EQ(one.tree.boxes, 1);
  test::Cloud two(30000, 0.7);
  std::fill(two.begin() + 15000, two.end(), -0.2);
  const CpuTree groups = test::built_from({"", two, {}, true}, {});
  EXPECT_LE(groups.tree.boxes, 5);
  EXPECT_EQ(groups.tree.view().source_count(groups.tree.boxes - 1), 5000);
}

TEST(Boxes, OutlierCostsAChainOfBoxesOnly) {
  test::Cloud cloud = test::all_clouds()[0].make(100000, 9);
  TreeOptions options;
  const BoxId without = test::built_from({"", cloud, {}, true}, options).tree.boxes;
  cloud[0] = 1e12;
  const BoxId with = test::built_from({"", cloud, {}, true}, options).tree.boxes;
  EXPECT_LE(with, 3 * without);  // the cube is no longer aligned with boxes
}

TEST(Boxes, NoPointsMakeNoBoxes) {
  const CpuTree built = test::built_from({"", {}, {}, true}, {});
  EXPECT_EQ(built.tree.boxes, 0);
  EXPECT_EQ(built.tree.levels, 0);
  ASSERT_EQ(built.lists.near.begin.size(), 1);
  EXPECT_EQ(built.lists.near.begin[0], 0);
}

}  // namespace
}  // namespace farfield::cpu

// Trees built on the device equal those of the CPU backend, array by array and bit by bit: boxes, lists and the order
// of points do not depend on who builds them, but for the order within leaves where keys hold more levels. Skips
// without a device, or fails where FARFIELD_REQUIRE_GPU=1.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <farfield/error.hpp>
#include <limits>
#include <vector>

#include "backends/cuda/boxes/boxes.hpp"
#include "backends/cuda/boxes/tree.hpp"
#include "backends/cuda/runtime/device.hpp"
#include "backends/cuda/transfer/points.hpp"
#include "support/clouds.hpp"
#include "tree/built.hpp"

namespace farfield {
namespace {

class CudaTreeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (cuda::device_present()) return;
    const char* required = std::getenv("FARFIELD_REQUIRE_GPU");
    if (required && required[0] == '1') FAIL() << "FARFIELD_REQUIRE_GPU is 1, but there is no CUDA device";
    GTEST_SKIP() << "there is no CUDA device";
  }
};

template <class T>
std::vector<T> on_host(const cuda::DeviceArray<T>& a) {
  std::vector<T> copy(static_cast<std::size_t>(a.size()));
  cuda::download(copy.data(), a.data(), a.size(), nullptr);
  cuda::require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return copy;
}

Geometry survey_on_device(const Points& sources, const Points* targets) {
  cuda::DeviceMemory memory;
  return cuda::survey(sources, targets, memory);
}

/// Reports the first element that differs.
template <class T>
void compare(const std::string& name, const Array<T>& expected, const cuda::DeviceArray<T>& array) {
  const std::vector<T> found = on_host(array);
  if (static_cast<std::int64_t>(found.size()) != expected.size())
    ADD_FAILURE() << name << " has " << found.size() << " elements instead of " << expected.size();
  for (std::int64_t i = 0; i < expected.size() && i < array.size(); ++i)
    if (found[static_cast<std::size_t>(i)] != expected[i]) {
      ADD_FAILURE() << name << "[" << i << "] of " << expected.size() << " is " << +found[static_cast<std::size_t>(i)]
                    << " instead of " << +expected[i];
      return;
    }
}

void compare(const std::string& name, const cpu::SortedPoints& expected, const cuda::SortedPoints& found) {
  EXPECT_EQ(found.count, expected.count) << name;
  for (int d = 0; d < 3; ++d) compare(name + "xyz"[d], expected.axis[d], found.axis[d]);
  compare(name + "order", expected.order, found.order);
}

void compare_boxes(const cpu::CpuTree& expected, const cuda::CudaTree& found) {
  const Tree<Array>& e = expected.tree;
  const Tree<cuda::DeviceArray>& f = found.tree;
  EXPECT_EQ(found.alike, expected.alike);
  EXPECT_EQ(f.boxes, e.boxes);
  EXPECT_EQ(f.levels, e.levels);
  for (int level = 0; level <= e.levels; ++level) EXPECT_EQ(f.level_begin[level], e.level_begin[level]) << level;
  EXPECT_EQ(f.lattice.unit, e.lattice.unit);
  compare("level", e.level, f.level);
  compare("centre", e.centre, f.centre);
  compare("parent", e.parent, f.parent);
  compare("first_child", e.first_child, f.first_child);
  compare("child_mask", e.child_mask, f.child_mask);
  compare("octant", e.octant, f.octant);
  compare("source_begin", e.source_begin, f.source_begin);
  compare("source_end", e.source_end, f.source_end);
  compare("target_begin", e.target_begin, f.target_begin);
  compare("target_end", e.target_end, f.target_end);
  compare("colleague", e.colleague, f.colleague);
  compare("near.begin", expected.lists.near.begin, found.lists.near.begin);
  compare("near.items", expected.lists.near.items, found.lists.near.items);
  compare("m2p.begin", expected.lists.m2p.begin, found.lists.m2p.begin);
  compare("m2p.items", expected.lists.m2p.items, found.lists.m2p.items);
  compare("p2l.begin", expected.lists.p2l.begin, found.lists.p2l.begin);
  compare("p2l.items", expected.lists.p2l.items, found.lists.p2l.items);
}

void compare(const cpu::CpuTree& expected, const cuda::CudaTree& found) {
  compare_boxes(expected, found);
  compare("sources.", expected.sources, found.sources);
  compare("targets.", expected.targets, found.targets);
}

void compare(const Geometry& expected, const Geometry& found) {
  EXPECT_EQ(found.sources, expected.sources);
  EXPECT_EQ(found.targets, expected.targets);
  EXPECT_EQ(found.alike, expected.alike);
  for (int d = 0; d < 3; ++d) {
    EXPECT_EQ(found.low[d], expected.low[d]);
    EXPECT_EQ(found.high[d], expected.high[d]);
    EXPECT_EQ(found.of_targets.low[d], expected.of_targets.low[d]);
    EXPECT_EQ(found.of_targets.high[d], expected.of_targets.high[d]);
  }
  EXPECT_EQ(found.exponent, expected.exponent);
  EXPECT_EQ(found.extent, expected.extent);
  EXPECT_EQ(found.largest, expected.largest);
  EXPECT_EQ(found.grid, expected.grid);
  EXPECT_EQ(found.occupied, expected.occupied);
  EXPECT_EQ(found.occupied_coarse, expected.occupied_coarse);
}

TreeOptions adaptive(std::int64_t leaf_size, ListThresholds thresholds) {
  TreeOptions options;
  options.leaf_size = leaf_size;
  options.thresholds = thresholds;
  options.threads = 2;
  return options;
}
TreeOptions uniform(int depth) {
  TreeOptions options;
  options.depth = depth;
  options.threads = 2;
  return options;
}

/// compare_trees(the CPU's, the device's). `targets` null: they are the sources.
template <class Compare>
void build_on_both(const Points& sources, const Points* targets, const Geometry& geometry, const TreeOptions& options,
                   const Compare& compare_trees) {
  cpu::CpuTree expected;
  cpu::build(expected, sources, targets, geometry, options);
  cuda::DeviceMemory memory;
  cuda::CudaTree found;
  found.use(memory);
  cuda::build(found, sources, targets, geometry, options);
  compare_trees(expected, found);
}

/// Surveys and builds on both and compares.
void compare_builds(const Points& sources, const Points* targets, const TreeOptions& options) {
  const Geometry geometry = cpu::survey(sources, targets, 2);
  compare(geometry, survey_on_device(sources, targets));
  build_on_both(sources, targets, geometry, options,
                [](const cpu::CpuTree& expected, const cuda::CudaTree& found) { compare(expected, found); });
}

void compare_inputs(std::int64_t n, unsigned seed, const TreeOptions& options) {
  for (const test::Input& input : test::all_inputs(n, seed)) {
    SCOPED_TRACE(input.name + ", " + std::to_string(n) + " points, seed " + std::to_string(seed));
    const Points sources = points(input.sources), targets = points(input.targets);
    compare_builds(sources, input.alike ? nullptr : &targets, options);
  }
}

TEST_F(CudaTreeTest, EqualsTheCpusForAllClouds) {
  compare_inputs(20000, 1, adaptive(64, {}));
  compare_inputs(5000, 2, adaptive(10, {10, 10}));
  compare_inputs(3000, 3, adaptive(1, {4, 0}));
}

TEST_F(CudaTreeTest, EqualsTheCpusForFewPoints) {
  for (const std::int64_t n : {1, 2, 3, 7, 8, 9, 65}) compare_inputs(n, 4, adaptive(n < 9 ? 1 : 8, {}));
}

TEST_F(CudaTreeTest, EqualsTheCpusOnOtherLattices) {
  TreeOptions options = adaptive(30, {5, 5});
  options.root.m = 3;
  options.root.k = 2;
  compare_inputs(4000, 5, options);
}

/// Targets in a box among sources that reach farther.
TEST_F(CudaTreeTest, EqualsTheCpusOnLatticesAlongTheTargets) {
  const std::vector<double> s = test::all_clouds()[0].make(20000, 20);
  std::vector<double> t = test::all_clouds()[0].make(5000, 21);
  for (double& x : t) x = 0.2 + 0.5 * x;
  const Points sources = points(s), targets = points(t);
  TreeOptions options = adaptive(30, {5, 5});
  options.root = {11, 4, true};
  compare_builds(sources, &targets, options);
}

TEST_F(CudaTreeTest, EqualsTheCpusForTheCloudsOfAccuracy) {
  for (const testing::Kind kind : testing::all_kinds) {
    const testing::Cloud cloud = testing::make_cloud(kind, 30000, testing::Signs::mixed);
    SCOPED_TRACE(cloud.label);
    const Points sources = points(cloud.sources), targets = points(cloud.targets);
    compare_builds(sources, cloud.apart() ? &targets : nullptr, adaptive(40, {20, 20}));
  }
}

TEST_F(CudaTreeTest, EqualsTheCpusForUniformDepth) {
  for (const int depth : {0, 1, 3, 6, 11, 16}) {
    const std::vector<double> s = test::all_clouds()[0].make(4000, 6), t = test::all_clouds()[2].make(3000, 7);
    SCOPED_TRACE(depth);
    const Points sources = points(s), targets = points(t);
    compare_builds(sources, nullptr, uniform(depth));
    compare_builds(sources, &targets, uniform(depth));
  }
}

/// More boxes than 2^17 go on at level 10: their numbers and a later key do not fit 32 bits together.
TEST_F(CudaTreeTest, EqualsTheCpusWhereVeryManyBoxesGoOn) {
  const std::vector<double> s = test::all_clouds()[0].make((1 << 17) + (1 << 13), 15);
  cpu::CpuTree expected = test::built_from({"uniform", s, {}, true}, uniform(11));
  ASSERT_GT(expected.tree.level_begin[11] - expected.tree.level_begin[10], 1 << 17);
  compare_builds(points(s), nullptr, uniform(11));
}

/// Two clusters go on at level 10 in 14 ranges of up to 14,000 points and at level 15 in 5000 of 2 to 6. With other
/// targets boxes go on that hold points of one set only, down to level 27.
TEST_F(CudaTreeTest, EqualsTheCpusForShortRangesOfManySizes) {
  const std::vector<double> s = test::all_clouds()[6].make(30000, 16), t = test::all_clouds()[2].make(20000, 17);
  const Points sources = points(s), targets = points(t);
  compare_builds(sources, nullptr, adaptive(1, {4, 4}));
  compare_builds(sources, &targets, adaptive(1, {4, 4}));
}

/// Sorts the points of every leaf by the caller's index.
void sort_leaves(std::vector<std::uint32_t>& order, const Tree<Array>& tree) {
  for (BoxId b = 0; b < tree.boxes; ++b)
    if (tree.child_mask[b] == 0) std::sort(order.begin() + tree.source_begin[b], order.begin() + tree.source_end[b]);
}

/// With leaves of one point 40,000 on a strip, 16 boxes of the tenth level wide, are too many for ten levels. Boxes and
/// lists are the CPU's; within a leaf the deeper levels of a key have points in another order.
TEST_F(CudaTreeTest, HasTheBoxesOfTheCpuWithDeepKeys) {
  std::vector<double> s = test::all_clouds()[0].make(40'000, 18);
  for (std::size_t i = 0; i < s.size(); i += 3) s[i + 1] /= 64, s[i + 2] = 0;
  const Points sources = points(s);
  const Geometry geometry = cpu::survey(sources, nullptr, 2);
  for (const std::int64_t leaf_size : {1, 16}) {
    EXPECT_EQ(cuda::layout_of_keys(geometry, leaf_size, geometry.sources).first, leaf_size == 1 ? 12 : 10);
    build_on_both(sources, nullptr, geometry, adaptive(leaf_size, {4, 4}),
                  [](const cpu::CpuTree& expected, const cuda::CudaTree& found) {
                    compare_boxes(expected, found);
                    std::vector<std::uint32_t> order = on_host(found.sources.order), cpus(order.size());
                    std::copy_n(expected.sources.order.data(), cpus.size(), cpus.begin());
                    sort_leaves(order, expected.tree), sort_leaves(cpus, expected.tree);
                    EXPECT_EQ(order, cpus);
                  });
  }
}

/// Boxes and sorted points with first keys of such a layout.
void build_with(cuda::CudaTree& built, KeyLayout layout, const Points& sources, const Geometry& geometry,
                const TreeOptions& options) {
  cuda::DeviceMemory& memory = *built.memory;
  const cuda::DevicePoints copy(sources, memory);
  cuda::Cloud cloud{{copy.view(), Scaling(geometry.exponent), make_lattice(geometry, options.root),
                     cuda::DeviceArray<Item>(memory), cuda::DeviceArray<Item>(memory)},
                    layout};
  cuda::make_items(cloud, memory);
  cuda::sort_items(cloud, memory);
  cuda::build_boxes(built.tree, cloud, nullptr, options, 0, memory);
  cuda::gather(built.sources, cloud, memory.stream);
}

/// Sums of more than 2^28 points need items in parts; of few points some parts hold one or none.
TEST_F(CudaTreeTest, HasTheSameBoxesAndOrderWithItemsInParts) {
  for (const std::int64_t n : {1, 2, 40, 50'000})
    for (const int cloud : {0, 2, 6}) {
      SCOPED_TRACE(std::to_string(n) + " points, cloud " + std::to_string(cloud));
      const std::vector<double> s = test::all_clouds()[static_cast<std::size_t>(cloud)].make(n, 19);
      const Points sources = points(s);
      const Geometry geometry = cpu::survey(sources, nullptr, 2);
      cpu::CpuTree expected;
      cpu::build(expected, sources, nullptr, geometry, adaptive(2, {4, 4}));
      std::vector<std::uint32_t> order[2];
      for (const bool in_parts : {false, true}) {
        cuda::DeviceMemory memory;
        cuda::CudaTree found;
        found.use(memory);
        build_with(found, {12, in_parts}, sources, geometry, adaptive(2, {4, 4}));
        compare("centre", expected.tree.centre, found.tree.centre);
        compare("source_begin", expected.tree.source_begin, found.tree.source_begin);
        compare("source_end", expected.tree.source_end, found.tree.source_end);
        order[in_parts] = on_host(found.sources.order);
      }
      EXPECT_EQ(order[0], order[1]);
    }
}

TEST_F(CudaTreeTest, EqualsTheCpusForAMillionPoints) {
  const std::vector<double> s = test::all_clouds()[0].make(1 << 20, 8), t = test::all_clouds()[2].make(1 << 19, 9);
  const Points sources = points(s), targets = points(t);
  compare_builds(sources, nullptr, adaptive(64, {16, 16}));
  compare_builds(sources, &targets, adaptive(100, {16, 16}));
}

TEST_F(CudaTreeTest, AllCoincidentOrNearlySo) {
  std::vector<double> s(3 * 100000, 0.3);
  compare_builds(points(s), nullptr, adaptive(64, {}));
  s[3 * 4711] = std::nextafter(0.3, 1.0);
  compare_builds(points(s), nullptr, adaptive(64, {}));
}

/// Corners of the unit cube, so that whatever else lies in it leaves the lattice as it is, and `n` points within.
std::vector<double> cube(int n, unsigned seed) {
  std::vector<double> cloud = test::all_clouds()[0].make(n, seed);
  for (int corner = 0; corner < 8; ++corner)
    for (int axis = 0; axis < 3; ++axis) cloud.push_back(corner >> axis & 1);
  return cloud;
}

/// Where the root of the cube's tree is divided along x.
double middle_of_cube() {
  const std::vector<double> cloud = cube(0, 0);
  const Geometry geometry = cpu::survey(points(cloud), nullptr, 1);
  cpu::CpuTree tree;
  cpu::build(tree, points(cloud), nullptr, geometry, uniform(0));
  return tree.tree.centre[0] / Scaling(geometry.exponent)(1);
}

/// More than twenty levels between a cluster's boxes and the leaves across the face that it lies at, or almost.
TEST_F(CudaTreeTest, EqualsTheCpusForTinyClustersAtAFace) {
  for (const double apart : {0.0, 1e-7, 1e-9}) {
    std::vector<double> cloud = cube(40, 15);
    const std::vector<double> cluster = test::all_clouds()[0].make(400, 16);
    for (std::size_t i = 0; i < cluster.size(); ++i)
      cloud.push_back((i % 3 == 0 ? middle_of_cube() + apart : 0.3) + 1e-12 * (cluster[i] - (apart > 0 ? 0 : 0.5)));
    for (const ListThresholds thresholds : {ListThresholds{0, 0}, ListThresholds{4, 4}})
      compare_builds(points(cloud), nullptr, adaptive(1, thresholds));
  }
}

/// Leaves that look into more boxes at a time than a warp of the lists has room for.
TEST_F(CudaTreeTest, EqualsTheCpusForLargeLeavesAtADensePlane) {
  std::vector<double> cloud = cube(0, 0);
  const std::vector<double> plane = test::all_clouds()[0].make(6000, 17);
  for (std::size_t i = 0; i < plane.size(); ++i)
    cloud.push_back(i % 3 == 0 ? middle_of_cube() + 1e-6 * plane[i] : plane[i]);
  for (const ListThresholds thresholds : {ListThresholds{0, 0}, ListThresholds{2, 2}})
    compare_builds(points(cloud), nullptr, adaptive(1, thresholds));
}

/// The caller's layouts: floats, strides, separate arrays.
TEST_F(CudaTreeTest, ReadsAllLayoutsOfHostMemory) {
  const std::vector<double> cloud = test::all_clouds()[2].make(5000, 10);
  const std::vector<float> narrow(cloud.begin(), cloud.end());
  compare_builds(points(narrow), nullptr, adaptive(20, {}));
  const Points wide = points(cloud), single = points(narrow);
  compare_builds(wide, &single, adaptive(20, {}));
  for (const std::int64_t stride : {4, 9}) {
    std::vector<double> strided(static_cast<std::size_t>(5000 * stride), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < 5000; ++i)
      for (std::size_t d = 0; d < 3; ++d) strided[i * static_cast<std::size_t>(stride) + d] = cloud[3 * i + d];
    compare_builds(points(strided.data(), 5000, stride), nullptr, adaptive(20, {}));
    compare_builds(points(strided.data() + 2, strided.data(), strided.data() + 1, 4999, stride), nullptr,
                   adaptive(20, {}));
  }
  compare_builds(points(cloud.data(), cloud.data() + 5000, cloud.data() + 10000, 5000), nullptr, adaptive(20, {}));
}

TEST_F(CudaTreeTest, ReadsDeviceMemory) {
  const std::vector<double> cloud = test::all_clouds()[1].make(5000, 11);
  const std::vector<float> narrow(cloud.begin(), cloud.end());
  cuda::DeviceMemory memory;
  for (const Points& host : {points(cloud), points(narrow)}) {
    const cuda::DevicePoints copy(host, memory);
    const Geometry geometry = cpu::survey(host, nullptr, 1);
    compare(geometry, survey_on_device(copy.view(), nullptr));
    cpu::CpuTree expected;
    cpu::build(expected, host, nullptr, geometry, adaptive(30, {}));
    cuda::CudaTree found;
    found.use(memory);
    cuda::build(found, copy.view(), nullptr, geometry, {{}, 30, -1, {}, {}});
    compare(expected, found);
  }
}

TEST_F(CudaTreeTest, BuildsAnewAndReadsPointsWithoutATree) {
  cuda::DeviceMemory memory;
  cuda::CudaTree found;
  found.use(memory);
  for (const int which : {0, 7, 2}) {
    const std::vector<double> cloud = test::all_clouds()[static_cast<std::size_t>(which)].make(3000 + which, 12);
    const Geometry geometry = cpu::survey(points(cloud), nullptr, 1);
    cpu::CpuTree expected;
    cpu::build(expected, points(cloud), nullptr, geometry, adaptive(20, {}));
    cuda::build(found, points(cloud), nullptr, geometry, {{}, 20, -1, {}, {}});
    compare(expected, found);
    cpu::CpuTree flat;
    cpu::read_points(flat, points(cloud), nullptr, geometry, 1);
    cuda::read_points(found, points(cloud), nullptr, geometry, false);
    compare("flat.", flat.sources, found.sources);
  }
}

template <class Call>
std::string sentence_of(const Call& call) {
  try {
    call();
  } catch (const Error& e) {
    return std::to_string(static_cast<int>(e.code())) + " " + e.what();
  }
  return "";
}

TEST_F(CudaTreeTest, RefusesWithTheSentencesOfTheCpu) {
  std::vector<double> cloud = test::all_clouds()[0].make(100000, 13), others = cloud;
  for (const auto& [at, x] : {std::pair(3 * 77777, std::numeric_limits<double>::quiet_NaN()),
                              std::pair(3 * 70001 + 1, std::numeric_limits<double>::infinity()),
                              std::pair(3 * 5 + 2, -std::numeric_limits<double>::infinity())}) {
    others[static_cast<std::size_t>(at)] = x;
    const Points good = points(cloud), bad = points(others);
    const std::string expected = sentence_of([&] { cpu::survey(bad, nullptr, 1); });
    EXPECT_NE(expected, "");
    EXPECT_EQ(sentence_of([&] { survey_on_device(bad, nullptr); }), expected);
    EXPECT_EQ(sentence_of([&] { survey_on_device(good, &bad); }), sentence_of([&] { cpu::survey(good, &bad, 1); }));
  }
  Points negative = points(cloud);
  negative.count = -1;
  EXPECT_EQ(sentence_of([&] { survey_on_device(negative, nullptr); }),
            sentence_of([&] { cpu::survey(negative, nullptr, 1); }));
}

TEST_F(CudaTreeTest, RefusesADepthBeyondTheResolution) {
  std::vector<double> cloud = test::all_clouds()[0].make(10, 14);
  for (double& x : cloud) x += 1e9;
  const Geometry geometry = cpu::survey(points(cloud), nullptr, 1);
  const std::string expected = sentence_of([&] {
    cpu::CpuTree tree;
    cpu::build(tree, points(cloud), nullptr, geometry, uniform(50));
  });
  EXPECT_NE(expected, "");
  cuda::DeviceMemory memory;
  EXPECT_EQ(sentence_of([&] {
              cuda::CudaTree tree;
              tree.use(memory);
              cuda::build(tree, points(cloud), nullptr, geometry, {{}, 64, 50, {}, {}});
            }),
            expected);
}

/// More points than blocks that run at the same time look at, those of each block in a cell of their own.
TEST_F(CudaTreeTest, SurveysThePointsOfEveryBlock) {
  constexpr std::int64_t count = 5000 * 256 + 17;
  std::vector<float> x(3 * count);
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t axis = 0; axis < 3; ++axis)
      x[static_cast<std::size_t>(3 * i + axis)] = static_cast<float>(i / 256 * 397 >> 7 * axis & 127) + 0.5f;
  std::fill_n(x.begin(), 3, 0.0f), std::fill_n(x.end() - 3, 3, 128.0f);
  const Points cloud = points(static_cast<const float*>(x.data()), count);
  const Geometry geometry = cpu::survey(cloud, nullptr, 1);
  EXPECT_GE(geometry.occupied, 5001);
  compare(geometry, survey_on_device(cloud, nullptr));
}

}  // namespace
}  // namespace farfield

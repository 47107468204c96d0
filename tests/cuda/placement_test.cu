// The sums behind the expected error on the device against the host's.
#include "backends/cpu/transfer/survey.hpp"
#include "backends/cpu/tree/tree.hpp"
#include "backends/cuda/judge/placement.hpp"
#include "model/error_model.hpp"
#include "support/clouds.hpp"
#include "support/gpu.hpp"

namespace farfield::testing {
namespace {

class CudaPlacement : public GpuTest {};

/// Boxes of the lists count as their centres, evenly filled, where the host takes the centres of leaves.
constexpr double far_boxes_as_centres = 0.03;
/// The host takes weights from a table, in steps of 3 % at degree 20.
constexpr double sampled_points = 0.03;

void near(const Placement& found, const Placement& expected, double relative, const std::string& cloud) {
  EXPECT_NEAR(found.potential, expected.potential, relative * expected.potential) << cloud;
  EXPECT_NEAR(found.gradient, expected.gradient, relative * expected.gradient) << cloud;
}

/// Trees of one cloud on host and device.
struct Trees {
  cpu::CpuTree host;
  cuda::DeviceMemory memory;
  cuda::CudaTree device;
  Trees(const Cloud& cloud, std::int64_t leaf_size) {
    const Points sources = points(cloud.sources), targets = points(cloud.targets);
    const Points* apart = cloud.apart() ? &targets : nullptr;
    const Geometry geometry = cpu::survey(sources, apart, 1);
    cpu::build(host, sources, apart, geometry, {1, 0, leaf_size, -1, {}, 1, {}});
    device.use(memory);
    cuda::build(device, sources, apart, geometry, {1, 0, leaf_size, -1, {}, {}}, nullptr);
  }
  PlacedPoints sources() const {
    return placed(host.sources, host.tree.view().source_begin, host.tree.view().source_end);
  }
  PlacedPoints targets() const {
    return placed(host.target_points(), host.tree.view().target_begin, host.tree.view().target_end);
  }

 private:
  static PlacedPoints placed(const cpu::SortedPoints& p, const std::int64_t* begin, const std::int64_t* end) {
    return {{p.axis[0].data(), p.axis[1].data(), p.axis[2].data()}, begin, end};
  }
};

TEST_F(CudaPlacement, EqualsTheHosts) {
  for (const Kind kind : all_kinds) {
    Trees trees(make_cloud(kind, 20'000, Signs::mixed), 50);
    const TreeView tree = trees.host.tree.view();
    const PlacedPoints from = trees.sources(), to = trees.targets();
    cuda::DeviceSums sums(trees.device, 5, trees.memory);
    EXPECT_EQ(sums.levels(), tree.levels);
    EXPECT_EQ(sums.in_planes(), stand_in_planes(tree, from)) << name(kind);
    EXPECT_FALSE(sums.heaped(50)) << name(kind);
    EXPECT_TRUE(sums.heaped(10)) << name(kind);
    const ResultNorms expected = result_norms(tree, from, to, 1), found = sums.norms();
    EXPECT_NEAR(found.potential / expected.potential, 1, far_boxes_as_centres) << name(kind);
    EXPECT_NEAR(found.gradient / expected.gradient, 1, far_boxes_as_centres) << name(kind);
    EXPECT_EQ(found.near_share < 0.5, expected.near_share < 0.5) << name(kind);
    const FarPairs far(tree, from, to, 1, {tree.boxes, trees.host.sources.count});
    for (const int degree : {5, 6, 20}) {
      near(sums.typical(expected, degree), far.typical(expected, degree), 1e-6, name(kind));
      near(sums.facing(expected, degree), far.facing(expected, degree), sampled_points, name(kind));
    }
  }
}

/// The host takes the gradient's norm from every fifth leaf of 100,000 points: close pairs that it does not see make it
/// a factor of 2 smaller, two degrees. Of 20,000 it looks at fewer boxes and points than the device.
constexpr int sampled_degrees = 2;

/// What the sums are for: the same degree, but where points and boxes are sampled.
TEST_F(CudaPlacement, LeadsToTheDegreeOfTheHost) {
  for (const Kind kind : all_kinds)
    for (const auto& [points, leaf_size] : {std::pair(20'000, 50), std::pair(20'000, 12), std::pair(100'000, 12)}) {
      Trees trees(make_cloud(kind, points, Signs::mixed), leaf_size);
      for (const double tolerance : {1e-3, 1e-5, 1e-7, 1e-10}) {
        Decision d;
        d.tolerance = tolerance;
        d.gradient = true;
        d.leaf_size = leaf_size;
        d.apart = !trees.device.alike;
        d.degree = degree_for(tolerance, d.reduced, d.gradient);
        Report report;
        const int expected =
            settle_degree(d, trees.host.tree.view(), trees.sources(), trees.targets(), 1, report).degree;
        cuda::DeviceSums sums(trees.device, d.degree, trees.memory);
        EXPECT_NEAR(settle_degree(d, sums, report).degree, expected, points > 20'000 ? sampled_degrees : 1)
            << name(kind) << ", " << points << ", " << tolerance;
      }
    }
}

}  // namespace
}  // namespace farfield::testing

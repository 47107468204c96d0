// The sums behind the expected error on the device against the host's.
#include "backends/cpu/survey.hpp"
#include "backends/cpu/tree.hpp"
#include "backends/cuda/placement.hpp"
#include "support/clouds.hpp"
#include "support/gpu.hpp"

namespace farfield::testing {
namespace {

class CudaPlacement : public GpuTest {};

TEST_F(CudaPlacement, EqualsTheHosts) {
  for (const Kind kind : all_kinds) {
    const Cloud cloud = make_cloud(kind, 20'000, Signs::mixed);
    const Points sources = points(cloud.sources), targets = points(cloud.targets);
    const Points* apart = cloud.apart() ? &targets : nullptr;
    const Geometry geometry = cpu::survey(sources, apart, 1);
    cpu::CpuTree host;
    cpu::build(host, sources, apart, geometry, {1, 0, 50, -1, {}, 1, {}});
    cuda::DeviceMemory memory;
    cuda::CudaTree device;
    device.use(memory);
    cuda::build(device, sources, apart, geometry, {1, 0, 50, -1, {}, {}}, nullptr);
    const TreeView tree = host.tree.view();
    const auto placed = [](const cpu::SortedPoints& p, const std::int64_t* begin, const std::int64_t* end) {
      return PlacedPoints{{p.axis[0].data(), p.axis[1].data(), p.axis[2].data()}, begin, end};
    };
    const PlacedPoints from = placed(host.sources, tree.source_begin, tree.source_end);
    const PlacedPoints to = placed(host.target_points(), tree.target_begin, tree.target_end);
    cuda::DeviceSums sums(device, memory);
    EXPECT_EQ(sums.levels(), tree.levels);
    EXPECT_EQ(sums.in_planes(), stand_in_planes(tree, from)) << name(kind);
    EXPECT_FALSE(sums.heaped(50)) << name(kind);
    EXPECT_TRUE(sums.heaped(10)) << name(kind);
    const ResultNorms expected = result_norms(tree, from, to, 1), found = sums.norms();
    EXPECT_NEAR(found.potential / expected.potential, 1, 1e-9) << name(kind);
    EXPECT_NEAR(found.gradient / expected.gradient, 1, 1e-9) << name(kind);
    EXPECT_NEAR(found.near_share, expected.near_share, 1e-9) << name(kind);
    for (const int degree : {5, 20}) {
      const Placement e = placement(tree, from, to, expected, degree, 1), f = sums.placement(expected, degree);
      for (const auto of : {&Placement::typical, &Placement::facing}) {
        EXPECT_NEAR((f.*of).potential, (e.*of).potential, 1e-5 * (e.*of).potential) << name(kind);
        EXPECT_NEAR((f.*of).gradient, (e.*of).gradient, 1e-5 * (e.*of).gradient) << name(kind);
      }
    }
  }
}

}  // namespace
}  // namespace farfield::testing

// The sums behind the expected error on the device against the host's.
#include "backends/cpu/boxes/tree.hpp"
#include "backends/cpu/transfer/survey.hpp"
#include "backends/cuda/judge/placement/placement.hpp"
#include "model/error_model.hpp"
#include "support/clouds.hpp"
#include "support/gpu.hpp"
#include "support/norms.hpp"

namespace farfield::testing {
namespace {

class CudaPlacement : public GpuTest {};

/// Where all boxes are looked at, typical pairs are sums of whole numbers: rounding.
constexpr double sums_of_counts = 1e-6;
/// The host takes weights from a table, in steps of 3 % at degree 20.
constexpr double steps_of_weights = 0.03;

void near(const Placement& found, const Placement& expected, double relative, const std::string& cloud) {
  EXPECT_NEAR(found.order[0], expected.order[0], relative * expected.order[0]) << cloud;
  EXPECT_NEAR(found.order[1], expected.order[1], relative * expected.order[1]) << cloud;
}

/// Trees of one cloud on host and device.
struct Trees {
  cpu::CpuTree host;
  cuda::DeviceMemory memory;
  cuda::SideStream beside[2];
  cuda::CudaTree device;
  Trees(const Cloud& cloud, std::int64_t leaf_size) {
    const Points sources = points(cloud.sources), targets = points(cloud.targets);
    const Points* apart = cloud.apart() ? &targets : nullptr;
    const Geometry geometry = cpu::survey(sources, apart, 1);
    cpu::build(host, sources, apart, geometry, {{}, leaf_size, -1, {}, {}, 1});
    device.use(memory);
    cuda::build(device, sources, apart, geometry, {{}, leaf_size, -1, {}, {}});
  }
  PlacedPoints sources() const { return host.placed_sources(); }
  PlacedPoints targets() const { return host.placed_targets(); }
};

TEST_F(CudaPlacement, EqualsTheHosts) {
  for (const Kind kind : all_kinds) {
    Trees trees(make_cloud(kind, 20'000, Signs::mixed), 50);
    const TreeView tree = trees.host.tree.view();
    const PlacedPoints from = trees.sources(), to = trees.targets();
    cuda::DeviceSums sums(trees.device, 5, 0, trees.memory, trees.beside[0], trees.beside[1]);
    sums.launch(false);
    EXPECT_EQ(sums.levels(), tree.levels);
    EXPECT_EQ(sums.in_planes(), stand_in_planes(tree, from)) << name(kind);
    EXPECT_FALSE(sums.heaped(50)) << name(kind);
    EXPECT_TRUE(sums.heaped(10)) << name(kind);
    const ResultNorms expected = result_norms(tree, from, to, 1), found = sums.norms();
    // The potential at 64 targets, of which few see the close pairs of a line; the gradient's near part at all.
    const ResultNorms all = norms_over_all_pairs(from, trees.host.sources.count, to, trees.host.target_points().count);
    EXPECT_LE(found.order[0], 1.2 * all.order[0]) << name(kind);
    if (kind != Kind::line) {
      EXPECT_GE(found.order[0], 0.7 * all.order[0]) << name(kind);
    }
    EXPECT_LE(found.order[1], 1.1 * all.order[1]) << name(kind);
    EXPECT_GE(found.order[1], 0.6 * all.order[1]) << name(kind);
    EXPECT_EQ(found.near_share < 0.5, expected.near_share < 0.5) << name(kind);
    const FarPairs far(tree, from, to, 1, {tree.boxes, trees.host.sources.count});
    for (const int degree : {5, 6, 20}) {
      near(sums.typical(expected, degree), far.typical(expected, degree), sums_of_counts, name(kind));
      near(sums.facing(expected, degree), far.facing(expected, degree), steps_of_weights, name(kind));
    }
  }
}

/// Points, leaf size, and by how many degrees host and device may differ.
struct Size {
  std::int64_t points, leaf_size;
  int degrees;
};
/// Of 20,000 points the host looks at fewer boxes and points than the device: one degree. Of 100,000 it takes the
/// gradient's norm from some leaves: close pairs that it does not see make it a factor of 2 smaller, two degrees. Of
/// the close pairs that carry a line's potential it sees some, the device hardly any.
constexpr Size looked_at_by_the_device[] = {{20'000, 50, 1}, {20'000, 12, 1}, {100'000, 12, 2}};

Decision decision_of(double tolerance, std::int64_t leaf_size, bool apart) {
  Decision d;
  d.tolerance = tolerance;
  d.gradient = true;
  d.leaf_size = leaf_size;
  d.apart = apart;
  d.degree = degree_for(d.kernel, tolerance, d.reduced, d.gradient);
  return d;
}

/// What the sums are for: the same degree, but where the host samples.
TEST_F(CudaPlacement, LeadsToTheDegreeOfTheHost) {
  for (const Kind kind : all_kinds)
    for (const Size& size : looked_at_by_the_device) {
      Trees trees(make_cloud(kind, size.points, Signs::mixed), size.leaf_size);
      for (const double tolerance : {1e-3, 1e-5, 1e-7, 1e-10}) {
        const Decision d = decision_of(tolerance, size.leaf_size, !trees.device.alike);
        Report report;
        const int expected =
            settle_degree(d, trees.host.tree.view(), trees.sources(), trees.targets(), 0, 1, report).degree;
        cuda::DeviceSums sums(trees.device, d.degree, 0, trees.memory, trees.beside[0], trees.beside[1]);
        sums.launch(false);
        EXPECT_NEAR(settle_degree(d, sums, report).degree, expected, kind == Kind::line ? 6 : size.degrees)
            << name(kind) << ", " << size.points << ", " << tolerance;
      }
    }
}

/// The device's own findings, but with sums over all far pairs, by the host.
class AllFarPairs final : public PlacementSums {
 public:
  AllFarPairs(cuda::DeviceSums& sums, const TreeView& tree, const PlacedPoints& sources, const PlacedPoints& targets,
              std::int64_t points)
      : sums_(sums), far_(tree, sources, targets, 1, {tree.boxes, points}) {}
  int levels() const override { return sums_.levels(); }
  double targets() const override { return sums_.targets(); }
  double finest_edge() const override { return sums_.finest_edge(); }
  bool in_planes() override { return sums_.in_planes(); }
  bool heaped(std::int64_t most) override { return sums_.heaped(most); }
  ResultNorms norms() override { return sums_.norms(); }
  Placement typical(const ResultNorms& norms, int degree) override { return far_.typical(norms, degree); }
  Placement facing(const ResultNorms& norms, int degree) override { return far_.facing(norms, degree); }

 private:
  cuda::DeviceSums& sums_;
  FarPairs far_;
};

/// The device samples from 2^24 looks at points on: of a million points, in every tree of at least five levels.
constexpr std::int64_t sampled_by_the_device = 1'000'000;
/// The choice follows from counts alone, so every device errs alike: typical pairs of these clouds by 0.3 %, facing
/// ones, of which a few corners carry most, by 4 % at degree 5. Boxes that stood for themselves alone would leave out
/// two thirds of the uniform cloud's gradient. Above degree 30 the degree itself is missed by up to three.
constexpr double sampled_typical = 0.01, sampled_facing = 0.1;

TEST_F(CudaPlacement, SampledSumsStandForAll) {
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::sphere, Kind::apart}) {
    Trees trees(make_cloud(kind, sampled_by_the_device, Signs::mixed), 12);
    const TreeView tree = trees.host.tree.view();
    const PlacedPoints from = trees.sources(), to = trees.targets();
    cuda::DeviceSums sums(trees.device, 5, 0, trees.memory, trees.beside[0], trees.beside[1]);
    sums.launch(false);
    AllFarPairs all(sums, tree, from, to, sampled_by_the_device);
    const ResultNorms norms = sums.norms();
    EXPECT_GT(std::abs(sums.typical(norms, 5).order[1] / all.typical(norms, 5).order[1] - 1), sums_of_counts)
        << name(kind) << ": all boxes were looked at";
    for (const int degree : {3, 5}) {
      near(sums.typical(norms, degree), all.typical(norms, degree), sampled_typical, name(kind));
      near(sums.facing(norms, degree), all.facing(norms, degree), sampled_facing, name(kind));
    }
    for (const double tolerance : {1e-3, 1e-5, 1e-7}) {
      const Decision d = decision_of(tolerance, 12, !trees.device.alike);
      Report report;
      const int expected = settle_degree(d, all, report).degree;
      EXPECT_NEAR(settle_degree(d, sums, report).degree, expected, 1) << name(kind) << ", " << tolerance;
    }
  }
}

}  // namespace
}  // namespace farfield::testing

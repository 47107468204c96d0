// The share of targets that a device gets: as measured times say, whole subtrees, every target in one half; and what
// backend hybrid refuses, on any machine.
#include "backends/hybrid/share.hpp"

#include "backends/cpu/boxes/tree.hpp"
#include "backends/cpu/transfer/survey.hpp"
#include "model/choose.hpp"
#include "support/measure.hpp"

namespace farfield::testing {
namespace {

using hybrid::best_share;
using hybrid::Pace;
using hybrid::share_of_targets;

TEST(Share, LetsBothHalvesEndTogether) {
  const Pace pace{.near = 1, .device_up = 0.5, .device_down = 2, .cores_up = 2, .cores_down = 10};
  const double share = best_share(pace);
  EXPECT_GT(share, 0);
  EXPECT_LT(share, 1);
  EXPECT_NEAR(pace.near + pace.device_up + share * pace.device_down, pace.cores_up + (1 - share) * pace.cores_down,
              1e-12);
}

TEST(Share, IsNoneWhereTheNearFieldTakesLongest) {
  EXPECT_EQ(best_share({.near = 20, .device_up = 0, .device_down = 1, .cores_up = 2, .cores_down = 10}), 0);
  EXPECT_EQ(best_share({.near = 11.9, .device_up = 0, .device_down = 1, .cores_up = 2, .cores_down = 10}), 0);
  EXPECT_EQ(best_share({}), 0);
}

TEST(Share, IsAllWhereTheCoresAreSlow) {
  EXPECT_EQ(best_share({.near = 1, .device_up = 1, .device_down = 1, .cores_up = 100, .cores_down = 10}), 1);
}

TEST(Share, IsExpectedToGrowWithTheDevicesSpeed) {
  Decision d;
  d.precision = Precision::single_, d.gradient = true, d.degree = 5;
  const hybrid::TreeCounts n{1e6, 1e6, 2e4, 27e8, 3e6};
  const double few = best_share(expected_pace(d, n, 4)), many = best_share(expected_pace(d, n, 64));
  EXPECT_GT(few, many);
  EXPECT_LE(few, 1);
}

struct Built {
  cpu::CpuTree tree;
  explicit Built(const Cloud& cloud, std::int64_t leaf_size) {
    const Points sources = points(cloud.sources), apart = points(cloud.targets);
    const Points* const targets = cloud.apart() ? &apart : nullptr;
    TreeOptions options;
    options.leaf_size = leaf_size;
    cpu::build(tree, sources, targets, cpu::survey(sources, targets, 1), options);
  }
};

/// Does a leaf have targets in both halves?
bool divides_a_leaf(const TreeView& tree, std::int64_t at) {
  for (BoxId b = 0; b < tree.boxes; ++b)
    if (tree.is_leaf(b) && tree.target_begin[b] < at && at < tree.target_end[b]) return true;
  return false;
}

TEST(Share, EndsWithABox) {
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::spiral, Kind::apart, Kind::outside}) {
    const Cloud cloud = make_cloud(kind, 20'000, Signs::mixed);
    const Built built(cloud, 30);
    const TreeView tree = built.tree.tree.view();
    EXPECT_EQ(share_of_targets(tree, 0), 0);
    EXPECT_EQ(share_of_targets(tree, 1), 20'000);
    for (const double share : {0.1, 0.25, 0.5, 0.9}) {
      const std::int64_t at = share_of_targets(tree, share);
      EXPECT_FALSE(divides_a_leaf(tree, at)) << name(kind) << ", " << share;
      EXPECT_NEAR(static_cast<double>(at), 20'000 * share, kind == Kind::uniform ? 200 : 5'000) << name(kind);
    }
  }
}

TEST(Share, OfNoPointsIsNone) { EXPECT_EQ(share_of_targets(TreeView{}, 0.5), 0); }

TEST(Share, PutsEveryTargetInOneHalf) {
  const Built built(make_cloud(Kind::plummer, 5'000, Signs::mixed), 30);
  const TreeView tree = built.tree.tree.view();
  const std::int64_t at = share_of_targets(tree, 0.4);
  hybrid::ClippedTree first, second;
  const TreeView a = first.of(tree, 0, at, 1), b = second.of(tree, at, 5'000, 2);
  for (BoxId box = 0; box < tree.boxes; ++box) {
    EXPECT_EQ(a.target_count(box) + b.target_count(box), tree.target_count(box));
    EXPECT_EQ(a.source_count(box), tree.source_count(box));
    EXPECT_TRUE(a.target_count(box) == 0 || a.target_begin[box] == tree.target_begin[box]);
    EXPECT_TRUE(b.target_count(box) == 0 || b.target_end[box] == tree.target_end[box]);
  }
}

Options hybrid_options() {
  Options o;
  o.backend = Backend::hybrid;
  return o;
}
std::string refused(ErrorCode code, const Options& o) {
  const std::vector<double> two{0, 0, 0, 1, 1, 1};
  return refusal(code, [&] { Plan(points(two), o); });
}

TEST(Hybrid, RefusesWhatItDoesNotDivide) {
  Options treecode = hybrid_options(), gauss = hybrid_options(), periodic = hybrid_options(), virial = hybrid_options();
  treecode.method = Method::treecode;
  gauss.kernel = Kernel::gauss, gauss.bandwidth = 0.1;
  periodic.periodic = Axes::xyz, periodic.cell_x = periodic.cell_y = periodic.cell_z = 2;
  virial.virial = virial.gradient = true;
  EXPECT_NE(refused(ErrorCode::usage, treecode).find("method treecode"), std::string::npos);
  EXPECT_NE(refused(ErrorCode::usage, gauss).find("kernel gauss has no expansions"), std::string::npos);
  EXPECT_NE(refused(ErrorCode::usage, periodic).find("points that repeat"), std::string::npos);
  EXPECT_NE(refused(ErrorCode::usage, virial).find("virial"), std::string::npos);
}

TEST(Hybrid, RefusesPointsInDeviceMemory) {
  const std::vector<double> two{0, 0, 0, 1, 1, 1};
  Points p = points(two);
  p.space = MemorySpace::device;
  const std::string sentence = refusal(ErrorCode::device, [&] { Plan(p, hybrid_options()); });
  EXPECT_NE(sentence.find("pass host memory or use backend cuda"), std::string::npos) << sentence;
}

TEST(Hybrid, NeedsADevice) {
  if (!devices().empty()) GTEST_SKIP() << "there is a CUDA device";
  const std::string sentence = refused(ErrorCode::device, hybrid_options());
  EXPECT_EQ(sentence.rfind("backend hybrid: ", 0), 0u) << sentence;
  EXPECT_NE(sentence.find("use backend cpu"), std::string::npos) << sentence;
}

TEST(Hybrid, IsNeverChosen) {
  const Cloud cloud = make_cloud(Kind::uniform, 2'000, Signs::mixed);
  EXPECT_NE(Plan(points(cloud.sources)).report().backend, "hybrid");
}

/// The device's pairs are cheap beside the cores' expansions: wider leaves than either backend alone has.
TEST(Hybrid, HasWiderLeaves) {
  Geometry g;
  g.sources = g.targets = 10'000'000;
  g.extent = g.largest = 1, g.grid = 64;
  g.occupied_coarse = 32 * 32 * 32, g.occupied = 64 * 64 * 64;
  Options o = fmm_options(1e-6, Precision::double_);
  const auto leaf = [&](Backend backend) { return choose(o, g, {backend, Simd::avx512}).leaf_size; };
  EXPECT_GT(leaf(Backend::hybrid), 2 * leaf(Backend::cpu));
  EXPECT_GT(leaf(Backend::hybrid), leaf(Backend::cuda));
}

}  // namespace
}  // namespace farfield::testing

// p2p by families and by tiles against sums over the near lists in double, and against exact counts.
#include <cmath>

#include "backends/cpu/boxes/tree.hpp"
#include "backends/cpu/transfer/survey.hpp"
#include "backends/cuda/boxes/tree.hpp"
#include "backends/cuda/near/families/p2p_families.hpp"
#include "backends/cuda/near/p2p_work.hpp"
#include "backends/cuda/stages.hpp"
#include "kernels/count.hpp"
#include "kernels/laplace3d.hpp"
#include "kernels/registry.hpp"
#include "support/clouds.hpp"
#include "support/gpu.hpp"

namespace farfield::testing {
namespace {

/// How p2p goes about it.
struct Form {
  int family_mean;
  bool wide, fives = false;
};
constexpr Form forms[] = {{0, false}, {0, true}, {cuda::tuning::family_leaf, true}, {12, false}, {0, false, true}};

/// One cloud in a tree on the host and in the same one on the device.
class NearField {
 public:
  NearField(const Cloud& cloud, std::int64_t leaf_size, int depth, const ListThresholds& thresholds) : cloud_(cloud) {
    const Points sources = points(cloud_.sources), targets = points(cloud_.targets);
    const Points* apart = cloud_.apart() ? &targets : nullptr;
    const Geometry geometry = cpu::survey(sources, apart, 1);
    cpu::build(host_, sources, apart, geometry, {{}, leaf_size, depth, thresholds, {}, 1});
    device_.use(memory_);
    cuda::build(device_, sources, apart, geometry, {{}, leaf_size, depth, thresholds, {}});
  }

  std::int64_t targets() const { return host_.target_points().count; }

  /// Potential and gradient by targets, summed in double over the near lists.
  std::vector<double> expected(bool counting) const {
    const TreeView tree = host_.tree.view();
    const ListView near = host_.lists.view().near;
    std::vector<double> sums(static_cast<std::size_t>(4 * targets()));
    for (BoxId b = 0; b < tree.boxes; ++b)
      for (std::int64_t k = near.begin[b]; k < near.begin[b + 1]; ++k)
        for (std::int64_t t = tree.target_begin[b]; t < tree.target_end[b]; ++t)
          for (std::int64_t s = tree.source_begin[near.items[k]]; s < tree.source_end[near.items[k]]; ++s)
            add(t, s, counting, &sums[static_cast<std::size_t>(4 * t)]);
    return sums;
  }

  template <class Kernel, class Real>
  std::vector<double> found(bool gradient, const Form& form) {
    cuda::P2pLimits<Real> limits;
    limits.family_mean = form.family_mean;
    limits.narrow_mean = form.wide ? 0 : 1'000'000;
    cuda::P2pWork near(memory_);
    near.build(device_.tree.view(), device_.lists.view(), device_.sources.count, targets(), nullptr, limits);
    cuda::Work<Real> work = bound<Real>(std::is_same_v<Kernel, Count>);
    work.near = near.view();
    work.near.fives = form.fives;
    cuda::DeviceArray<Real> result[4];
    std::vector<Real> zeros(static_cast<std::size_t>(targets()));
    for (int i = 0; i < parts_with(gradient); ++i) {
      cuda::upload(result[i], zeros.data(), targets(), nullptr);
      work.result.part[i] = result[i].data();
    }
    cuda::p2p<Kernel>(work);
    std::vector<double> sums(static_cast<std::size_t>(4 * targets()));
    for (std::size_t i = 0; i < static_cast<std::size_t>(parts_with(gradient)); ++i) {
      cuda::download(zeros.data(), result[i].data(), targets(), nullptr);
      cuda::require(cudaDeviceSynchronize(), "p2p");
      for (std::size_t t = 0; t < zeros.size(); ++t) sums[4 * t + i] = static_cast<double>(zeros[t]);
    }
    std::int32_t counts[2];
    cuda::download(counts, near.view().tiles, 2, nullptr);
    cuda::require(cudaDeviceSynchronize(), "tiles and families");
    tiles += counts[0], families += counts[1];
    std::vector<cuda::Family> found(static_cast<std::size_t>(counts[1]));
    cuda::download(found.data(), near.view().family, counts[1], nullptr);
    cuda::require(cudaDeviceSynchronize(), "families");
    for (const cuda::Family& family : found) takers += family.takers != 0;
    std::vector<cuda::PairTile> all(static_cast<std::size_t>(counts[0]));
    cuda::download(all.data(), near.view().tile, counts[0], nullptr);
    cuda::require(cudaDeviceSynchronize(), "tiles");
    for (const cuda::PairTile& tile : all) cut += tile.first > 0 && tile.targets < 32 && tile.near_count > 56;
    return sums;
  }
  /// cut: further tiles of leaves whose targets one would hold.
  static inline std::int64_t tiles = 0, families = 0, takers = 0, cut = 0;

 private:
  double strength(std::int64_t s, bool counting) const {
    return counting ? 1 : static_cast<double>(static_cast<float>(cloud_.strengths[host_.sources.order[s]]));
  }

  void add(std::int64_t t, std::int64_t s, bool counting, double* sum) const {
    const double q = strength(s, counting);
    if (counting) {
      sum[0] += q;
      return;
    }
    double d[3], r2 = 0;
    for (int a = 0; a < 3; ++a) {
      d[a] = host_.target_points().axis[a][t] - host_.sources.axis[a][s];
      r2 += d[a] * d[a];
    }
    if (!(r2 > 0)) return;
    const double inverse = 1 / std::sqrt(r2);
    Laplace3d::of_inverse<4>(inverse, q, d[0], d[1], d[2], sum);
  }

  template <class Real>
  cuda::Work<Real> bound(bool counting) {
    cuda::Work<Real> work;
    work.tree = device_.tree.view(), work.lists = device_.lists.view();
    for (int a = 0; a < 3; ++a) {
      work.source[a] = device_.sources.axis[a].data();
      work.target[a] = device_.target_points().axis[a].data();
    }
    std::vector<Real> q;
    for (std::int64_t s = 0; s < host_.sources.count; ++s) q.push_back(static_cast<Real>(strength(s, counting)));
    cuda::DeviceArray<Real>& on_device = strengths<Real>();
    cuda::upload(on_device, q.data(), host_.sources.count, nullptr);
    work.strength = on_device.data();
    work.alike = device_.alike;
    return work;
  }
  template <class Real>
  cuda::DeviceArray<Real>& strengths() {
    if constexpr (sizeof(Real) == 4)
      return single_;
    else
      return double_;
  }

  Cloud cloud_;
  cpu::CpuTree host_;
  cuda::DeviceMemory memory_;
  cuda::CudaTree device_;
  cuda::DeviceArray<float> single_;
  cuda::DeviceArray<double> double_;
};

struct Distance {
  double potential, gradient;
};

Distance distance(const std::vector<double>& found, const std::vector<double>& expected) {
  double square[2] = {}, size[2] = {};
  for (std::size_t i = 0; i < found.size(); ++i) {
    square[i % 4 > 0] += std::pow(found[i] - expected[i], 2);
    size[i % 4 > 0] += std::pow(expected[i], 2);
  }
  const auto ratio = [&](int i) { return square[i] > 0 ? std::sqrt(square[i] / size[i]) : 0; };
  return {ratio(0), ratio(1)};
}

template <class Real>
void expect_sums(NearField& field, const std::vector<double>& expected) {
  const double tolerance = sizeof(Real) == 4 ? 8e-7 : 1e-14;  // pairs just beyond 1/16 of a leaf: 16 times 4.5e-8
  for (const Form& form : forms) {
    SCOPED_TRACE(std::to_string(sizeof(Real)) + " bytes, families to " + std::to_string(form.family_mean) +
                 (form.wide ? ", wide tiles" : ", narrow tiles") + (form.fives ? ", fives" : ""));
    const std::vector<double> sums = field.found<Laplace3d, Real>(true, form);
    const Distance all = distance(sums, expected);
    EXPECT_LE(all.potential, tolerance);
    EXPECT_LE(all.gradient, tolerance);
    EXPECT_EQ((field.found<Laplace3d, Real>(true, form)), sums);  // the same bits
    EXPECT_LE(distance(field.found<Laplace3d, Real>(false, form), expected).potential, tolerance);
  }
}

template <class Real>
void expect_counts(NearField& field, const std::vector<double>& expected) {
  for (const Form& form : forms)
    for (const bool gradient : {true, false})
      EXPECT_EQ((field.found<Count, Real>(gradient, form)), expected) << form.family_mean << form.wide;
}

void expect_all(const Cloud& cloud, std::int64_t leaf_size, int depth = -1, const ListThresholds& thresholds = {3, 3}) {
  SCOPED_TRACE(cloud.label + ", leaf size " + std::to_string(leaf_size) + ", depth " + std::to_string(depth));
  NearField field(cloud, leaf_size, depth, thresholds);
  const std::vector<double> sums = field.expected(false), counts = field.expected(true);
  expect_sums<float>(field, sums);
  expect_sums<double>(field, sums);
  expect_counts<float>(field, counts);
  expect_counts<double>(field, counts);
}

class CudaP2p : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    NearField::tiles = NearField::families = NearField::takers = NearField::cut = 0;
  }
};

TEST_F(CudaP2p, LeavesOfAllSizes) {
  for (const int n : {1, 2, 63, 130, 300, 513, 601, 1'100, 3'000, 9'000})
    expect_all(make_cloud(Kind::uniform, n, Signs::mixed), 1, 1);
  for (const int n : {64, 200, 1'000, 2'500, 9'000}) expect_all(make_cloud(Kind::uniform, n, Signs::positive), 1, 2);
  for (const int n : {600, 4'000, 8'000, 14'000}) expect_all(make_cloud(Kind::uniform, n, Signs::mixed), 1, 3);
  EXPECT_GT(NearField::tiles, 0);
  EXPECT_GT(NearField::families, 0);
}

TEST_F(CudaP2p, LeavesOfMixedLevels) {
  for (const Kind kind : {Kind::plummer, Kind::sphere, Kind::two_clusters, Kind::spiral, Kind::lattice, Kind::line})
    for (const int leaf_size : {1, 2, 5, 9, 17, 33, 70, 600})
      expect_all(make_cloud(kind, 3'001, Signs::mixed), leaf_size);
  EXPECT_GT(NearField::families, 0);
}

/// Coarser leaves by pairs: children that hear them and children that do not, more of them than a family takes, leaves
/// with so many finer neighbours that several tiles share them, and targets without sources.
TEST_F(CudaP2p, FamiliesWithCoarserLeaves) {
  for (const Kind kind : {Kind::plummer, Kind::sphere, Kind::spiral, Kind::apart})
    for (const int leaf_size : {2, 6, 14, 30})
      for (const int by_pairs : {4, 12, 40})
        expect_all(make_cloud(kind, 6'001, Signs::mixed), leaf_size, -1, {by_pairs, by_pairs});
  EXPECT_GT(NearField::takers, 0);
  EXPECT_GT(NearField::cut, 0);
}

TEST_F(CudaP2p, TargetsApart) {
  for (const Kind kind : {Kind::apart, Kind::outside})
    for (const int leaf_size : {3, 8, 20, 50, 300}) expect_all(make_cloud(kind, 2'500, Signs::mixed), leaf_size);
  for (const int depth : {1, 2, 3}) expect_all(make_cloud(Kind::apart, 3'000, Signs::positive), 1, depth);
}

/// Sources on targets, many in one place, pairs across the faces of boxes, and leaves without either.
TEST_F(CudaP2p, CoincidentAndClosePoints) {
  for (const Kind kind : {Kind::uniform, Kind::apart}) {
    Cloud cloud = make_cloud(kind, 4'000, Signs::mixed);
    for (std::size_t i = 0; i < 900; ++i) cloud.sources[i] = i < 300 ? 0.25 : cloud.sources[3'000 + i];
    for (std::size_t i = 1'200; i < 1'800; ++i) cloud.sources[i] = cloud.sources[i - 600] * (1 + 1e-9);
    for (std::size_t i = 0; i < 600; ++i) cloud.sources[6'000 + i] = 0.5 + (i % 2 ? 1e-7 : -1e-7) * double(i);
    if (cloud.apart())
      std::copy(cloud.sources.begin() + 150, cloud.sources.begin() + 7'500, cloud.targets.begin() + 150);
    for (const int leaf_size : {4, 11, 25, 60, 400}) expect_all(cloud, leaf_size);
    expect_all(cloud, 1, 3);
  }
}

}  // namespace
}  // namespace farfield::testing

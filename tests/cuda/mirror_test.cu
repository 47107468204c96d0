// m2l in double by mirror images on tensor cores, against the product and the rotation of the same multipoles.
#include <algorithm>
#include <cmath>
#include <set>

#include "backends/cuda/boxes/tree.hpp"
#include "backends/cuda/far/octants.hpp"
#include "backends/cuda/far/tables/tables.hpp"
#include "backends/cuda/m2l/mirror/mirror_m2l.hpp"
#include "backends/cuda/m2l/rows.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/transfer/survey.hpp"
#include "expansions/laplace_basis.hpp"
#include "kernels/laplace3d.hpp"
#include "kernels/registry.hpp"
#include "support/clouds.hpp"
#include "support/gpu.hpp"

namespace farfield::testing {
namespace {

/// A tree, its multipoles, and locals by any scheme.
class MirrorCase {
 public:
  MirrorCase(const Cloud& cloud, std::int64_t leaf_size) {
    const Points sources = points(cloud.sources), targets = points(cloud.targets);
    const Points* apart = cloud.apart() ? &targets : nullptr;
    tree_.use(memory_);
    const Geometry geometry = cuda::survey(sources, apart, memory_);
    cuda::build(tree_, sources, apart, geometry, {{}, leaf_size, -1, {2, 2}, {}});
    rows_.build(tree_.tree.view(), nullptr);
    std::vector<std::uint32_t> order(cloud.strengths.size());
    cuda::download(order.data(), tree_.sources.order.data(), static_cast<std::int64_t>(order.size()), nullptr);
    cuda::require(cudaDeviceSynchronize(), "order");
    std::vector<double> sorted;
    for (const std::uint32_t i : order) sorted.push_back(cloud.strengths[i]);
    cuda::upload(strength_, sorted.data(), static_cast<std::int64_t>(sorted.size()), nullptr);
    work_.tree = tree_.tree.view();
    work_.lists = tree_.lists.view();
    work_.classes = rows_.classes();
    work_.alike = tree_.alike;
    work_.sources = tree_.sources.count, work_.targets = tree_.target_points().count;
    work_.strength = strength_.data();
    for (int a = 0; a < 3; ++a) {
      work_.source[a] = tree_.sources.axis[a].data();
      work_.target[a] = tree_.target_points().axis[a].data();
    }
  }

  int levels() const { return tree_.tree.levels; }

  /// `heard`: boxes with targets that the steps are shared out for; 0: of this tree.
  std::vector<double> by_mirrors(int degree, bool reduced, double heard = 0) {
    use_tables(degree, true, reduced);
    mirror_.build(work_.tables, work_.tree, nullptr);
    if (heard > 0) mirror_.split_for(heard);
    work_.mirror = mirror_.view();
    return locals();
  }
  /// After by_mirrors, and in the same order: `boxes` alone, the columns of a tile shared by so many blocks.
  std::vector<double> again(const std::vector<BoxId>& boxes, int splits) {
    cuda::DeviceArray<BoxId> row;
    cuda::upload(row, boxes.data(), std::ssize(boxes), nullptr);
    const cuda::MirrorView whole = work_.mirror;
    work_.mirror.row = row.data(), work_.mirror.rows = static_cast<BoxId>(boxes.size()), work_.mirror.splits = splits;
    std::vector<double> found = locals();
    work_.mirror = whole;
    return found;
  }
  const cuda::MirrorView& mirror() const { return work_.mirror; }
  int stride() const { return work_.tables.stride; }
  std::vector<double> by_product(int degree, bool reduced) {
    use_tables(degree, false, reduced);
    return locals();
  }
  std::vector<double> by_rotation(int degree, bool reduced) {
    use_tables(degree, true, reduced);
    return locals();
  }

 private:
  void use_tables(int degree, bool rotation, bool reduced) {
    tables_.build(Kernel::laplace3d, degree, {rotation, reduced}, nullptr);
    work_.tables = tables_.view();
    octants_.build(work_.tables, nullptr);
    work_.octants = octants_.view();
    work_.rotation = rotation, work_.reduced = reduced;
    work_.mirror.ready = false;
    clear(multipole_);
    work_.multipole = multipole_.data();
    cuda::p2m<Laplace3d>(work_);
    for (int level = levels() - 2; level >= 2; --level) cuda::m2m(work_, level);
  }
  void clear(cuda::DeviceArray<double>& a) {
    a.resize(std::int64_t(tree_.tree.boxes) * work_.tables.stride);
    cuda::require(cudaMemset(a.data(), 0, static_cast<std::size_t>(a.size()) * 8), "cudaMemset");
  }
  std::vector<double> locals() {
    clear(local_);
    work_.local = local_.data();
    cuda::m2l(work_);
    std::vector<double> all(static_cast<std::size_t>(local_.size()));
    cuda::download(all.data(), local_.data(), local_.size(), nullptr);
    cuda::require(cudaDeviceSynchronize(), "locals");
    return all;
  }

  cuda::DeviceMemory memory_;
  cuda::CudaTree tree_;
  cuda::Rows rows_{memory_};
  cuda::Tables<double> tables_{memory_};
  cuda::Octants octants_{memory_};
  cuda::MirrorM2l mirror_{memory_};
  cuda::DeviceArray<double> strength_, multipole_, local_;
  cuda::Work<double> work_;
};

double error(const std::vector<double>& found, const std::vector<double>& expected) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    difference += std::pow(found[i] - expected[i], 2);
    size += std::pow(expected[i], 2);
  }
  return std::sqrt(difference / size);
}

class CudaMirror : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped() && !cuda::MirrorM2l::available(1)) GTEST_SKIP() << "no tensor cores for double on this device";
  }
};

/// Rounding of sums of 189 (d+1)^2 terms in another order: 6e-15 at degree 14 with the product's one long sum.
constexpr double most_error = 1e-14;

void expect_equal(MirrorCase& one, const char* label, int degree, bool reduced) {
  const std::vector<double> found = one.by_mirrors(degree, reduced), expected = one.by_product(degree, reduced);
  const double e = error(found, expected);
  std::printf("%-12s degree %2d %s: %.1e\n", label, degree, reduced ? "reduced" : "full   ", e);
  EXPECT_LE(e, most_error) << label << ", degree " << degree;
  EXPECT_EQ(found, one.by_mirrors(degree, reduced)) << "the same bits again";
}

TEST_F(CudaMirror, EqualsTheProduct) {
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::sphere, Kind::apart, Kind::outside, Kind::line}) {
    MirrorCase one(make_cloud(kind, 20'001, Signs::mixed), 20);
    ASSERT_GE(one.levels(), 4);
    for (const int degree : {1, 4, 9, 14})
      for (const bool reduced : {false, true}) expect_equal(one, name(kind), degree, reduced);
  }
}

TEST_F(CudaMirror, EveryWidthOfParities) {
  MirrorCase one(make_cloud(Kind::plummer, 5'001, Signs::positive), 40);
  for (int degree = 1; degree <= 22; ++degree) expect_equal(one, "plummer", degree, degree % 2 == 0);
}

TEST_F(CudaMirror, HighDegreesEqualTheRotation) {
  MirrorCase one(make_cloud(Kind::uniform, 9'001, Signs::mixed), 20);
  for (const int degree : {24, 28, most_mirror_degree}) {
    const double e = error(one.by_mirrors(degree, false), one.by_rotation(degree, false));
    std::printf("uniform degree %d, rotation: %.1e\n", degree, e);
    EXPECT_LE(e, 1e-13);  // the rotation's own rounding
  }
}

TEST_F(CudaMirror, FewBoxes) {
  for (const std::int64_t n : {2, 100, 300, 900}) {
    MirrorCase one(make_cloud(Kind::uniform, n, Signs::mixed), 3);
    for (const int degree : {2, 7}) {
      const std::vector<double> found = one.by_mirrors(degree, false), expected = one.by_product(degree, false);
      if (one.levels() > 2) EXPECT_LE(error(found, expected), most_error);
    }
  }
}

TEST_F(CudaMirror, StepsInParts) {
  MirrorCase one(make_cloud(Kind::plummer, 20'001, Signs::mixed), 20);
  std::set<int> parts;
  for (const int degree : {14, 16})  // 16: two blocks for a tile's columns
    for (const bool reduced : {false, true}) {
      const std::vector<double> expected = one.by_product(degree, reduced);
      for (const double heard : {1.0, 430.0, 700.0, 3000.0, 9000.0, 1e6}) {
        const std::vector<double> found = one.by_mirrors(degree, reduced, heard);
        const double e = error(found, expected);
        std::printf("degree %d, %7.0f boxes: %2d parts, %d splits: %.1e\n", degree, heard, one.mirror().parts,
                    one.mirror().splits, e);
        EXPECT_LE(e, most_error) << "degree " << degree << ", " << one.mirror().parts << " parts";
        EXPECT_EQ(found, one.by_mirrors(degree, reduced, heard)) << "the same bits again";
        parts.insert(one.mirror().parts);
      }
    }
  EXPECT_TRUE(parts.contains(1));
  EXPECT_GE(parts.size(), 4U);
}

/// The bits of a box are those of the steps' parts, whichever boxes share its tile and however many blocks its columns.
TEST_F(CudaMirror, BitsDoNotDependOnTiles) {
  MirrorCase one(make_cloud(Kind::plummer, 20'001, Signs::mixed), 20);
  for (const int degree : {9, 16})
    for (const double heard : {1.0, 700.0, 1e6}) {
      const std::vector<double> whole = one.by_mirrors(degree, false, heard);
      std::vector<BoxId> some;
      for (BoxId box = one.mirror().first_row; box < one.mirror().first_row + one.mirror().rows; box += 3)
        some.push_back(box);
      ASSERT_GE(some.size(), 300U);
      const auto stride = static_cast<std::ptrdiff_t>(one.stride());
      for (const int splits : {static_cast<int>(one.mirror().splits), static_cast<int>(one.mirror().shape.deep)}) {
        const std::vector<double> found = one.again(some, splits);
        std::size_t wrong = 0, filled = 0;
        for (const BoxId box : some) {
          const auto at = box * stride;
          wrong += !std::equal(found.begin() + at, found.begin() + at + stride, whole.begin() + at);
          filled += std::any_of(found.begin() + at, found.begin() + at + stride, [](double x) { return x != 0; });
        }
        EXPECT_EQ(wrong, 0U) << "degree " << degree << ", " << one.mirror().parts << " parts, " << splits << " splits";
        EXPECT_GE(filled, some.size() / 2);
      }
    }
}

/// Tiles enough for all multiprocessors: no parity is split over blocks.
TEST_F(CudaMirror, ManyBoxes) {
  Cloud cloud = make_cloud(Kind::uniform, 100'001, Signs::mixed);
  MirrorCase one(cloud, 6);
  expect_equal(one, "many", 9, false);
}

}  // namespace
}  // namespace farfield::testing

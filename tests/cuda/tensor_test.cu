// m2l on tensor cores, by either engine, against the product in double of the same multipoles; the largest multipole
// coefficients, from which it takes its scale.
#include <algorithm>
#include <bit>
#include <cmath>

#include "backends/cuda/octants.hpp"
#include "backends/cuda/rows.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/survey.hpp"
#include "backends/cuda/tables.hpp"
#include "backends/cuda/tensor_m2l.hpp"
#include "backends/cuda/tree.hpp"
#include "expansions/laplace_basis.hpp"
#include "kernels/laplace3d.hpp"
#include "support/clouds.hpp"
#include "support/gpu.hpp"

namespace farfield::testing {
namespace {

/// How strengths vary: `wild` over nine decades, from point to point or with the distance from a corner.
enum class Range { even, wild, graded };

std::vector<double> strengths_of(const Cloud& cloud, Range range) {
  std::vector<double> q = cloud.strengths;
  Stream random(5);
  for (std::size_t i = 0; i < q.size(); ++i) {
    const double* p = &cloud.sources[3 * i];
    const double distance = std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    if (range == Range::wild) q[i] *= std::pow(10, -9 * random.unit());
    if (range == Range::graded) q[i] *= std::pow(10, -6 * distance);
  }
  return q;
}

/// Tree, multipoles in both precisions and the locals in double.
class TensorCase {
 public:
  TensorCase(const Cloud& cloud, Range range, int degree, bool reduced, std::int64_t leaf_size = 20)
      : stride_((degree + 1) * (degree + 1)), degree_(degree), reduced_(reduced) {
    const Points sources = points(cloud.sources), targets = points(cloud.targets);
    const Points* apart = cloud.apart() ? &targets : nullptr;
    tree_.use(memory_);
    const Geometry geometry = cuda::survey(sources, apart, memory_);
    cuda::build(tree_, sources, apart, geometry, {1, 0, leaf_size, -1, {2, 2}, {}}, nullptr);
    rows_.build(tree_.tree.view(), nullptr);
    read_strengths(strengths_of(cloud, range));
    prepare(single_), prepare(double_);
    widen_multipoles();
    cuda::m2l(double_.work);
    expected_ = locals(double_);
  }

  int levels() const { return tree_.tree.levels; }

  /// Locals by an engine, [boxes][coefficients].
  std::vector<double> by(cuda::TensorEngine engine, bool large = false) {
    tensor_.build(single_.work.tables, single_.work.tree, engine, nullptr, large);
    single_.work.tensor = tensor_.view();
    make_multipoles();  // the same, and the largest of them
    cuda::require(cudaMemset(single_.local.data(), 0, static_cast<std::size_t>(single_.local.size()) * 4),
                  "cudaMemset");
    cuda::m2l(single_.work);
    return locals(single_);
  }

  /// The largest |multipole coefficient| of each level: that p2m and m2m kept, and that there is.
  std::vector<float> kept_largest() const {
    std::vector<std::uint32_t> bits(static_cast<std::size_t>(levels()));
    cuda::download(bits.data(), single_.work.tensor.largest, levels(), nullptr);
    cuda::require(cudaDeviceSynchronize(), "largest");
    std::vector<float> kept;
    for (const std::uint32_t b : bits) kept.push_back(std::bit_cast<float>(b));
    return kept;
  }
  std::vector<float> true_largest() const {
    const std::vector<double> m = compact(single_.multipole, single_.work.tables.stride);
    std::vector<float> largest(static_cast<std::size_t>(levels()), 0);
    for (std::size_t level = 0; level < largest.size(); ++level)
      for (int i = tree_.tree.level_begin[level] * stride_; i < tree_.tree.level_begin[level + 1] * stride_; ++i)
        largest[level] = std::max(largest[level], static_cast<float>(std::abs(m[static_cast<std::size_t>(i)])));
    return largest;
  }

  /// Relative L2 error of the locals.
  double error(const std::vector<double>& found) const {
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < expected_.size(); ++i) {
      difference += std::pow(found[i] - expected_[i], 2);
      size += std::pow(expected_[i], 2);
    }
    return std::sqrt(difference / size);
  }

 private:
  template <class Real>
  struct Side {
    explicit Side(cuda::DeviceMemory& memory)
        : tables(memory), octants(memory), strength(memory), multipole(memory), local(memory) {}
    cuda::Tables<Real> tables;
    cuda::Octants octants;
    cuda::DeviceArray<Real> strength, multipole, local;
    cuda::Work<Real> work;
  };

  void read_strengths(const std::vector<double>& q) {
    std::vector<std::uint32_t> order(q.size());
    cuda::download(order.data(), tree_.sources.order.data(), static_cast<std::int64_t>(q.size()), nullptr);
    cuda::require(cudaDeviceSynchronize(), "order");
    std::vector<float> sorted;
    for (const std::uint32_t i : order) sorted.push_back(static_cast<float>(q[i]));
    cuda::upload(single_.strength, sorted.data(), static_cast<std::int64_t>(sorted.size()), nullptr);
  }

  template <class Real>
  void prepare(Side<Real>& side) {
    side.tables.template build<LaplaceBasis>(degree_, false, reduced_, nullptr);
    cuda::Work<Real>& work = side.work;
    work.tree = tree_.tree.view();
    work.lists = tree_.lists.view();
    work.tables = side.tables.view();
    work.classes = rows_.classes();
    work.alike = tree_.alike;
    work.sources = tree_.sources.count, work.targets = tree_.target_points().count;
    side.octants.build(work.tables, nullptr);
    work.octants = side.octants.view();
    work.reduced = reduced_;
    for (int a = 0; a < 3; ++a) {
      work.source[a] = tree_.sources.axis[a].data();
      work.target[a] = tree_.target_points().axis[a].data();
    }
    for (cuda::DeviceArray<Real>* a : {&side.multipole, &side.local}) {
      a->resize(std::int64_t(tree_.tree.boxes) * work.tables.stride);
      cuda::require(cudaMemset(a->data(), 0, static_cast<std::size_t>(a->size()) * sizeof(Real)), "cudaMemset");
    }
    work.strength = side.strength.data();
    work.multipole = side.multipole.data();
    work.local = side.local.data();
  }

  void make_multipoles() {
    cuda::p2m<Laplace3d>(single_.work);
    for (int level = levels() - 2; level >= 2; --level) cuda::m2m(single_.work, level);
  }

  void widen_multipoles() {
    make_multipoles();
    const std::vector<double> m = compact(single_.multipole, single_.work.tables.stride);
    const int stride = double_.work.tables.stride;
    std::vector<double> wide(static_cast<std::size_t>(double_.multipole.size()), 0);
    for (std::size_t box = 0; box < m.size() / static_cast<std::size_t>(stride_); ++box)
      for (int i = 0; i < stride_; ++i)
        wide[box * static_cast<std::size_t>(stride) + static_cast<std::size_t>(i)] =
            m[box * static_cast<std::size_t>(stride_) + static_cast<std::size_t>(i)];
    cuda::upload(double_.multipole, wide.data(), static_cast<std::int64_t>(wide.size()), nullptr);
    double_.work.multipole = double_.multipole.data();
  }

  template <class Real>
  std::vector<double> compact(const cuda::DeviceArray<Real>& array, int stride) const {
    std::vector<Real> all(static_cast<std::size_t>(array.size()));
    cuda::download(all.data(), array.data(), array.size(), nullptr);
    cuda::require(cudaDeviceSynchronize(), "expansions");
    std::vector<double> packed;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (static_cast<int>(i % static_cast<std::size_t>(stride)) < stride_)
        packed.push_back(static_cast<double>(all[i]));
    return packed;
  }
  template <class Real>
  std::vector<double> locals(const Side<Real>& side) const {
    return compact(side.local, side.work.tables.stride);
  }

  int stride_, degree_;
  bool reduced_;
  cuda::DeviceMemory memory_;
  cuda::CudaTree tree_;
  cuda::Rows rows_{memory_};
  cuda::TensorM2l tensor_{memory_};
  Side<float> single_{memory_};
  Side<double> double_{memory_};
  std::vector<double> expected_;
};

/// Rounding of the terms that only one product of 11 bits makes: all of them up to degree 3, those of degree 2 and
/// above up to degree 5, of degrees 4 to 6 and above beyond, which are that much smaller. Strengths of mixed sign leave
/// the low degrees little.
double most_error(int degree) { return degree < 4 ? 6e-4 : degree < 6 ? 1e-4 : 4e-5; }

std::vector<cuda::TensorEngine> engines(int degree) {
  std::vector<cuda::TensorEngine> list = {cuda::TensorEngine::warp};
  const cuda::TensorEngine best = cuda::tensor_engine(degree);
  if (best == cuda::TensorEngine::none) return {};
  if (best != list[0]) list.push_back(best);
  return list;
}

class CudaTensor : public GpuTest {};

void expect_close(const Cloud& cloud, Range range, int degree, bool reduced) {
  TensorCase one(cloud, range, degree, reduced);
  ASSERT_GE(one.levels(), 4);
  for (const cuda::TensorEngine engine : engines(degree)) {
    const std::vector<double> found = one.by(engine);
    const double error = one.error(found);
    std::printf("%-12s range %d degree %2d %s engine %d: %.1e\n", cloud.label.c_str(), static_cast<int>(range), degree,
                reduced ? "reduced" : "full   ", static_cast<int>(engine), error);
    EXPECT_LE(error, most_error(degree));
    EXPECT_EQ(found, one.by(engine)) << "the same bits again";
    EXPECT_EQ(found, one.by(engine, true)) << "the same bits in large tiles";
  }
}

TEST_F(CudaTensor, EqualsTheProductInDouble) {
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::sphere, Kind::apart, Kind::outside})
    for (const int degree : {1, 3, 4, 5, 7, 10})
      expect_close(make_cloud(kind, 20'001, Signs::mixed), Range::even, degree, false);
}

TEST_F(CudaTensor, EveryWidthOfColumns) {
  const Cloud cloud = make_cloud(Kind::plummer, 9'001, Signs::positive);
  for (int degree = 1; degree <= most_tensor_degree; ++degree)
    for (const bool reduced : {false, true}) expect_close(cloud, Range::even, degree, reduced);
}

TEST_F(CudaTensor, StrengthsOverManyDecades) {
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::two_clusters})
    for (const Range range : {Range::wild, Range::graded})
      for (const Signs signs : {Signs::positive, Signs::mixed})
        for (const int degree : {3, 7, 12}) expect_close(make_cloud(kind, 20'001, signs), range, degree, false);
}

/// Every shape of p2m (leaf sizes) and the degrees without a kernel of their own; warps with boxes of several levels.
TEST_F(CudaTensor, LargestCoefficientsAreKept) {
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::apart})
    for (const int degree : {1, 3, 7, 13, most_tensor_degree}) {
      if (engines(degree).empty()) continue;
      for (const std::int64_t leaf_size : {6, 30, 120}) {
        TensorCase one(make_cloud(kind, 6'001, Signs::mixed), Range::wild, degree, false, leaf_size);
        one.by(engines(degree).back());
        EXPECT_EQ(one.kept_largest(), one.true_largest()) << name(kind) << ", degree " << degree << ", " << leaf_size;
        EXPECT_GT(std::ranges::max(one.kept_largest()), 0);
        one.by(engines(degree).back());
        EXPECT_EQ(one.kept_largest(), one.true_largest()) << "the second time";
      }
    }
}

TEST_F(CudaTensor, FewBoxes) {
  for (const std::int64_t n : {100, 300, 900})
    for (const int degree : {2, 6}) {
      TensorCase one(make_cloud(Kind::uniform, n, Signs::mixed), Range::even, degree, false, 3);
      for (const cuda::TensorEngine engine : engines(degree)) EXPECT_LE(one.error(one.by(engine)), most_error(degree));
    }
}

}  // namespace
}  // namespace farfield::testing

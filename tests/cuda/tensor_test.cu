// m2l on tensor cores, by either engine, against the product in double of the same multipoles; its operands, which p2m
// and m2m write.
#include <algorithm>
#include <bit>
#include <cmath>

#include "backends/cuda/boxes/tree.hpp"
#include "backends/cuda/far/octants.hpp"
#include "backends/cuda/far/tables/tables.hpp"
#include "backends/cuda/m2l/rows.hpp"
#include "backends/cuda/m2l/tensor/tensor_m2l.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/transfer/survey.hpp"
#include "expansions/laplace_basis.hpp"
#include "kernels/laplace3d.hpp"
#include "kernels/registry.hpp"
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

/// Bits of 16-bit floats, [boxes][width].
struct Operands {
  std::vector<std::uint16_t> high, graded_high, graded_low;
  bool operator==(const Operands&) const = default;

  bool finite() const {
    const auto is_finite = [](std::uint16_t bits) { return (bits & 0x7c00) != 0x7c00; };
    return std::ranges::all_of(high, is_finite) && std::ranges::all_of(graded_high, is_finite) &&
           std::ranges::all_of(graded_low, is_finite);
  }
};
std::uint16_t bits_of(__half value) { return static_cast<__half_raw>(value).x; }

/// Tree, multipoles in both precisions and the locals in double.
class TensorCase {
 public:
  TensorCase(const Cloud& cloud, Range range, int degree, bool reduced, std::int64_t leaf_size = 20,
             Fit fit = Fit::none)
      : stride_((degree + 1) * (degree + 1)), degree_(degree), reduced_(reduced), fit_(fit) {
    const Points sources = points(cloud.sources), targets = points(cloud.targets);
    const Points* apart = cloud.apart() ? &targets : nullptr;
    tree_.use(memory_);
    const Geometry geometry = cuda::survey(sources, apart, memory_);
    cuda::build(tree_, sources, apart, geometry, {{}, leaf_size, -1, {2, 2}, {}});
    rows_.build(tree_.tree.view(), nullptr);
    read_strengths(strengths_of(cloud, range));
    prepare(single_), prepare(double_);
    widen_multipoles();
    cuda::m2l(double_.work);
    expected_ = locals(double_);
  }

  int levels() const { return tree_.tree.levels; }
  void set_tolerance(double tolerance) { tensor_.set_tolerance(tolerance); }
  int low() const { return tensor_.view().low; }  ///< degrees below it have three terms

  /// Locals by an engine, [boxes][coefficients].
  std::vector<double> by(cuda::TensorEngine engine, bool large = false) {
    tensor_.build(single_.work.tables, single_.work.tree, engine, nullptr, large);
    single_.work.tensor = tensor_.view();
    make_multipoles();  // the same, and the operands
    cuda::require(cudaMemset(single_.local.data(), 0, static_cast<std::size_t>(single_.local.size()) * 4),
                  "cudaMemset");
    cuda::m2l(single_.work);
    return locals(single_);
  }

  /// What p2m and m2m leave of levels 2 and deeper where there were NaNs, after a build for a tree of fuller boxes.
  Operands operands(cuda::TensorEngine engine) {
    cuda::DeviceArray<std::int64_t> zeros(memory_);
    zeros.resize(tree_.tree.boxes);
    fill(zeros.data(), 0, zeros.size());
    TreeView fuller = single_.work.tree;
    fuller.source_begin = zeros.data();
    tensor_.build(single_.work.tables, fuller, engine, nullptr);
    tensor_.build(single_.work.tables, single_.work.tree, engine, nullptr);
    const cuda::TensorView& view = single_.work.tensor = tensor_.view();
    const std::int64_t boxes = tree_.tree.boxes;
    fill(view.high, 0xff, boxes * view.full.width);
    for (__half* graded : {view.graded_high, view.graded_low}) fill(graded, 0xff, boxes * view.graded.width);
    make_multipoles();
    return {deep(view.high, view.full.width), deep(view.graded_high, view.graded.width),
            deep(view.graded_low, view.graded.width)};
  }
  /// The same from the multipoles in single and the numbers of sources.
  Operands expected_operands() const {
    const cuda::TensorView& view = tensor_.view();
    const std::vector<double> m = compact(single_.multipole, single_.work.tables.stride);
    const std::vector<std::uint32_t> most = most_sources();
    Operands all;
    for (std::size_t level = 2; level < most.size(); ++level)
      for (BoxId box = tree_.tree.level_begin[level]; box < tree_.tree.level_begin[level + 1]; ++box)
        for (int i = 0; i < view.full.width; ++i) {
          const double value =
              i < stride_
                  ? m[static_cast<std::size_t>(box) * static_cast<std::size_t>(stride_) + static_cast<std::size_t>(i)]
                  : 0;
          const auto x = static_cast<float>(std::ldexp(value, 15 - std::bit_width(most[level] - 1)));
          const __half high = __float2half_rn(x), low = __float2half_rn(x - __half2float(high));
          all.high.push_back(bits_of(high));
          if (i >= view.graded.width) continue;
          all.graded_high.push_back(i < view.low * view.low ? bits_of(high) : std::uint16_t(0));
          all.graded_low.push_back(i < view.low * view.low ? bits_of(low) : std::uint16_t(0));
        }
    return all;
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
    double largest = 0;
    int exponent = 0;  // as the evaluator scales them
    for (const double value : q) largest = std::max(largest, std::abs(value));
    std::frexp(largest, &exponent);
    std::vector<float> sorted;
    for (const std::uint32_t i : order) sorted.push_back(static_cast<float>(std::ldexp(q[i], -exponent)));
    cuda::upload(single_.strength, sorted.data(), static_cast<std::int64_t>(sorted.size()), nullptr);
  }

  template <class Real>
  void prepare(Side<Real>& side) {
    side.tables.build(Kernel::laplace3d, degree_, {false, reduced_, true, fit_}, nullptr);
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

  template <class T>
  static void fill(T* at, int byte, std::int64_t count) {
    cuda::require(cudaMemset(at, byte, static_cast<std::size_t>(count) * sizeof(T)), "cudaMemset");
  }
  std::vector<std::uint16_t> deep(const __half* all, int width) const {
    const std::int64_t first = tree_.tree.level_begin[2];
    std::vector<__half> halfs(static_cast<std::size_t>((tree_.tree.boxes - first) * width));
    cuda::download(halfs.data(), all + first * width, static_cast<std::int64_t>(halfs.size()), nullptr);
    cuda::require(cudaDeviceSynchronize(), "operands");
    std::vector<std::uint16_t> bits;
    for (const __half value : halfs) bits.push_back(bits_of(value));
    return bits;
  }
  /// Of a box, by level.
  std::vector<std::uint32_t> most_sources() const {
    const auto boxes = static_cast<std::size_t>(tree_.tree.boxes);
    std::vector<std::int64_t> begin(boxes), end(boxes);
    cuda::download(begin.data(), tree_.tree.source_begin.data(), tree_.tree.boxes, nullptr);
    cuda::download(end.data(), tree_.tree.source_end.data(), tree_.tree.boxes, nullptr);
    cuda::require(cudaDeviceSynchronize(), "sources of boxes");
    std::vector<std::uint32_t> most(static_cast<std::size_t>(levels()), 0);
    for (std::size_t level = 0; level < most.size(); ++level)
      for (BoxId box = tree_.tree.level_begin[level]; box < tree_.tree.level_begin[level + 1]; ++box) {
        const auto b = static_cast<std::size_t>(box);
        most[level] = std::max(most[level], static_cast<std::uint32_t>(end[b] - begin[b]));
      }
    return most;
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
  Fit fit_;
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

void expect_close(const Cloud& cloud, Range range, int degree, bool reduced, Fit fit = Fit::none) {
  TensorCase one(cloud, range, degree, reduced, 20, fit);
  ASSERT_GE(one.levels(), 4);
  for (const cuda::TensorEngine engine : engines(degree)) {
    const std::vector<double> found = one.by(engine);
    const double error = one.error(found);
    std::printf("%-12s range %d degree %2d %s fit %d engine %d: %.1e\n", cloud.label.c_str(), static_cast<int>(range),
                degree, reduced ? "reduced" : "full   ", static_cast<int>(fit), static_cast<int>(engine), error);
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

/// Tiles of several children and of one, whose sources go as deep as their distances ask for.
TEST_F(CudaTensor, FittedToDistances) {
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::sphere, Kind::apart})
    for (const Fit fit : {Fit::of_one_degree, Fit::for_all, Fit::for_gradient})
      for (const int degree : {5, 8, 9, 10, 12, most_tensor_degree})
        expect_close(make_cloud(kind, 20'001, Signs::mixed), Range::even, degree, false, fit);
}

TEST_F(CudaTensor, StrengthsOverManyDecades) {
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::two_clusters})
    for (const Range range : {Range::wild, Range::graded})
      for (const Signs signs : {Signs::positive, Signs::mixed})
        for (const int degree : {3, 7, 12}) expect_close(make_cloud(kind, 20'001, signs), range, degree, false);
}

/// Operators follow the tolerance; 0 is that of degrees given by hand.
TEST_F(CudaTensor, HasTheTermsThatTheToleranceAsksFor) {
  constexpr int degree = 12;
  constexpr struct {
    double tolerance, error;
    int low;
  } settings[] = {{1e-3, 6e-4, 0}, {1e-4, 1e-4, 2}, {1e-5, 4e-5, 4}, {2e-6, 4e-5, 5}, {1e-6, 4e-5, 6}, {0, 4e-5, 6}};
  TensorCase one(make_cloud(Kind::uniform, 20'001, Signs::mixed), Range::even, degree, false);
  for (const auto& s : settings)
    for (const cuda::TensorEngine engine : engines(degree)) {
      one.set_tolerance(s.tolerance);
      const double error = one.error(one.by(engine));
      std::printf("tolerance %g, three terms below %d: %.1e\n", s.tolerance, one.low(), error);
      EXPECT_EQ(one.low(), s.low) << s.tolerance;
      EXPECT_LE(error, s.error) << s.tolerance;
    }
}

/// Every shape of p2m (leaf sizes) and the degrees without a kernel of their own; warps with boxes of several levels,
/// boxes without sources.
TEST_F(CudaTensor, OperandsAreTheMultipoles) {
  for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::apart, Kind::outside})
    for (const int degree : {1, 3, 5, 7, 13, most_tensor_degree}) {
      if (engines(degree).empty()) continue;
      for (const std::int64_t leaf_size : {6, 30, 120}) {
        TensorCase one(make_cloud(kind, 6'001, Signs::mixed), Range::wild, degree, false, leaf_size);
        ASSERT_GE(one.levels(), 3);
        const Operands found = one.operands(engines(degree).back());
        EXPECT_TRUE(found == one.expected_operands()) << name(kind) << ", degree " << degree << ", " << leaf_size;
      }
    }
}

/// The largest multipoles that there are: strengths just below 1, at the outermost corners of their boxes.
Cloud in_corners(std::int64_t points_each) {
  Cloud cloud{"corners/" + std::to_string(8 * points_each), {}, {}, {}};
  Stream random(7);
  for (std::int64_t i = 0; i < 8 * points_each; ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      const double inside = 1e-4 * random.unit();
      cloud.sources.push_back(i >> axis & 1 ? 1 - inside : inside);
    }
    cloud.strengths.push_back(1 - 0x1p-24);
  }
  return cloud;
}

TEST_F(CudaTensor, OperandsAreFinite) {
  for (const int degree : {1, 3, 5, 10, most_tensor_degree}) {
    if (engines(degree).empty()) continue;
    TensorCase one(in_corners(512), Range::even, degree, false);
    const Operands found = one.operands(engines(degree).back());
    EXPECT_TRUE(found.finite()) << degree;
    EXPECT_TRUE(found == one.expected_operands()) << degree;
    EXPECT_GT(std::ranges::count(found.high, bits_of(__float2half_rn(0x1p15f))), 0) << "no bit is given away";
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

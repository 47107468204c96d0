// m2m and l2l of few parents against the kernels of many: parts of a level, one after another, leave the bits of the
// whole level. So do ranks, each of which has a part of a level and chooses by its own number of boxes.
#include <algorithm>
#include <cmath>

#include "backends/cuda/boxes/tree.hpp"
#include "backends/cuda/far/few/l2l.hpp"
#include "backends/cuda/far/few/m2m.hpp"
#include "backends/cuda/far/few/parents.hpp"
#include "backends/cuda/far/octants.hpp"
#include "backends/cuda/far/tables/tables.hpp"
#include "backends/cuda/levels/stages.hpp"
#include "backends/cuda/stages.hpp"
#include "backends/cuda/transfer/survey.hpp"
#include "kernels/registry.hpp"
#include "support/clouds.hpp"
#include "support/gpu.hpp"

namespace farfield::testing {
namespace {

/// Boxes first ... last - 1.
struct Part {
  BoxId first, last;
};

/// A tree, its largest level with parents, and random coefficients and matrices.
template <class Real>
class FewCase {
 public:
  struct Written {
    std::vector<Real> coefficients;
    std::vector<std::uint16_t> operands;
    bool operator==(const Written&) const = default;
  };

  FewCase(Kind kind, int degree, std::uint64_t seed) : random_(seed) {
    const Cloud cloud = make_cloud(kind, 20'000, Signs::mixed, seed);
    const Points sources = points(cloud.sources), targets = points(cloud.targets);
    const Points* apart = cloud.apart() ? &targets : nullptr;
    tree_.use(memory_);
    cuda::build(tree_, sources, apart, cuda::survey(sources, apart, memory_), {{}, 4, -1, {2, 2}, {}});
    tables_.build(Kernel::laplace3d, degree, {true, false}, nullptr);
    octants_.build(tables_.view(), nullptr);
    work_.tree = tree_.tree.view();
    work_.alike = tree_.alike;
    work_.tables = tables_.view();
    work_.octants = octants_.view();
    fill(matrix_, 8ll * work_.tables.stride * work_.tables.pitch);
    make_triangle();
    fill(multipole_, std::int64_t(work_.tree.boxes) * work_.tables.stride);
    fill(local_, std::int64_t(work_.tree.boxes) * work_.tables.stride);
    work_.tables.m2m.matrix = matrix_.data();
    const BoxId* begin = work_.tree.level_begin;
    for (int level = 3; level + 2 < work_.tree.levels; ++level)
      if (begin[level + 1] - begin[level] > whole_.last - whole_.first) whole_ = {begin[level], begin[level + 1]};
    if (sizeof(Real) == 4) add_operands();
  }

  /// From now on every third box has the multipole of the one before it, and is no parent.
  void make_images() {
    std::vector<BoxId> home(static_cast<std::size_t>(work_.tree.boxes), no_box), own;
    for (int level = 2; level < work_.tree.levels; ++level)
      for (BoxId box = work_.tree.level_begin[level] + 2; box < work_.tree.level_begin[level + 1]; box += 3)
        home[static_cast<std::size_t>(box)] = box - 1;
    for (BoxId box = 0; box < work_.tree.boxes; ++box)
      if (home[static_cast<std::size_t>(box)] == no_box) own.push_back(box);
    const auto place = [&](BoxId box) { return static_cast<BoxId>(std::ranges::lower_bound(own, box) - own.begin()); };
    whole_ = {place(whole_.first), place(whole_.last)};
    cuda::upload(home_, home.data(), std::ssize(home), nullptr);
    cuda::upload(own_, own.data(), std::ssize(own), nullptr);
    cuda::require(cudaDeviceSynchronize(), "images");
    work_.images.home = home_.data(), work_.images.parent = own_.data();
  }

  int coefficients() const { return work_.tables.coefficients; }
  Part whole() const { return whole_; }
  Written before(bool up) { return written(up ? multipole_ : local_); }

  /// The level in parts of 1 to `most` boxes, which begin anywhere.
  std::vector<Part> parts(BoxId most) {
    std::vector<Part> all;
    for (BoxId at = whole_.first; at < whole_.last; at = all.back().last)
      all.push_back({at, std::min(whole_.last, at + 1 + static_cast<BoxId>(random_.below(most)))});
    return all;
  }

  Written after(bool up, bool coupled, const std::vector<Part>& parts) {
    cuda::DeviceArray<Real> array(memory_);
    cuda::DeviceArray<Real>& from = up ? multipole_ : local_;
    array.resize(from.size());
    cuda::require(cudaMemcpy(array.data(), from.data(), static_cast<std::size_t>(from.size()) * sizeof(Real),
                             cudaMemcpyDeviceToDevice),
                  "cudaMemcpy");
    if (operands_.size() > 0)
      cuda::require(cudaMemset(operands_.data(), 0xff, 2 * static_cast<std::size_t>(operands_.size())), "cudaMemset");
    cuda::Work<Real> work = work_;
    (up ? work.multipole : work.local) = array.data();
    work.tables.l2l.matrix = coupled ? matrix_.data() : triangle_.data();
    for (const Part& part : parts) {
      const BoxId begin[] = {0, 0, 0, part.first, part.last};  // of levels: that of the parents is called 3
      work.tree.level_begin = begin;
      work.images.parent_begin = begin;
      if (up) coupled ? cuda::m2m_of_level(work, 3) : cuda::m2m(work, 3);
      if (!up) coupled ? cuda::l2l_of_level(work, 4) : cuda::l2l(work, 4);
    }
    return written(array);
  }

 private:
  void fill(cuda::DeviceArray<Real>& array, std::int64_t count) {
    std::vector<Real> values(static_cast<std::size_t>(count));
    for (Real& value : values) value = static_cast<Real>(random_.between(-1, 1));
    cuda::upload(array, values.data(), count, nullptr);
    cuda::require(cudaDeviceSynchronize(), "random numbers");
  }

  /// Of uncoupled degrees: no coefficient of a child has a part in those of lower degrees of its parent.
  void make_triangle() {
    const int count = coefficients();
    std::vector<Real> values(static_cast<std::size_t>(matrix_.size()));
    cuda::download(values.data(), matrix_.data(), matrix_.size(), nullptr);
    cuda::require(cudaDeviceSynchronize(), "random numbers");
    for (int row = 0; row < 8 * work_.tables.stride; ++row)
      for (int i = 0; i < count; ++i)
        if (SolidShape::degree_of(row % work_.tables.stride) < SolidShape::degree_of(i))
          values[static_cast<std::size_t>(row * work_.tables.pitch + i)] = 0;
    cuda::upload(triangle_, values.data(), std::ssize(values), nullptr);
    cuda::require(cudaDeviceSynchronize(), "a triangle");
  }

  void add_operands() {
    cuda::TensorView& view = work_.tensor;
    view.ready = true;
    view.full.count = coefficients(), view.full.width = cuda::tensor_width(coefficients());
    view.graded.count = 25, view.graded.width = cuda::tensor_width(25);
    const std::vector<std::uint32_t> most(static_cast<std::size_t>(work_.tree.levels), 1000);
    cuda::upload(most_sources_, most.data(), std::ssize(most), nullptr);
    view.most_sources = most_sources_.data();
    const std::int64_t boxes = work_.tree.boxes;
    operands_.resize(boxes * (view.full.width + 2 * view.graded.width));
    view.high = reinterpret_cast<__half*>(operands_.data());
    view.graded_high = view.high + boxes * view.full.width;
    view.graded_low = view.graded_high + boxes * view.graded.width;
    cuda::require(cudaDeviceSynchronize(), "operands");
  }

  Written written(const cuda::DeviceArray<Real>& array) {
    Written all{std::vector<Real>(static_cast<std::size_t>(array.size())),
                std::vector<std::uint16_t>(static_cast<std::size_t>(operands_.size()))};
    cuda::download(all.coefficients.data(), array.data(), array.size(), nullptr);
    if (operands_.size() > 0) cuda::download(all.operands.data(), operands_.data(), operands_.size(), nullptr);
    cuda::require(cudaDeviceSynchronize(), "m2m or l2l");
    return all;
  }

  Stream random_;
  cuda::DeviceMemory memory_;
  cuda::CudaTree tree_;
  cuda::Tables<Real> tables_{memory_};
  cuda::Octants octants_{memory_};
  cuda::DeviceArray<Real> matrix_{memory_}, triangle_{memory_}, multipole_{memory_}, local_{memory_};
  cuda::DeviceArray<std::uint32_t> most_sources_{memory_};
  cuda::DeviceArray<BoxId> home_{memory_}, own_{memory_};
  cuda::DeviceArray<std::uint16_t> operands_{memory_};
  cuda::Work<Real> work_;
  Part whole_{0, 0};
};

/// Where two results differ first, in words.
template <class Written>
std::string difference(const Written& found, const Written& expected, int stride) {
  const auto at = std::ranges::mismatch(found.coefficients, expected.coefficients).in1 - found.coefficients.begin();
  if (at == std::ssize(found.coefficients)) return "coefficients agree, operands differ";
  return "box " + std::to_string(at / stride) + ", coefficient " + std::to_string(at % stride) + ": " +
         std::to_string(found.coefficients[static_cast<std::size_t>(at)]) + " for " +
         std::to_string(expected.coefficients[static_cast<std::size_t>(at)]);
}

class CudaFewParents : public GpuTest {};

template <class Real>
void compare(Kind kind, int degree, bool images = false) {
  static std::uint64_t seed = 0;
  SCOPED_TRACE(std::string(name(kind)) + ", degree " + std::to_string(degree) + ", seed " + std::to_string(++seed));
  FewCase<Real> level(kind, degree, seed);
  if (images) level.make_images();
  const Part whole = level.whole();
  const std::int64_t boxes = whole.last - whole.first;
  const int stride = stride_of<Real>(level.coefficients());
  for (const bool up : {true, false}) {
    if (up && level.coefficients() <= cuda::tuning::octant_threads) continue;  // l2l has few parents from degree 7 on
    const auto shape = up ? cuda::m2m_few_shape<Real> : cuda::l2l_few_shape<Real>;
    std::int64_t most = boxes;  // of which there are few
    while (most > 1 && shape(most, level.coefficients()).groups == 0) --most;
    ASSERT_EQ(shape(boxes, level.coefficients()).groups, 0) << boxes << " boxes are no longer many";
    ASSERT_GT(shape(most, level.coefficients()).groups, 0);
    for (const bool coupled : {false, true}) {
      SCOPED_TRACE(std::string(up ? "m2m" : "l2l") + (coupled ? ", coupled" : ""));
      const auto expected = level.after(up, coupled, {whole});
      EXPECT_FALSE(expected.coefficients == level.before(up).coefficients);
      // Some tens of parts, of which most are large, and parts of a block or two.
      for (const std::int64_t largest : {most, std::min<std::int64_t>(most, 60)}) {
        const auto found = level.after(up, coupled, level.parts(static_cast<BoxId>(largest)));
        EXPECT_TRUE(found == expected) << "parts of up to " << largest << ": " << difference(found, expected, stride);
      }
    }
  }
}

/// From the first degree with few parents on: 7, of m2m 11.
TEST_F(CudaFewParents, HaveTheBitsOfManyInSingle) {
  for (const int degree : {8, 10, 11, 12, 13, 14, 15, 16, 18, 22}) compare<float>(Kind::uniform, degree);
  for (const Kind kind : {Kind::plummer, Kind::apart, Kind::sphere}) compare<float>(kind, 14);
  for (const int degree : {9, 12}) compare<float>(Kind::apart, degree);
  for (const int degree : {11, 13}) compare<float>(Kind::uniform, degree, true);
}

TEST_F(CudaFewParents, HaveTheBitsOfManyInDouble) {
  for (const int degree : {7, 9, 11, 14, 16, 17, 18, 22}) compare<double>(Kind::uniform, degree);
  for (const Kind kind : {Kind::plummer, Kind::apart, Kind::sphere}) compare<double>(kind, 17);
}

/// Below, the kernels of constant degrees read all of the matrix at once.
TEST_F(CudaFewParents, AreNotOfLowDegrees) {
  for (const int coefficients : {1, 64, 121}) EXPECT_EQ(cuda::m2m_few_shape<float>(8, coefficients).groups, 0);
  for (const int coefficients : {1, 36, 49}) EXPECT_EQ(cuda::l2l_few_shape<double>(8, coefficients).groups, 0);
  EXPECT_EQ(cuda::m2m_few_shape<float>(27, 225).groups, 1);
  EXPECT_EQ(cuda::l2l_few_shape<double>(27, 324).groups, 1);
}

}  // namespace
}  // namespace farfield::testing

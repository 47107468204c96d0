// The boxes of a tree that fill the blocks of a cell: expansions of the blocks from theirs, and back, against the
// blocks' points; and replays, in which far images go that way, against calls, in which they go by the points.
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "backends/cuda/boxes/follow.hpp"
#include "backends/cuda/periodic/home_boxes.hpp"
#include "cuda/graphs.hpp"
#include "cuda/ion_arrays.hpp"
#include "expansions/laplace_basis.hpp"
#include "support/gpu.hpp"
#include "support/random.hpp"
#include "tree/cell/vector3.hpp"

namespace farfield::testing {
namespace {

constexpr int degree = 6;
constexpr std::size_t coefficients = (degree + 1) * (degree + 1), images_of_each = 27;

template <class T>
std::vector<T> downloaded(const T* from, std::int64_t count) {
  std::vector<T> to(static_cast<std::size_t>(count));
  cuda::download(to.data(), from, count, nullptr);
  cuda::require(cudaDeviceSynchronize(), "download");
  return to;
}
template <class T>
void set(T* to, const std::vector<T>& numbers) {
  cuda::require(cudaMemcpy(to, numbers.data(), numbers.size() * sizeof(T), cudaMemcpyHostToDevice), "set");
}

std::vector<double> harmonics(const Vector3& u) {
  static const std::vector<double> table = LaplaceBasis::recurrence_table(degree);
  std::vector<double> value(coefficients);
  laplace::columns(degree, table.data(), u[0], u[1], u[2], laplace::StoreFunctions<double>{value.data()});
  return value;
}
double value_of(const float* expansion, const Vector3& u) {
  const std::vector<double> functions = harmonics(u);
  double sum = 0;
  for (std::size_t i = 0; i < coefficients; ++i) sum += expansion[i] * functions[i];
  return sum;
}

/// Random points of a cell along the axes, cut into blocks, in a tree with their 26 nearest images.
class CutCell {
 public:
  CutCell(const Vector3& edges, const std::array<int, 3>& counts, std::int64_t points, Stream& random)
      : count_(static_cast<std::size_t>(points)),
        edges_(edges),
        grid_(cut(edges, counts)),
        field_(BlockField(grid_, degree, 1, {}).maps()),
        cloud_(memory_) {
    tree_.use(memory_);
    for (std::size_t i = 0; i < count_; ++i) {
      for (const double edge : edges) home_.push_back(edge * random.unit());
      charge_.push_back(static_cast<float>(random.between(-1, 1)));
    }
    for (int n = 0; n < 27; ++n) add_shift((n + 13) % 27);  // home first
    for (std::size_t i = 0; i < count_ * images_of_each; ++i) {
      for (std::size_t d = 0; d < 3; ++d)
        sources_.push_back(home_[i / images_of_each * 3 + d] + shifts_[i % images_of_each].shift[d]);
      point_.push_back(static_cast<std::uint32_t>(i / images_of_each));
      image_.push_back(static_cast<std::uint32_t>(i % images_of_each));
    }
    build();
    const Points at = points_of(home_);
    cloud_.read(grid_.cell().view(), at, nullptr);
    cloud_.place(grid_.view(), 1000, OtherPoints());
  }

  /// As a plan looks for them.
  void find(cuda::HomeBoxes& boxes) {
    const OnDevice<std::uint32_t> point(point_), image(image_);
    const OnDevice<NearImage> shifts(shifts_);
    boxes.place(grid_, cloud_);
    const Images images{{}, nullptr, point.data(), image.data(), shifts.data(), 1, &boxes};
    cuda::ImagesInTree in_tree(memory_);
    in_tree.find(&images, tree_, Scaling(geometry_.exponent), false);
    cuda::require(cudaDeviceSynchronize(), "boxes at home");
  }

  // In the caller's units, the order of the points, and [block][coefficient]:
  const cuda::FieldView& field() const { return field_.view(); }
  cuda::DeviceField& device_field() { return field_; }
  const BlockGrid& grid() const { return grid_; }
  const cuda::CudaTree& tree() const { return tree_; }
  Scaling scale() const { return Scaling(geometry_.exponent); }
  std::size_t count() const { return count_; }
  Vector3 point(std::size_t i) const { return {home_[3 * i], home_[3 * i + 1], home_[3 * i + 2]}; }
  double charge(std::size_t i) const { return charge_[i]; }
  int block_of(std::size_t i) const { return grid_.view().block_of(point(i).data()); }
  Vector3 in_block(std::size_t i) const {
    return scaled(difference(point(i), grid_.centre(block_of(i))), 1 / field().unit);
  }
  Vector3 in_cell(std::size_t i) const {
    return scaled(difference(point(i), grid_.root_centre()), 1 / grid_.root_edge());
  }
  /// Of a tree's sorted sources, in single.
  std::vector<float> charges_in_tree() const {
    const auto order = downloaded(tree_.sources.order.data(), std::ssize(point_));
    std::vector<float> charges;
    for (const std::uint32_t i : order) charges.push_back(charge_[i / images_of_each]);
    return charges;
  }
  Vector3 centre_of(BoxId box) const {
    const std::vector<double> all = downloaded(tree_.tree.centre.data(), 3 * std::int64_t(tree_.tree.boxes));
    const auto at = static_cast<std::size_t>(box), boxes = static_cast<std::size_t>(tree_.tree.boxes);
    return {all[at], all[boxes + at], all[2 * boxes + at]};
  }

 private:
  static BlockGrid cut(const Vector3& edges, const std::array<int, 3>& along_axes) {
    const UnitCell cell({{{edges[0], 0, 0}, {0, edges[1], 0}, {0, 0, edges[2]}}}, {true, true, true});
    int counts[3] = {};
    for (int i = 0; i < 3; ++i)
      for (std::size_t axis = 0; axis < 3; ++axis)
        if (cell.vector(i)[axis] != 0) counts[i] = along_axes[axis];
    const FractionRange whole[3] = {};
    return {cell, whole, counts, 2.3};
  }
  void add_shift(int n) {
    const std::int32_t away[3] = {n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1};
    shifts_.push_back({{away[0] * edges_[0], away[1] * edges_[1], away[2] * edges_[2]}, {away[0], away[1], away[2]}});
  }
  static Points points_of(const std::vector<double>& x) { return points(x.data(), std::ssize(x) / 3); }
  void build() {
    const Points sources = points_of(sources_), targets = points_of(home_);
    geometry_ = cuda::survey(sources, &targets, memory_);
    geometry_.of_cell = true;
    for (std::size_t d = 0; d < 3; ++d) geometry_.of_targets.low[d] = 0, geometry_.of_targets.high[d] = edges_[d];
    cuda::build(tree_, sources, &targets, geometry_, {{12, 4, true}, 6, -1, {2, 2}, {}});
  }

  std::size_t count_;
  Vector3 edges_;
  BlockGrid grid_;
  cuda::DeviceField field_;
  std::vector<double> home_, sources_;
  std::vector<float> charge_;
  std::vector<std::uint32_t> point_, image_;
  std::vector<NearImage> shifts_;
  cuda::DeviceMemory memory_;
  cuda::CudaTree tree_;
  cuda::BlockedCloud cloud_;
  Geometry geometry_;
};

/// What the sums of a tree work with, its multipoles made from the boxes' sources.
class Sums {
 public:
  explicit Sums(const CutCell& cell)
      : strength_(cell.charges_in_tree()),
        multipole_(multipoles(cell)),
        local_(std::vector<float>(multipole_size(cell))),
        potential_(std::vector<float>(cell.count())),
        gradient_(std::vector<float>(3 * cell.count())) {
    const cuda::CudaTree& tree = cell.tree();
    work.tree = tree.tree.view();
    work.tables.degree = degree;
    work.tables.coefficients = work.tables.stride = static_cast<int>(coefficients);
    work.multipole = multipole_.data(), work.local = local_.data(), work.strength = strength_.data();
    for (int axis = 0; axis < 3; ++axis)
      work.source[axis] = tree.sources.axis[axis].data(), work.target[axis] = tree.targets.axis[axis].data();
    work.targets = static_cast<std::int64_t>(cell.count());
    work.result.part[0] = potential_.data();
    for (int axis = 0; axis < 3; ++axis)
      work.result.part[1 + axis] = gradient_.data() + static_cast<std::size_t>(axis) * cell.count();
  }
  std::vector<float> local() const { return local_.read(); }
  std::vector<float> potential() const { return potential_.read(); }
  std::vector<float> gradient() const { return gradient_.read(); }

  cuda::Work<float> work;

 private:
  static std::size_t multipole_size(const CutCell& cell) {
    return static_cast<std::size_t>(cell.tree().tree.boxes) * coefficients;
  }
  static std::vector<float> multipoles(const CutCell& cell) {
    const auto& tree = cell.tree();
    const BoxId boxes = tree.tree.boxes;
    const auto begin = downloaded(tree.tree.source_begin.data(), boxes),
               end = downloaded(tree.tree.source_end.data(), boxes);
    const auto level = downloaded(tree.tree.level.data(), boxes);
    const auto centre = downloaded(tree.tree.centre.data(), 3 * std::int64_t(boxes));
    std::vector<double> x[3];
    for (std::size_t d = 0; d < 3; ++d) x[d] = downloaded(tree.sources.axis[d].data(), tree.sources.count);
    const std::vector<float> charge = cell.charges_in_tree();
    std::vector<float> all(multipole_size(cell));
    for (std::size_t box = 0; box < begin.size(); ++box) {
      std::vector<double> sum(coefficients);
      for (auto s = static_cast<std::size_t>(begin[box]); s < static_cast<std::size_t>(end[box]); ++s) {
        Vector3 u;
        for (std::size_t d = 0; d < 3; ++d)
          u[d] = (x[d][s] - centre[d * begin.size() + box]) / tree.tree.lattice.edge(level[box]);
        const std::vector<double> own = harmonics(u);
        for (std::size_t i = 0; i < coefficients; ++i) sum[i] += charge[s] * own[i];
      }
      for (std::size_t i = 0; i < coefficients; ++i) all[box * coefficients + i] = static_cast<float>(sum[i]);
    }
    return all;
  }

  OnDevice<float> strength_, multipole_, local_, potential_, gradient_;
};

struct Cut {
  const char* name;
  Vector3 edges;
  std::array<int, 3> counts;  ///< of blocks along the axes; 12 boxes along the shortest
};

class CudaHomeBoxes : public GpuTest, public ::testing::WithParamInterface<Cut> {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped() || HasFailure()) return;
    std::printf("seed %u\n", seed);
    cell.emplace(GetParam().edges, GetParam().counts, most, random);
    cell->find(boxes.emplace());
    ASSERT_TRUE(boxes->found());
    boxes->use(cell->device_field(), nullptr);
    sums.emplace(*cell);
  }
  std::vector<cuda::BlockBox> listed() { return downloaded(boxes->view().box, boxes->view().count); }

  unsigned seed = std::random_device()();
  Stream random{seed};
  static constexpr std::int64_t most = 12000;
  std::optional<CutCell> cell;
  std::optional<cuda::HomeBoxes> boxes;
  std::optional<Sums> sums;
};

/// Products in single: a sum of 49 terms that rounding errs in by 6e-8 each, and cancels in by no more than a few
/// times. Of the sum of a block's |q|, which no coefficient exceeds, and of the largest potential.
constexpr double in_single = 2e-6;

TEST_P(CudaHomeBoxes, GiveBlocksTheMultipolesOfTheirPoints) {
  const cuda::FieldView& f = cell->field();
  std::vector<double> expected(static_cast<std::size_t>(f.blocks) * coefficients);
  double second = 0, size = 0;
  for (std::size_t i = 0; i < cell->count(); ++i) {
    const std::vector<double> own = harmonics(cell->in_block(i));
    const auto block = static_cast<std::size_t>(cell->block_of(i));
    for (std::size_t c = 0; c < coefficients; ++c) expected[block * coefficients + c] += cell->charge(i) * own[c];
    second += cell->charge(i) * farfield::dot(cell->in_cell(i), cell->in_cell(i));
    size += std::fabs(cell->charge(i));
  }
  cuda::charges_of_boxes(boxes->view(), sums->work);
  cuda::blocks_from_boxes(f, boxes->view(), sums->work);
  const auto found = downloaded(f.multipole, std::int64_t(f.blocks) * f.count);
  const auto seconds = downloaded(f.second, f.blocks);
  double all = 0, largest = 0;
  for (const double part : seconds) all += part;
  EXPECT_NEAR(all, second, 1e-12 * size);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::fabs(expected[i]));
    EXPECT_NEAR(found[i], expected[i], in_single * size / f.blocks) << i;
    if (i % coefficients == 0) EXPECT_NEAR(found[i], expected[i], 1e-12 * size) << i;
  }
  EXPECT_GT(largest, 100 * in_single * size / f.blocks);
}

TEST_P(CudaHomeBoxes, TakeTheLocalExpansionsOfTheirBlocks) {
  const cuda::FieldView& f = cell->field();
  std::vector<float> local(static_cast<std::size_t>(f.blocks) * coefficients);
  for (float& number : local) number = static_cast<float>(random.between(-1, 1));
  set(f.potential, local);
  const int times = 2;  // they are added to what is there
  for (int k = 0; k < times; ++k) cuda::boxes_from_blocks(f, boxes->view(), sums->work);
  const std::vector<float> found = sums->local();
  const double edge =
      cell->tree().tree.lattice.edge(downloaded(cell->tree().tree.level.data(), 1 + listed()[0].box).back());
  double error = 0, largest = 0;
  for (const cuda::BlockBox& box : listed()) {
    const Vector3 centre = cell->centre_of(box.box);
    Vector3 u, in_block;
    for (std::size_t d = 0; d < 3; ++d) {
      u[d] = random.between(-0.5, 0.5);
      in_block[d] =
          (centre[d] + edge * u[d] - cell->scale()(cell->grid().centre(box.block)[d])) / cell->scale()(f.unit);
    }
    const float *const own = found.data() + static_cast<std::size_t>(box.box) * coefficients,
                       *const of_block = local.data() + static_cast<std::size_t>(box.block) * coefficients;
    const double expected = times * value_of(of_block, in_block) * edge / cell->scale()(f.unit);
    error = std::max(error, std::fabs(value_of(own, u) - expected)), largest = std::max(largest, std::fabs(expected));
  }
  EXPECT_LE(error, in_single * largest);
}

TEST_P(CudaHomeBoxes, AddWhatANetChargeGives) {
  const cuda::FieldView& f = cell->field();
  const double root_edge = cell->scale()(f.root_edge), charge = 0.7;
  for (const double given : {0.0, charge}) {
    set(f.charge, std::vector<double>{given});
    cuda::add_net_charge(f, boxes->view(), sums->work);
  }
  const auto potential = sums->potential(), gradient = sums->gradient();
  const auto order = downloaded(cell->tree().targets.order.data(), std::ssize(potential));
  for (std::size_t t = 0; t < potential.size(); ++t) {
    const Vector3 v = cell->in_cell(order[t]);
    EXPECT_NEAR(potential[t], charge / root_edge * farfield::dot(v, v), 1e-6 / root_edge);
    for (std::size_t d = 0; d < 3; ++d)
      EXPECT_NEAR(gradient[d * potential.size() + t], 2 * charge / (root_edge * root_edge) * v[d],
                  1e-6 / (root_edge * root_edge));
  }
}

INSTANTIATE_TEST_SUITE_P(Cells, CudaHomeBoxes,
                         ::testing::Values(Cut{"two", {1.1, 1.1, 1.1}, {6, 6, 6}},
                                           Cut{"three", {1.1, 1.1, 1.1}, {4, 4, 4}},
                                           Cut{"parents", {0.7, 0.7, 0.7}, {3, 3, 3}},
                                           Cut{"long", {0.7, 1.4, 0.7}, {3, 6, 3}},
                                           Cut{"flat", {1.5, 1, 1}, {6, 3, 4}}),
                         [](const auto& test) { return test.param.name; });

class CudaNoHomeBoxes : public GpuTest {};

TEST_F(CudaNoHomeBoxes, WhereBoxesDoNotDivideBlocksOrAreSmallerThanLeaves) {
  Stream random(7);
  cuda::HomeBoxes boxes;
  CutCell({1.1, 1.1, 1.1}, {5, 5, 5}, 12000, random).find(boxes);
  EXPECT_FALSE(boxes.found());
  CutCell({1.1, 1.1, 1.1}, {6, 6, 6}, 200, random).find(boxes);
  EXPECT_FALSE(boxes.found());
}

struct Step {
  const char* name;
  Rows cell;
  double net;  ///< added to each charge
  double tolerance;
  std::int64_t leaf_size;  ///< so that 24 boxes are along the shortest side, a multiple of the blocks of any degree
};

class CudaReplaysByBoxes : public GpuTest, public ::testing::WithParamInterface<Step> {};

double difference_of(const std::vector<float>& found, const std::vector<float>& expected) {
  double error = 0, size = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double apart = double(found[i]) - expected[i];
    error += apart * apart, size += double(expected[i]) * expected[i];
  }
  return std::sqrt(error / size);
}

/// Other bits than those of calls tell that replays went by boxes: by points they have the same. The oracle is a plan
/// in double, which tests/periodic holds to Ewald's sums. Potentials of ions with a net charge are small beside that of
/// each of the charges: rounding to single leaves an error of 1.5e-4 in them, whichever way far images go.
TEST_P(CudaReplaysByBoxes, KeepTheTolerance) {
  Stream random = fresh_stream();
  const OwnStream stream;
  Ions all = ions(600000, GetParam().cell, 0.01, random);
  for (double& q : all.q) q += GetParam().net;
  const Arrays<float> arrays(all, stream);
  Options o = on_gpu(GetParam().cell, Axes{true, true, true}, GetParam().tolerance);
  o.method = Method::fmm, o.precision = Precision::single_, o.skin = 1e-3;
  o.leaf_size = GetParam().leaf_size;
  const auto started = [&] {
    Plan made(arrays.points(), o);
    for (int k = 0; k < 3; ++k) arrays.evaluate(made), made.move(arrays.points());
    arrays.evaluate(made);
    return made;
  };
  Plan plan = started(), beside = started();
  const Graph step(stream, [&] {
    plan.move(arrays.points());
    plan.evaluate(arrays.strengths(), arrays.outputs());
  });
  for (int k = 0; k < 3; ++k) {
    for (double& x : all.x) x += 1e-4 * random.between(-1, 1);
    arrays.set_points(all.x);
    step.replay();
    const Result<float> by_boxes = arrays.read();
    step.replay();
    EXPECT_EQ(arrays.read().potential, by_boxes.potential);
    plan.check_replays();
    beside.move(arrays.points());
    const Result<float> by_points = arrays.evaluate(beside);
    Options fine = o;
    fine.tolerance = 1e-9, fine.precision = Precision::double_, fine.skin = 0, fine.leaf_size = 0;
    Plan exact(arrays.points(), fine);
    const Result<float> expected = arrays.evaluate(exact);
    EXPECT_NE(by_boxes.potential, by_points.potential);
    const double of_potentials = difference_of(by_points.potential, expected.potential),
                 of_gradients = difference_of(by_points.gradient, expected.gradient);
    std::printf("of calls: %.2g %.2g, errors: %.2g %.2g, of calls %.2g %.2g\n",
                difference_of(by_boxes.potential, by_points.potential),
                difference_of(by_boxes.gradient, by_points.gradient),
                difference_of(by_boxes.potential, expected.potential),
                difference_of(by_boxes.gradient, expected.gradient), of_potentials, of_gradients);
    const bool charged = GetParam().net != 0;
    const double as_calls = charged ? 1.1 * of_potentials : 0;
    EXPECT_LE(difference_of(by_boxes.potential, expected.potential), std::max(o.tolerance, as_calls));
    EXPECT_LE(difference_of(by_boxes.gradient, expected.gradient), o.tolerance);
    if (!charged) EXPECT_LE(difference_of(by_boxes.potential, by_points.potential), 2e-6);
    EXPECT_LE(difference_of(by_boxes.gradient, by_points.gradient), 2e-6);
  }
  for (const Choice& choice : plan.report().choices) std::printf("%s: %s\n", choice.name.c_str(), choice.value.c_str());
}

INSTANTIATE_TEST_SUITE_P(Cells, CudaReplaysByBoxes,
                         ::testing::Values(Step{"cube", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, 0, 1e-5, 137},
                                           Step{"long", {{{0, 0, 3}, {1, 0, 0}, {0, 1, 0}}}, 0, 1e-5, 46},
                                           Step{"charged", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, 3e-4, 1e-4, 137}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace farfield::testing

// Periodic cells in device memory: the bits of host memory, moves, targets apart, foreign streams; against backend cpu,
// which tests/periodic holds to the slow Ewald sums.
#include <cuda_runtime.h>

#include "cuda/ion_arrays.hpp"
#include "support/gpu.hpp"
#include "support/random.hpp"

namespace farfield::testing {
namespace {

constexpr Axes all_three{true, true, true};

/// Relative L2 error.
template <class T>
double error_of(const std::vector<T>& found, const std::vector<double>& exact) {
  double error = 0, size = 0;
  for (std::size_t i = 0; i < exact.size(); ++i)
    error += std::pow(static_cast<double>(found[i]) - exact[i], 2), size += exact[i] * exact[i];
  return std::sqrt(error / size);
}

Result<double> exact_sums(const Ions& ions, const Rows& cell, const Axes& axes) {
  return Plan(points(ions.x), on_gpu(cell, axes, 1e-10, Backend::cpu)).evaluate<double>(ions.q);
}

class CudaPeriodic : public GpuTest {};

TEST_F(CudaPeriodic, DeviceMemoryGivesTheBitsOfHostMemory) {
  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  Stream random(5);
  for (int trial = 1; trial < 8; ++trial) {
    const Rows cell = random_cell(random, 0.3);
    const Ions all = ions(2000, cell, 0.02, random);
    const Options o = on_gpu(cell, axes_of(trial), 1e-6);
    const auto host = Plan(points(all.x), o).evaluate<double>(all.q);
    EXPECT_EQ(host.report.backend, "cuda");
    for (cudaStream_t of : {stream, cudaStream_t(nullptr)}) {
      const Arrays<double> arrays(all, of);
      Options open = o;
      open.backend = Backend::automatic;  // device memory decides
      Plan plan(arrays.points(), open);
      const auto device = arrays.evaluate(plan);
      EXPECT_EQ(device.potential, host.potential);
      EXPECT_EQ(device.gradient, host.gradient);
    }
  }
  require(cudaStreamDestroy(stream));
}

TEST_F(CudaPeriodic, KeepsItsTolerance) {
  Stream random = fresh_stream();
  for (int trial = 1; trial < 8; ++trial) {
    const Rows cell = random_cell(random, 0.3);
    const Ions all = ions(15000, cell, 0.02, random);
    const auto exact = exact_sums(all, cell, axes_of(trial));
    for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
      const Arrays<double> arrays(all, nullptr);
      Plan plan(arrays.points(), on_gpu(cell, axes_of(trial), tolerance));
      const auto found = arrays.evaluate(plan);
      EXPECT_LE(error_of(found.potential, exact.potential), tolerance) << trial;
      EXPECT_LE(error_of(found.gradient, exact.gradient), tolerance) << trial;
    }
  }
}

TEST_F(CudaPeriodic, SingleFromFloats) {
  Stream random = fresh_stream();
  const Rows cell = random_cell(random, 0.3);
  Ions all = ions(20000, cell, 0.02, random);
  for (double& x : all.x) x = static_cast<float>(x);
  const auto exact = exact_sums(all, cell, all_three);
  for (const double tolerance : {1e-3, 1e-5}) {
    Options o = on_gpu(cell, all_three, tolerance);
    o.precision = Precision::single_;
    const Arrays<float> arrays(all, nullptr);
    Plan plan(arrays.points(), o);
    const auto found = arrays.evaluate(plan);
    EXPECT_LE(error_of(found.potential, exact.potential), tolerance);
    EXPECT_LE(error_of(found.gradient, exact.gradient), tolerance);
  }
}

/// As in a run: to and fro over the cell's border, then other numbers of points.
TEST_F(CudaPeriodic, Moves) {
  Stream random = fresh_stream();
  for (int trial = 1; trial < 8; ++trial) {
    const Rows cell = random_cell(random, 0.3);
    Ions all = ions(3000, cell, 0.02, random);
    const Options o = on_gpu(cell, axes_of(trial), 1e-6);
    Plan plan(points(all.x), o);
    for (int step = 0; step < 4; ++step) {
      for (double& x : all.x) x += random.between(-0.1, 0.1);
      if (step == 3) all = ions(9000, cell, 0.02, random);
      const Arrays<double> arrays(all, nullptr);
      plan.move(arrays.points());
      const auto found = arrays.evaluate(plan);
      const auto exact = exact_sums(all, cell, axes_of(trial));
      EXPECT_LE(error_of(found.potential, exact.potential), 1e-6) << trial << " " << step;
      EXPECT_LE(error_of(found.gradient, exact.gradient), 1e-6) << trial << " " << step;
    }
    std::vector<double> bad = all.x;
    bad[31] = NAN;
    expect_refusal("source 10", [&] { plan.move(points(bad)); });
    const auto after = plan.evaluate<double>(all.q);  // still the points before
    const auto exact = exact_sums(all, cell, axes_of(trial));
    EXPECT_LE(error_of(after.potential, exact.potential), 1e-6);
  }
}

/// Targets apart and at the sources, densities, strides and floats: small enough for sanitizers.
TEST_F(CudaPeriodic, SmallTreesOfEveryKind) {
  Stream random(7);
  for (int trial = 1; trial < 8; ++trial) {
    const Rows cell = random_cell(random, 0.3);
    const Axes axes = axes_of(trial);
    const Ions all = ions(150, cell, 0.02, random), others = ions(40, cell, 0.02, random);
    std::vector<double> q;
    for (const double value : all.q) q.insert(q.end(), {value, 7, 7});
    Strengths strided = strengths(q.data(), std::ssize(all.q), 1);
    strided.stride = 3, strided.pitch = 0;
    for (const double tolerance : {1e-3, 1e-9}) {
      Options o = on_gpu(cell, axes, tolerance);
      o.at_sources = true;
      const auto found = Plan(points(all.x), points(others.x), o).evaluate<double>(strided);
      o.backend = Backend::cpu;
      o.tolerance = 1e-10;
      const auto exact = Plan(points(all.x), points(others.x), o).evaluate<double>(strided);
      EXPECT_LE(error_of(found.source_potential, exact.source_potential), tolerance) << trial;
      EXPECT_LE(error_of(found.gradient, exact.gradient), tolerance) << trial;
    }
    Options o = on_gpu(cell, axes, 1e-4);
    o.gradient = false;
    std::vector<float> both = as<float>(all.q);
    for (const double value : all.q) both.push_back(static_cast<float>(-2 * value));
    const auto found = Plan(points(all.x), o).evaluate<float>(both);
    const auto exact = exact_sums(all, cell, axes);
    const auto half = found.potential.begin() + std::ssize(all.q);
    EXPECT_LE(error_of(std::vector<float>(found.potential.begin(), half), exact.potential), 1e-4) << trial;
    for (std::size_t i = 0; i < all.q.size(); ++i) EXPECT_NEAR(half[i], -2 * found.potential[i], 1e-3);
  }
}

TEST_F(CudaPeriodic, OfNothing) {
  const Rows cell = box(1, 1, 1);
  Plan plan(points(std::vector<double>{}), on_gpu(cell, all_three, 1e-6));
  EXPECT_TRUE(plan.evaluate<double>(std::vector<double>{}).potential.empty());
  const std::vector<double> one{.1, .2, .3};
  plan.move(points(one));
  const double madelung = -2.8372974794806;  // of a charge and its background
  EXPECT_NEAR(plan.evaluate<double>(std::vector<double>{1.0}).potential[0], madelung, 1e-5);
}

TEST_F(CudaPeriodic, RefusesWhatItDoesNotOffer) {
  Stream random(3);
  const Ions all = ions(100, box(1, 1, 1), 0.02, random);
  const Arrays<double> arrays(all, nullptr);
  Options o = on_gpu(box(1, 1, 1), all_three, 1e-6);
  o.backend = Backend::cpu;
  expect_refusal("device memory", [&] { Plan(arrays.points(), o); });
  Plan plan(points(all.x), o);
  expect_refusal("use host memory", [&] { arrays.evaluate(plan); });
  std::vector<double> charged = all.q;
  charged[0] = 2;
  Plan slab(points(all.x), on_gpu(box(1, 1, 1), {true, true, false}, 1e-6));
  expect_refusal("add up to", [&] { slab.evaluate<double>(charged); });
}

}  // namespace
}  // namespace farfield::testing

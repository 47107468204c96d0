// Moves and evaluations in a CUDA graph that the caller captures: replays have the bits of calls outside of it, for
// points in open space and in periodic cells; what a replay cannot sum is told afterwards.
#include <cuda_runtime.h>

#include <limits>
#include <optional>

#include "cuda/graphs.hpp"
#include "cuda/ion_arrays.hpp"
#include "support/gpu.hpp"
#include "support/random.hpp"

namespace farfield::testing {
namespace {

struct Setting {
  const char* name;
  Axes axes;
  double tolerance;
  Precision precision;
};

/// Options, ions, their arrays on the device and a plan of them that has been evaluated; an edge of the cell is 1.
class Simulation {
 public:
  Simulation(const Setting& setting, Stream& random, cudaStream_t stream, std::int64_t count = 6000)
      : cell(random_cell(random, 0.2)), all(ions(count, cell, 0.02, random)), arrays(all, stream), random_(random) {
    options = on_gpu(cell, setting.axes, setting.tolerance);
    options.backend = Backend::cuda;
    options.method = Method::fmm;
    options.precision = setting.precision;
    options.tolerance = setting.tolerance;
    options.gradient = true;
    options.skin = skin;
    options.degree = setting.precision == Precision::single_ ? 7 : 14;  // calls outside would correct one of their own
    plan = started();
    before = arrays.evaluate(*plan);
  }
  /// After moves with which it takes over all that these strengths need.
  Plan started() {
    Plan made(arrays.points(), options);
    for (int k = 0; k < 3; ++k) {
      arrays.evaluate(made);
      made.move(arrays.points());
    }
    arrays.evaluate(made);
    return made;
  }
  /// By at most so much along each axis, in the arrays on the device.
  void shake(double most) {
    for (double& x : all.x) x += most * random_.between(-1, 1);
    arrays.set_points(all.x);
  }
  static constexpr double skin = 2e-3;

  Rows cell;
  Ions all;
  Arrays<double> arrays;
  Options options;
  std::optional<Plan> plan;
  Result<double> before;

 private:
  Stream& random_;
};

/// In single in a cell replays read sources from their targets, in another order, and agree to rounding.
class CudaReplay : public GpuTest, public ::testing::WithParamInterface<Setting> {
 protected:
  void expect_same(const Result<double>& found, const Result<double>& expected, int k) const {
    if (GetParam().axes[0] && GetParam().precision == Precision::single_) {
      EXPECT_LE(relative_difference(found.potential, expected.potential), 1e-6) << k;
      EXPECT_LE(relative_difference(found.gradient, expected.gradient), 1e-6) << k;
    } else {
      EXPECT_EQ(found.potential, expected.potential) << k;
      EXPECT_EQ(found.gradient, expected.gradient) << k;
    }
  }
};

TEST_P(CudaReplay, HasTheBitsOfCallsOutside) {
  Stream random = fresh_stream();
  const OwnStream stream;
  Simulation s(GetParam(), random, stream);
  Plan beside = s.started();
  const Graph step(stream, [&] {
    s.plan->move(s.arrays.points());
    s.plan->evaluate(s.arrays.strengths(), s.arrays.outputs());
  });
  for (int k = 0; k < 4; ++k) {
    s.shake(Simulation::skin / 20);
    for (double& q : s.all.q) q = -q;  // those of the replay, not of the capture
    s.arrays.set_strengths(s.all.q);
    s.arrays.clear();
    step.replay();
    s.plan->check_replays();
    const Result<double> found = s.arrays.read();
    beside.move(s.arrays.points());
    const Result<double> expected = s.arrays.evaluate(beside);
    EXPECT_NE(found.potential, s.before.potential) << k;
    expect_same(found, expected, k);
  }
}

TEST_P(CudaReplay, TellsThatPointsWentTooFarAndIsMendedByAMove) {
  Stream random(71);
  const OwnStream stream;
  Simulation s(GetParam(), random, stream);
  const Graph step(stream, [&] {
    s.plan->move(s.arrays.points());
    s.plan->evaluate(s.arrays.strengths(), s.arrays.outputs());
  });
  s.shake(0.02);
  step.replay();
  EXPECT_NE(refusal(ErrorCode::input, [&] { s.plan->check_replays(); }).find("farther than the skin"),
            std::string::npos);
  s.plan->move(s.arrays.points());
  s.plan->check_replays();
  const Result<double> found = s.arrays.evaluate(*s.plan);
  Plan fresh(s.arrays.points(), s.options);
  const Result<double> expected = s.arrays.evaluate(fresh);
  double error = 0, size = 0;
  for (std::size_t i = 0; i < expected.potential.size(); ++i)
    error += std::pow(found.potential[i] - expected.potential[i], 2), size += std::pow(expected.potential[i], 2);
  EXPECT_LE(std::sqrt(error / size), 2 * GetParam().tolerance);
}

/// Far images' work begins before the move has ended only where nothing between the two gives the strengths.
TEST_P(CudaReplay, SumsTheStrengthsThatTheGraphGivesAfterTheMove) {
  Stream random(73);
  const OwnStream stream;
  Simulation s(GetParam(), random, stream);
  Plan beside = s.started();
  Ions turned = s.all;
  for (double& q : turned.q) q = -q;
  const Arrays<double> given(turned, stream);
  const Graph step(stream, [&] {
    s.plan->move(s.arrays.points());
    const Strengths to = s.arrays.strengths(), from = given.strengths();
    require(cudaMemcpyAsync(const_cast<void*>(to.data), from.data, static_cast<std::size_t>(to.count) * sizeof(double),
                            cudaMemcpyDeviceToDevice, stream));
    s.plan->evaluate(to, s.arrays.outputs());
  });
  for (int k = 0; k < 2; ++k) {
    s.shake(Simulation::skin / 20);
    s.arrays.set_strengths(s.all.q);
    step.replay();
    s.plan->check_replays();
    const Result<double> found = s.arrays.read();
    beside.move(s.arrays.points());
    const Result<double> expected = s.arrays.evaluate(beside);  // of the strengths that the graph left there
    expect_same(found, expected, k);
  }
}

TEST_P(CudaReplay, FollowsOtherStrengthsAndTellsOfTooLargeOnes) {
  Stream random(72);
  const OwnStream stream;
  Simulation s(GetParam(), random, stream);
  const Graph sum(stream, [&] { s.plan->evaluate(s.arrays.strengths(), s.arrays.outputs()); });
  for (double& q : s.all.q) q = -q;
  s.arrays.set_strengths(s.all.q);
  sum.replay();
  s.plan->check_replays();
  const Result<double> found = s.arrays.read();
  for (std::size_t i = 0; i < found.potential.size(); ++i) ASSERT_EQ(found.potential[i], -s.before.potential[i]) << i;
  for (const double factor : {5.0, 1e-3, std::numeric_limits<double>::quiet_NaN()}) {
    std::vector<double> other = s.all.q;
    for (double& q : other) q *= factor;
    s.arrays.set_strengths(other);
    sum.replay();
    EXPECT_NE(refusal(ErrorCode::input, [&] { s.plan->check_replays(); }).find("largest strength"), std::string::npos);
    s.arrays.set_strengths(s.all.q);
    s.arrays.evaluate(*s.plan);
    s.plan->check_replays();
  }
}

INSTANTIATE_TEST_SUITE_P(Plans, CudaReplay,
                         ::testing::Values(Setting{"open", {}, 1e-5, Precision::single_},
                                           Setting{"openDouble", {}, 1e-8, Precision::double_},
                                           Setting{"cell", {true, true, true}, 1e-4, Precision::single_},
                                           Setting{"cellDouble", {true, true, true}, 1e-8, Precision::double_},
                                           Setting{"slab", {true, true, false}, 1e-5, Precision::double_}),
                         [](const auto& test) { return test.param.name; });

class CudaReplayRefusals : public GpuTest {};

TEST_F(CudaReplayRefusals, AreOneSentenceAndLeaveThePlan) {
  Stream random(73);
  const OwnStream stream;
  Simulation s({"open", {}, 1e-5, Precision::single_}, random, stream);
  Options without = s.options;
  without.skin = 0;
  Plan rigid(s.arrays.points(), without), fresh(s.arrays.points(), s.options);
  s.arrays.evaluate(rigid);
  const auto refused = [&](const auto& call) {
    return refusal(ErrorCode::usage, [&] { const Graph graph(stream, call); });
  };
  EXPECT_NE(refused([&] { rigid.move(s.arrays.points()); }).find("give the plan a skin"), std::string::npos);
  EXPECT_NE(refused([&] { fresh.move(s.arrays.points()); }).find("evaluate it after its last move"), std::string::npos);
  EXPECT_NE(refused([&] { fresh.evaluate(s.arrays.strengths(), s.arrays.outputs()); }).find("evaluate the plan once"),
            std::string::npos);
  std::vector<double> on_host(s.all.q.size());
  EXPECT_NE(refused([&] { rigid.evaluate(s.arrays.strengths(), {on_host.data()}); }).find("device memory"),
            std::string::npos);
  EXPECT_EQ(s.arrays.evaluate(*s.plan).potential, s.before.potential);
}

}  // namespace
}  // namespace farfield::testing

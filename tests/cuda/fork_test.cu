// A process that is forked from one that used CUDA cannot use it: each way is refused in a sentence that names the
// fork.
#include "backends/cuda/evaluator.hpp"
#include "cuda/on_device.hpp"
#include "support/child.hpp"
#include "support/gpu.hpp"
#include "support/measure.hpp"

namespace farfield::testing {
namespace {

/// In a child process: is `work` refused with Error(device), in a sentence that names the fork?
int refused_for_fork(const std::function<void()>& work) {
  return status_of([&] {
    try {
      work();
    } catch (const Error& e) {
      std::printf("# %s\n", e.what());
      return e.code() == ErrorCode::device && std::string(e.what()).find("forked") != std::string::npos ? good
                                                                                                        : bad_report;
    }
    return bad_result;
  });
}

Options on(Backend backend) {
  Options o = fmm_options(1e-5, Precision::double_);
  o.backend = backend;
  return o;
}

class CudaFork : public GpuTest {
 protected:
  Cloud cloud = make_cloud(Kind::plummer, 4'000, Signs::mixed);
};

TEST_F(CudaFork, AnInheritedPlanIsRefusedAndTheParentGoesOn) {
  Plan plan(points(cloud.sources), on(Backend::cuda));
  const Result<double> expected = plan.evaluate(cloud.strengths);
  EXPECT_EQ(good, refused_for_fork([&] { plan.evaluate(cloud.strengths); }));
  EXPECT_EQ(good, refused_for_fork([&] { plan.move(points(cloud.sources)); }));
  EXPECT_EQ(plan.evaluate(cloud.strengths).potential, expected.potential);
}

TEST_F(CudaFork, NewPlansAreRefusedUnlessTheCpuMayServe) {
  Plan(points(cloud.sources), on(Backend::cuda)).evaluate(cloud.strengths);
  EXPECT_EQ(good, refused_for_fork([&] { Plan(points(cloud.sources), on(Backend::cuda)); }));
  const OnDevice<double> positions(cloud.sources);
  Points p = points(static_cast<const double*>(positions.data()), cloud.count());
  p.space = MemorySpace::device;
  EXPECT_EQ(good, refused_for_fork([&] { Plan(p, on(Backend::automatic)); }));
  const Result<double> expected = Plan(points(cloud.sources), on(Backend::cpu)).evaluate(cloud.strengths);
  EXPECT_EQ(good, status_of([&] {
              const Result<double> r = Plan(points(cloud.sources), on(Backend::automatic)).evaluate(cloud.strengths);
              return r.potential != expected.potential ? bad_result : r.report.backend == "cpu" ? good : bad_report;
            }));
  EXPECT_EQ(good, status_of([] { return devices().empty() ? good : bad_report; }));
}

}  // namespace
}  // namespace farfield::testing

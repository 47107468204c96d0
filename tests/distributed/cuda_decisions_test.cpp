// Ranks on a device, several on one, repeat a sum where one plan on that device does, and as it does.
#include "distributed/decisions.hpp"
#include "support/gpu.hpp"

namespace farfield::testing {
namespace {

class CudaDecisions : public GpuTest, public ::testing::WithParamInterface<int> {};

TEST_P(CudaDecisions, AreThoseOfOnePlan) {
  constexpr int repeats = 20;
  const Decided decided = decide_alike(repeats, GetParam(), 3'000, [](Options& o) { o.backend = Backend::cuda; });
  EXPECT_GE(decided.repeated, repeats) << "else nothing was decided upon";
}

INSTANTIATE_TEST_SUITE_P(Axes, CudaDecisions, ::testing::Values(0, 1, 3, 7));

}  // namespace
}  // namespace farfield::testing

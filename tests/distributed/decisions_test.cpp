// Ranks on the CPU repeat a sum where one plan does, and as one plan does.
#include "distributed/decisions.hpp"

namespace farfield::testing {
namespace {

class Decisions : public ::testing::TestWithParam<int> {};

TEST_P(Decisions, AreThoseOfOnePlan) {
  constexpr int repeats = 4;
  const Decided decided = decide_alike(repeats, GetParam(), 700, [](Options&) {});
  EXPECT_GE(decided.repeated, repeats) << "else nothing was decided upon";
}

INSTANTIATE_TEST_SUITE_P(Axes, Decisions, ::testing::Values(0, 1, 3, 7));

}  // namespace
}  // namespace farfield::testing
